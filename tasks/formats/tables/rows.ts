/** The kind of a cell. PLAIN, QUOTED and DOUBLED (quoted, with escapes) come from CSV; the last three from JSON. */
export const MISSING = 0
export const PLAIN = 1
export const QUOTED = 2
export const DOUBLED = 3
export const STRING = 4
export const SCALAR = 5
export const NESTED = 6

/** Rows read one by one. Each cell is a range of the input bytes, so that values are neither copied nor changed. */
export interface Rows {
  readonly columns: readonly string[]
  readonly bytes: Buffer
  readonly kinds: Uint8Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** Line of the current row, from 1. */
  readonly line: number
  next(): boolean
  rewind(): void
  /** Resolves the escapes of a DOUBLED cell. */
  unescape(text: string): string
}

/** A cell as text; undefined if it is missing or null. */
export function readCell(rows: Rows, column: number): string | undefined {
  const kind = rows.kinds[column]!
  if (kind === MISSING) return undefined
  const text = rows.bytes.toString('utf8', rows.starts[column]!, rows.ends[column]!)
  if (kind === DOUBLED) return rows.unescape(text)
  if (kind === STRING) return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
  return kind === SCALAR && text === 'null' ? undefined : text
}
