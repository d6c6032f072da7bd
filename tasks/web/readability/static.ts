import { Problem, type RunContext, type Tools } from '#kit'
import type { Article, ArticleOptions } from '../../formats/html/article.ts'
import { escapeXml } from '../../formats/svg/drawing.ts'
import type { readAccess } from '../schema.ts'

const HTML = /html|^$/
const TEXT = /^(text\/|application\/(json|xml|[\w.-]+\+(json|xml)))/
const MAX_PDF_PAGES = 2000

/** What a page says without its scripts. Files of text and PDFs are given as they are. */
export async function readWithoutBrowser(
  access: ReturnType<typeof readAccess>,
  options: ArticleOptions,
  { web, readability, poppler, out }: Pick<Tools, 'web' | 'readability' | 'poppler'> & Pick<RunContext, 'out'>,
): Promise<{ article: Article; page: Awaited<ReturnType<Tools['web']['fetch']>>['page']; isHtml: boolean }> {
  const path = out('page')
  const { page, bytes } = await web.fetch(access, path)
  const type = page.contentType.split(';')[0]!.trim()
  if (type === 'application/pdf') return { article: await readPdf(), page, isHtml: false }
  const isHtml = HTML.test(type)
  if (!isHtml && !TEXT.test(type)) throw new Problem('UNSUPPORTED_FORMAT', { detected: type, supported: ['text/html'] })
  const source = bytes ? { bytes } : { path }
  const from = { url: page.finalUrl, contentType: page.contentType }
  const article = await readability.extract(source, { ...from, ...options, isPlain: !isHtml })
  return { article, page, isHtml }

  async function readPdf(): Promise<Article> {
    const pages = await poppler.extractText(path, { first: 1, last: MAX_PDF_PAGES, layout: 'reading' })
    const text = pages
      .filter(page => page.trim() !== '')
      .join('\n\n')
      .trim()
    const content = options.format === 'html' ? escapeXml(text) : text
    const plain = { title: '', content, text, links: [], images: [], isPaywalled: false }
    return { ...plain, readable: text !== '', isSelectorFound: true }
  }
}
