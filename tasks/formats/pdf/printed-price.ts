import { type InputFile, type Price, usd } from '#kit'

export const MAX_PAGES = 2000
const INCLUDED_PAGES = 10
/** Without `maxPages`, so many pages are allowed, and one more for so many characters of HTML. */
export const FREELY_ALLOWED_PAGES = 20
export const CHARS_PER_ALLOWED_PAGE = 1000
const CHARS_PER_TYPICAL_PAGE = 3000

export interface PricedInput {
  html?: string
  markdown?: string
  file?: InputFile
  maxPages?: number
}

/** The hold covers as many pages as the options allow; the charge covers the pages that were printed. */
export const FROM_HTML_PRICE: Price<PricedInput> = {
  unit: `page beyond the first ${INCLUDED_PAGES}`,
  rateMicros: usd('0.0005'),
  baseMicros: usd('0.005'),
  basis: 'body',
  units: input => countExtraPages(computePageLimit(input)),
  expectedUnits: input => countExtraPages(Math.ceil(countChars(input) / CHARS_PER_TYPICAL_PAGE)),
  maxUnits: countExtraPages(MAX_PAGES),
  note: 'Only the pages that were printed are charged.',
}

export function computePageLimit(input: PricedInput): number {
  const pages = FREELY_ALLOWED_PAGES + Math.floor(countChars(input) / CHARS_PER_ALLOWED_PAGE)
  return input.maxPages ?? Math.min(MAX_PAGES, pages)
}

export function countExtraPages(pages: number): number {
  return Math.max(0, pages - INCLUDED_PAGES)
}

function countChars({ html, markdown, file }: PricedInput): number {
  const text = html ?? markdown
  return text === undefined ? (file?.sizeBytes ?? 0) : countPrintableChars(text)
}

/** Counts the characters that may become pages: all but embedded files and styles, which are long and print nothing. */
function countPrintableChars(html: string): number {
  let count = 0
  let end = 0
  for (const start of html.matchAll(/<style\b|\bdata:/gi)) {
    if (start.index < end) continue
    count += start.index - end
    const closing = start[0] === 'data:' ? /["')\s>]/g : /<\/style/gi
    closing.lastIndex = start.index
    end = closing.exec(html)?.index ?? html.length
  }
  return count + html.length - end
}
