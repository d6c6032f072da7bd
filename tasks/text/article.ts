import { Type } from 'typebox'
import { define, FileOutput, Problem, type Tools, Warnings } from '#kit'
import { ARTICLE_RULES, articleFacts, articleFields, toResult } from '../formats/html/article.ts'
import { answerText, HTML_OR_FILE, OUT_FORMAT, readHtmlContent, textPrice } from './schema.ts'

const FORMS = {
  markdown: ['md', 'text/markdown'],
  html: ['html', 'text/html'],
  text: ['txt', 'text/plain'],
} as const

export default define({
  summary:
    'Find the article in the HTML of a page: its text without menus and adverts, as Markdown, HTML or plain text.',
  keywords:
    'main content, reader mode, readability, boilerplate removal, without navigation, clean article text, strip ads, ' +
    'body of a news page, author and date of an article, main article of an html page as markdown, take the main article out of a saved html page as markdown',
  description:
    'For HTML that you have; nothing is run or fetched. A page that is no article gives all its text, with `readable` ' +
    'false. web.readability fetches a page by its address.',
  price: textPrice(),
  uses: ['htmlCleaner', 'readability'],
  input: Type.Object({
    ...HTML_OR_FILE,
    baseUrl: Type.Optional(
      Type.String({
        maxLength: 2048,
        pattern: '^https?://',
        description: 'Where the page is from: relative addresses are made absolute. Left out: they are as they are.',
      }),
    ),
    ...articleFields,
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    ...articleFacts,
    text: Type.Optional(Type.String({ description: 'The article in the format that was asked for.' })),
    output: Type.Optional(FileOutput(Object.values(FORMS).map(([, type]) => type))),
    warnings: Warnings,
  }),
  errors: [
    'CONFLICTING_OPTIONS',
    'UNSUPPORTED_FORMAT',
    'HTML_PARSE_FAILED',
    'INVALID_PARAM',
    'NOT_READABLE',
    'TIME_LIMIT_EXCEEDED',
  ],
  examples: [
    {
      title: 'The text of a news page as Markdown',
      input: {
        text:
          '<title>Harbour</title><nav><a href="/">Home</a></nav><article><h1>The harbour opens</h1><p>After two years of ' +
          'work, the harbour opens on Monday, and the first ships come in the morning.</p></article><footer>Imprint</footer>',
      },
      answer: {
        title: 'Harbour',
        text:
          '# The harbour opens\n\nAfter two years of work, the harbour opens on Monday, and the first ships come in the ' +
          'morning.',
      },
    },
  ],

  async run({ text, file, baseUrl, outFormat, ...input }, tools) {
    const { format, include, frontmatter } = input
    if (frontmatter && format !== 'markdown')
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['frontmatter', 'format'] })
    const { text: html, warnings } = await readHtmlContent({ text, file })
    const article = await findArticle(html, { url: baseUrl, contentType: 'text/html', include, format }, tools)
    const { content, ...facts } = toResult(article, input)
    if (content.trim() === '') throw new Problem('NOT_READABLE')
    const [ending, type] = FORMS[format]
    const name = `${(file?.name ?? 'article').replace(/\.[^.]*$/, '')}.${ending}`
    return { result: { ...answerText(content, outFormat, name, type), ...facts }, warnings }
  },
})

async function findArticle(
  html: string,
  options: Parameters<Tools['readability']['extract']>[1],
  { readability, htmlCleaner }: Pick<Tools, 'readability' | 'htmlCleaner'>,
) {
  const article = await readability.extract({ html }, options)
  if (options.format !== 'html') return article
  return { ...article, content: (await htmlCleaner.clean(article.content, ARTICLE_RULES)).html }
}
