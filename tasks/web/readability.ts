import { Type } from 'typebox'
import { Choice, define, Problem, type Warning, Warnings } from '#kit'
import { ARTICLE_RULES, type Article, articleFacts, articleFields, toResult } from '../formats/html/article.ts'
import { PRICE, THIN_CHARS } from './readability/limits.ts'
import { readWithoutBrowser } from './readability/static.ts'
import {
  browserFields,
  PAYWALLED,
  readAccess,
  readSiteOptions,
  SITE_ERRORS,
  SitePageResult,
  siteFields,
} from './schema.ts'

const { wait, block, hide, click, scroll, javascript, timezone } = browserFields

export default define({
  summary: 'Read the article of a web page: its text as Markdown, HTML or plain text, with its metadata.',
  keywords:
    'extract article, main content, reader mode, url to markdown, web page to text, scrape text, boilerplate removal',
  converts: [{ from: 'url', to: 'text markdown' }],
  description:
    'Fetched without a browser first, and in Chromium only if the text is too thin. The text of a PDF, plain text and ' +
    'JSON are given as they are. A page that is no article still gives its text, with `readable` false. Only public web ' +
    'servers are reached.',
  price: PRICE,
  uses: ['chromium', 'htmlCleaner', 'poppler', 'readability', 'web'],
  input: Type.Object({
    ...siteFields,
    ...{ wait, block, hide, click, scroll, javascript, timezone },
    ...articleFields,
    render: Choice(['auto', 'static', 'browser'], {
      default: 'auto',
      description: 'auto uses a browser only if the text is too thin without.',
    }),
    selector: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'Take what matches instead of the article.' }),
    ),
  }),
  output: Type.Object({
    ...articleFacts,
    content: Type.String(),
    page: SitePageResult,
    warnings: Warnings,
  }),
  errors: [...SITE_ERRORS, 'NOT_READABLE', 'HTML_PARSE_FAILED', 'PDF_PARSE_FAILED', 'PDF_PASSWORD_REQUIRED'],
  examples: [
    { title: 'An article as Markdown', input: { url: 'https://example.com/' }, answer: { title: 'Example Domain' } },
    {
      title: 'The text alone, without a browser',
      input: {
        url: 'https://example.com/',
        format: 'text',
        render: 'static',
        include: { links: false, images: false },
      },
      answer: { title: 'Example Domain' },
    },
  ],

  async run(input, tools) {
    const { render, selector, include, format } = input
    if (input.frontmatter && format !== 'markdown')
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['frontmatter', 'format'] })
    await tools.web.check(input.url)
    const options = { selector, include, format }
    const isSite = render !== 'browser'
    const early = isSite ? await readWithoutBrowser(readAccess(input), options, tools) : undefined
    const isEnough = early && (render === 'static' || !early.isHtml || hasEnough(early.article))
    const { article, page, warnings } = isEnough ? { ...early, warnings: [] } : await readInBrowser()
    if (!article.isSelectorFound) throw new Problem('SELECTOR_NOT_FOUND', { selector })
    const content =
      format === 'html' ? (await tools.htmlCleaner.clean(article.content, ARTICLE_RULES)).html : article.content
    const result = toResult({ ...article, content }, input)
    if (result.content.trim() === '') throw new Problem('NOT_READABLE', { finalUrl: page.finalUrl })
    const all = [...warnings, ...warnOf(article)]
    return {
      result: { ...result, page: { ...page, title: page.title || article.title } },
      units: isEnough ? 0 : 1,
      warnings: all,
    }

    function hasEnough({ text, isSelectorFound }: Article): boolean {
      return selector === undefined ? text.length >= THIN_CHARS : isSelectorFound && text.length > 0
    }

    async function readInBrowser() {
      const site = readSiteOptions(input)
      const { html, page, warnings } = await tools.chromium.readSite(site)
      const from = { url: page.finalUrl, contentType: 'text/html' }
      return { article: await tools.readability.extract({ html }, { ...from, ...options }), page, warnings }
    }
  },
})

function warnOf({ isPaywalled, guessedCharset }: Article): Warning[] {
  const message = `Neither the server nor the page says in which charset it is; it was read as ${guessedCharset}.`
  return [...(isPaywalled ? [PAYWALLED] : []), ...(guessedCharset ? [{ code: 'CHARSET_GUESSED', message }] : [])]
}
