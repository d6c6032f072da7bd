import { countingVariants, isPageNumber, MIN_LINES_BESIDE_COUNTING } from '../../formats/pdf/counting-lines.ts'
import type { TextLine, TextPage } from '../../formats/pdf/text-layout.ts'
import type { Ignored } from './words.ts'

/** A page of a document, with its number there. */
interface NumberedPage {
  page: number
  text: TextPage
}

/** Headers and footers lie in this share of the page at its top and its bottom. */
const MARGIN_SHARE = 0.12
const MIN_PAGES_SHARE = 0.4

interface RunningLines {
  /** What repeats, and does not count. */
  skipped: ReadonlySet<TextLine>
  /** Those of each document that the other lacks or words otherwise, each once. */
  different: readonly [readonly TextLine[], readonly TextLine[]]
}

/**
 * Finds headers, footers and page numbers: lines at the top or the bottom that are the same on many pages of either
 * document, but for a number that counts with the pages.
 */
export function findRunningLines(
  documents: readonly [readonly NumberedPage[], readonly NumberedPage[]],
  ignored: Ignored,
): RunningLines {
  const running = new Set(documents.flatMap(pages => [...findRepeatedKeys(pages)]))
  const [a, b] = documents.map(pages => findLinesOf(pages, running, ignored)) as [FoundLines, FoundLines]
  const different = [listOthers(a, b), listOthers(b, a)] as const
  return { skipped: new Set([...a.keys(), ...b.keys()]), different }
}

/** The running lines of a document, each with the keys by which it is the same as another. Page numbers have none. */
type FoundLines = ReadonlyMap<TextLine, readonly string[]>

function findLinesOf(pages: readonly NumberedPage[], running: ReadonlySet<string>, ignored: Ignored): FoundLines {
  const found = new Map<TextLine, string[]>()
  for (const page of pages) {
    const lines = listMarginLines(page).flatMap((line): [TextLine, string[]][] => {
      if (isPageNumber(line.text, page.page)) return [[line, []]]
      const keys = listKeys(line, page).filter(key => running.has(key))
      return keys.length === 0 ? [] : [[line, keys.map(key => simplifyKey(key, ignored))]]
    })
    // What would leave nothing of a page is its content.
    if (lines.length < page.text.lines.length) for (const [line, keys] of lines) found.set(line, keys)
  }
  return found
}

function listOthers(lines: FoundLines, others: FoundLines): TextLine[] {
  const known = new Set([...others.values()].flat())
  return [...lines].flatMap(([line, keys]) => {
    const isKnown = keys.length === 0 || keys.some(key => known.has(key))
    for (const key of keys) known.add(key)
    return isKnown ? [] : [line]
  })
}

/** A key without what never counts: the side of the page, where its count starts, and how many pages there are. */
function simplifyKey(key: string, { whitespace, case: ignoresCase }: Ignored): string {
  const text = key.replace(/^\w+ /, '').replace(/#-?\d+(\s*(?:\/|of|von|de|sur|di|van)\s*)\d+/iu, '#0$1#')
  const counted = text.replace(/#-?\d+/, '#0')
  const spaced = whitespace ? counted.replaceAll(/\s+/g, ' ').trim() : counted
  return ignoresCase ? spaced.toLowerCase() : spaced
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
