import { Type } from 'typebox'
import { Choice, define, FileOutput, Warnings } from '#kit'
import { answerText, HTML_OR_FILE, OUT_FORMAT, readHtmlContent, textPrice } from './schema.ts'

const SELECTORS = Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { default: [], maxItems: 50 })

export default define({
  summary: 'Turn HTML into plain text or Markdown.',
  keywords:
    'strip tags, html to markdown, web page to text, plain text, readable, scrape, extract links with their text, hyperlinks of a page, list all links of a saved page, absolute addresses of links',
  converts: [{ from: 'html', to: 'text markdown' }],
  description:
    'Scripts, styles and frames are left out; nothing is run or fetched. `selectors` choose parts of the page by CSS. ' +
    'Links are also listed as `links` with text and url, made absolute with baseUrl or the base of the page.',
  price: textPrice(),
  uses: ['htmlToText'],
  input: Type.Object({
    ...HTML_OR_FILE,
    mode: Choice(['plain', 'markdown'], { default: 'plain' }),
    wordwrap: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 400,
      description: 'Line width of plain text; 0 does not wrap.',
    }),
    links: Choice(['inline', 'footnote', 'ignore'], { default: 'inline' }),
    images: Choice(['alt', 'ignore'], { default: 'alt' }),
    selectors: Type.Object({ include: SELECTORS, exclude: SELECTORS }, { default: { include: [], exclude: [] } }),
    tables: Type.Boolean({ default: true, description: 'Lay out tables in columns.' }),
    baseUrl: Type.Optional(Type.String({ maxLength: 2048, pattern: '^https?://' })),
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    text: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput(['text/plain', 'text/markdown'])),
    links: Type.Array(Type.Object({ text: Type.String(), url: Type.String() })),
    title: Type.String(),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'UNSUPPORTED_FORMAT', 'HTML_PARSE_FAILED', 'INVALID_PARAM', 'TIME_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'A page as text',
      input: {
        text: '<title>Hi</title><h1>Hello</h1><p>See <a href="/x">this</a>.</p>',
        baseUrl: 'https://example.com/',
      },
      answer: {
        text: 'Hello\n\nSee this [https://example.com/x].',
        title: 'Hi',
        links: [{ text: 'this', url: 'https://example.com/x' }],
      },
    },
    {
      title: 'The main part as Markdown',
      input: {
        text: '<nav>menu</nav><main><h2>News</h2><ul><li>one<li><b>two</b></ul></main>',
        mode: 'markdown',
        selectors: { include: ['main'] },
      },
      answer: { text: '## News\n\n-   one\n-   **two**' },
    },
  ],

  async run({ text, file, selectors, outFormat, ...options }, { htmlToText }) {
    const { text: html, warnings } = await readHtmlContent({ text, file })
    const { text: plain, ...found } = await htmlToText.convert(html, { ...options, ...selectors })
    const [ending, type] = options.mode === 'plain' ? ['txt', 'text/plain'] : ['md', 'text/markdown']
    const name = `${(file?.name ?? 'page').replace(/\.[^.]*$/, '')}.${ending}`
    return { result: { ...answerText(plain, outFormat, name, type), ...found }, warnings }
  },
})
