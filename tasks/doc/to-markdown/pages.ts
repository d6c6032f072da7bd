import { Problem, type Tools } from '#kit'

interface MarkdownPages {
  markdown: string
  pages: number
  needsOcr: number[]
}

/** The Markdown of all pages of a PDF. */
export async function convertPages(
  path: string,
  pageCount: number,
  { poppler, pdfMarkdown }: Pick<Tools, 'poppler' | 'pdfMarkdown'>,
): Promise<MarkdownPages> {
  const markup = await poppler.readMarkup(path, { first: 1, last: pageCount })
  const found = await pdfMarkdown.convert(markup, { keepRunning: false })
  const withText = new Set(found.filter(({ hasText }) => hasText).map(({ page }) => page))
  const numbers = Array.from({ length: pageCount }, (_, index) => index + 1)
  return {
    markdown: found
      .map(({ markdown }) => markdown)
      .filter(Boolean)
      .join('\n\n'),
    pages: pageCount,
    needsOcr: numbers.filter(number => !withText.has(number)),
  }
}

/** How many pages LibreOffice has printed. */
export async function countPrinted(path: string, limit: number, { libpdf }: Pick<Tools, 'libpdf'>): Promise<number> {
  const [inspection] = await libpdf.inspect([path])
  const pages = inspection?.pages ?? 0
  if (pages === 0) throw new Problem('OFFICE_PARSE_FAILED', { detail: 'the document has no page' })
  if (pages > limit) throw new Problem('TOO_MANY_PAGES', { limit, actual: pages, try: '/v1/pdf/from-office' })
  return pages
}
