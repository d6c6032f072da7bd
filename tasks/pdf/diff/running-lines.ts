import { countingVariants, isPageNumber, MIN_LINES_BESIDE_COUNTING } from '../../formats/pdf/counting-lines.ts'
import type { TextLine, TextPage } from '../../formats/pdf/text-layout.ts'

/** A page of a document, with its number there. */
interface NumberedPage {
  page: number
  text: TextPage
}

/** Headers and footers lie in this share of the page at its top and its bottom. */
const MARGIN_SHARE = 0.12
const MIN_PAGES_SHARE = 0.4

/**
 * Finds headers, footers and page numbers: lines at the top or the bottom that are the same on many pages of either
 * document, but for a number that counts with the pages.
 */
export function findRunningLines(documents: readonly (readonly NumberedPage[])[]): ReadonlySet<TextLine> {
  const running = new Set(documents.flatMap(pages => [...findRepeatedKeys(pages)]))
  const found = new Set<TextLine>()
  for (const page of documents.flat()) {
    const lines = listMarginLines(page).filter(
      line => listKeys(line, page).some(key => running.has(key)) || isPageNumber(line.text, page.page),
    )
    // What would leave nothing of a page is its content.
    if (lines.length < page.text.lines.length) for (const line of lines) found.add(line)
  }
  return found
}

function findRepeatedKeys(pages: readonly NumberedPage[]): Set<string> {
  const counts = new Map<string, number>()
  for (const page of pages) {
    const keys = new Set(listMarginLines(page).flatMap(line => listKeys(line, page)))
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const least = Math.max(2, pages.length * MIN_PAGES_SHARE)
  return new Set([...counts].filter(([, count]) => count >= least).map(([key]) => key))
}

function listMarginLines({ text: { lines, height } }: NumberedPage): TextLine[] {
  const margin = height * MARGIN_SHARE
  return lines.filter(({ box }) => box[3] <= margin || box[1] >= height - margin)
}

/** The line as it is, and as what is the same on all pages if its number counts with them. */
function listKeys({ text, box }: TextLine, { page, text: { height, lines } }: NumberedPage): string[] {
  const side = box[3] < height / 2 ? 'top' : 'bottom'
  const counting = lines.length > MIN_LINES_BESIDE_COUNTING ? countingVariants(text, page) : []
  return [text, ...counting].map(variant => `${side} ${variant}`)
}
