/** What a cell is. MISSING is not there; QUOTED stood in quotes, DOUBLED has escapes in it; the rest are JSON. */
export const MISSING = 0
export const PLAIN = 1
export const QUOTED = 2
export const DOUBLED = 3
export const STRING = 4
export const SCALAR = 5
export const NESTED = 6

/** Rows one after the other, each cell a stretch of the bytes it was read from: nothing is copied or changed. */
export interface Rows {
  readonly columns: readonly string[]
  readonly bytes: Buffer
  readonly kinds: Uint8Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** Of the row at hand, from 1. */
  readonly line: number
  next(): boolean
  rewind(): void
  /** The text of a DOUBLED cell. */
  unescape(text: string): string
}

/** What a cell says, as text; nothing where it is missing or null. */
export function textAt(rows: Rows, column: number): string | undefined {
  const kind = rows.kinds[column]!
  if (kind === MISSING) return undefined
  const text = rows.bytes.toString('utf8', rows.starts[column]!, rows.ends[column]!)
  if (kind === DOUBLED) return rows.unescape(text)
  if (kind === STRING) return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
  return kind === SCALAR && text === 'null' ? undefined : text
}
