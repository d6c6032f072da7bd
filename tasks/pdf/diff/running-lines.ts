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
    for (const line of listMarginLines(page)) {
      if (listKeys(line, page).some(key => running.has(key)) || isPageNumber(line, page)) found.add(line)
    }
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

/** The line as it is, and with its first or its last number replaced by the distance to the number of the page. */
function listKeys({ text, box }: TextLine, { page, text: { height } }: NumberedPage): string[] {
  const side = box[3] < height / 2 ? 'top' : 'bottom'
  const relative = (digits: string) => `#${Number(digits) - page}`
  const variants = [text, text.replace(/\d+/, relative), text.replace(/\d+(?=\D*$)/, relative)]
  return variants.map(variant => `${side} ${variant}`)
}

function isPageNumber({ text }: TextLine, { page }: NumberedPage): boolean {
  const [, digits] = /^\W*(?:page\s*)?(\d+)(?:\s*(?:\/|of)\s*\d+)?\W*$/iu.exec(text) ?? []
  return Number(digits) === page
}
