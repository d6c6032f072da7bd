import { type InputFile, type Price, usd } from '#kit'

const INCLUDED_PAGES = 20
const MAX_PAGES = 2000
/** Without `maxPages`, so many pages are allowed, and one more for so many bytes. */
const FREELY_ALLOWED_PAGES = 50
const BYTES_PER_ALLOWED_PAGE = 1000

interface PricedInput {
  file: InputFile
  maxPages?: number
}

/** The hold covers as many pages as may be printed; the charge covers those that were. */
export function perPrintedPage(base: string): Price<PricedInput> {
  return {
    unit: `page beyond the first ${INCLUDED_PAGES}`,
    rateMicros: usd('0.0005'),
    baseMicros: usd(base),
    basis: 'body',
    units: input => countExtraPages(limitPages(input)),
    expectedUnits: () => 0,
    maxUnits: countExtraPages(MAX_PAGES),
    note: 'Only the pages that were printed are charged.',
  }
}

export function limitPages({ file, maxPages }: PricedInput): number {
  return maxPages ?? Math.min(MAX_PAGES, FREELY_ALLOWED_PAGES + Math.ceil(file.sizeBytes / BYTES_PER_ALLOWED_PAGE))
}

export function countExtraPages(pages: number): number {
  return Math.max(0, pages - INCLUDED_PAGES)
}

export const MAX_PAGES_DESCRIPTION = `Maximum number of pages to pay for; default: ${FREELY_ALLOWED_PAGES} plus one per ${BYTES_PER_ALLOWED_PAGE} bytes.`
