import { Problem, type Warning } from '#kit'
import type { TableFormat } from '../../../../tasks/formats/tables/steps/input.ts'
import { literal } from '../sql-text.ts'

export const MAX_ROWS = 2_000_000
const MAX_COLUMNS = 2000

/** Texts of a table as columns c0, c1 … of a relation, and what they are. */
export interface RawTable {
  relation: string
  names: string[]
  /** The type of each column, and whether the relation has the columns with their types instead of as texts. */
  types: string[]
  isTyped: boolean
  /** Whether a column has any value; left out: each has one. */
  hasValues?: boolean[]
  /** Whether a column may have empty cells in quotes, which are missing unless it is one of texts; left out: none has. */
  hasBlanks?: boolean[]
  /** By column: its cells as the file writes them, where its values may be written otherwise. */
  texts?: (string | undefined)[]
  /** Returns the number of rows, or rejects with `TypeGuessFailed` if the types are not those of all cells. */
  check?: () => Promise<number>
  /** Absent where the check counts them. */
  rows?: number
  format: TableFormat
  warnings: Warning[]
  decimal: '.' | ','
  outDelimiter?: string
  hasHeader?: boolean
  /** The names of all sheets of a workbook. */
  sheets?: readonly string[]
}

export function checkColumnCount(count: number): void {
  if (count > MAX_COLUMNS) throw new Problem('TOO_MANY_COLUMNS', { limit: MAX_COLUMNS, actual: count })
  if (count === 0) throw new Problem('NOT_TABULAR', { detail: 'the table has no columns' })
}

export function checkRowCount(rows: number): void {
  if (rows > MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS })
}

/** The engine reads a canonical file without guessing; its first column only begins the row. */
export function readCanonicalCsv(path: string, width: number, longestCell: number): string {
  const columns = ['row', ...Array.from({ length: width }, (_, index) => `c${index}`)]
  const types = columns.map(column => `${literal(column)}: 'VARCHAR'`).join(', ')
  const lineBytes = Math.max(2 ** 21, longestCell * 4)
  return `read_csv(${literal(path)}, auto_detect = false, columns = {${types}}, delim = ',', quote = '"', escape = '"', header = false, nullstr = '', allow_quoted_nulls = false, strict_mode = true, new_line = '\\n', max_line_size = ${lineBytes})`
}

/** Names that begin with this one are those of columns that steps add for themselves. */
const OWN_MARK = '\u0001'

function dropMarks(text: string): string {
  return text.startsWith(OWN_MARK) ? dropMarks(text.slice(1)) : text
}

/** Says which columns have not the name that the file gives them. */
export function warnOfRenamed(given: readonly string[], names: readonly string[]): Warning[] {
  const renamed = names.filter((free, index) => given[index] !== '' && dropMarks(given[index]!) !== free)
  if (renamed.length === 0) return []
  const message = `Names that come twice, be it with other capitals, were made distinct: ${renamed.slice(0, 20).join(', ')}.`
  return [{ code: 'DUPLICATE_COLUMN', message }]
}

/** The engine does not tell upper from lower case in names. */
export function distinctNames(given: readonly string[]): string[] {
  const taken = new Set<string>()
  return given.map((text, index) => {
    const given = dropMarks(text)
    const plain = given === '' ? `column${index + 1}` : given
    let free = plain
    for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${plain}_${number}`
    taken.add(free.toLowerCase())
    return free
  })
}
