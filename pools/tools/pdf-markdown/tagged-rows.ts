import type { Row } from './rows.ts'
import { type TaggedText, toKey } from './structure.ts'

const START_LENGTH = 3
/** So that a document whose texts all begin alike does not take long. */
const MAX_CANDIDATES = 200

/** Finds the rows of a page that show a tagged text; each text is found once. */
export class TaggedRows {
  readonly #byStart = new Map<string, Set<TaggedText>>()

  constructor(texts: readonly TaggedText[]) {
    for (const text of texts) for (const start of startsOf(text)) this.#candidates(start).add(text)
  }

  /** The text that begins with a row, and how many rows it takes. */
  take(rows: readonly Row[], from: number): { text: TaggedText; length: number } | undefined {
    const candidates =
      this.#byStart
        .get(startOf(rowKey(rows[from]!)))
        ?.values()
        .take(MAX_CANDIDATES) ?? []
    for (const text of candidates) {
      const length = measureText(text, rows, from)
      if (length === 0) continue
      for (const start of startsOf(text)) this.#byStart.get(start)?.delete(text)
      return { text, length }
    }
    return undefined
  }

  #candidates(start: string): Set<TaggedText> {
    const known = this.#byStart.get(start)
    const candidates = known ?? new Set()
    if (!known) this.#byStart.set(start, candidates)
    return candidates
  }
}

function startOf(key: string): string {
  return key.slice(0, START_LENGTH)
}

/** The highest cell of a table row need not be its first. */
function startsOf(text: TaggedText): string[] {
  const starts = text.kind === 'row' ? text.cells.map(cell => startOf(toKey(cell))).filter(start => start !== '') : []
  return [startOf(text.key), ...starts]
}

/** The number of rows whose characters are those of the text; 0 if there is no such number. */
function measureText({ kind, key }: TaggedText, rows: readonly Row[], from: number): number {
  let shown = ''
  for (let length = 1; shown.length < key.length && from + length <= rows.length; length++) {
    shown += rowKey(rows[from + length - 1]!)
    if (kind !== 'row' && !key.startsWith(shown)) return 0
    if (shown.length === key.length) return kind !== 'row' || sortCharacters(shown) === sortCharacters(key) ? length : 0
  }
  return 0
}

/** Cells of several lines are read line by line across the row, so only their characters can be compared. */
function sortCharacters(text: string): string {
  return [...text].sort().join('')
}

function rowKey({ cells }: Row): string {
  return toKey(cells.map(({ text }) => text).join(''))
}
