import { Problem } from '#kit'
import { findColumn } from '../../../tasks/formats/tables/column-names.ts'
import type { Column } from './read/types.ts'

/** A table of the database, and what is known of it. */
export interface Relation {
  /** Its name in quotes. */
  as: string
  columns: readonly Column[]
  rows?: number
  /** Columns without any value, whose types say nothing. */
  empty?: ReadonlySet<string>
  /** By column: the hidden one that has its cells as the file writes them. */
  texts?: ReadonlyMap<string, string>
  /** The number of rows, where something else counts them meanwhile. */
  counting?: Promise<number>
  /** A table with as many rows, whose number may be known. */
  rowsOf?: Relation
  /** That of the file which it is, as long as no step has changed it. */
  format?: string
  /** Whether it is a table, which numbers its rows by itself, and not a view. */
  isStored?: boolean
  /** Of a text that is read again at every use, and of a view over one: its SELECT, and what it reads. */
  unread?: { select?: string; from?: Relation }
}

/** The type of a column, as far as its values say one. */
export function knownType({ empty }: Pick<Relation, 'empty'>, { name, type }: Column): string {
  return empty?.has(name) ? 'unknown' : type
}

/** The table whose number of rows is that of the given one. */
export function counted(table: Relation): Relation {
  return table.rowsOf ? counted(table.rowsOf) : table
}

/** Views over a text, the first to the given one. */
export function listViews(table: Relation): Relation[] {
  const { select, from } = table.unread ?? {}
  return select === undefined ? [] : [...listViews(from!), table]
}

/** Those whose rows are not counted. */
export function listUncounted(table: Relation): Relation[] {
  return listViews(table).filter(({ rowsOf, rows }) => rowsOf === undefined && rows === undefined)
}

/** The number of a row in the order of its table, for statements that must keep that order. No column begins so. */
export const ROW = '"\u0001row"'

/** The texts of all columns but those that a step changes. */
export function keepTexts({ texts = new Map() }: Relation, changed: readonly string[]): ReadonlyMap<string, string> {
  const others = new Set(changed.map(column => column.toLowerCase()))
  return new Map([...texts].filter(([column]) => !others.has(column.toLowerCase())))
}

/** Hidden columns begin so, as no other does. */
export const TEXT_MARK = '\u0001text '

/** A column by its name; without one of that very name, by the same name in other case. */
export function columnOf({ columns }: Pick<Relation, 'columns'>, wanted: string): Column {
  const exact = columns.find(column => column.name === wanted)
  const same = exact ?? columns.find(column => column.name.toLowerCase() === wanted.toLowerCase())
  return (
    same ??
    columns[
      findColumn(
        columns.map(column => column.name),
        wanted,
      )
    ]!
  )
}

export function columnsOf(table: Pick<Relation, 'columns'>, wanted: readonly string[] | undefined): Column[] {
  if (!wanted) return [...table.columns]
  const found = wanted.map(each => columnOf(table, each))
  const twice = found.find((column, index) => found.indexOf(column) < index)
  if (twice) throw new Problem('INVALID_PARAM', { field: 'columns', column: twice.name, detail: 'it is named twice' })
  return found
}

/** A table with the number of each row. */
export function numberRows({ as }: Relation): string {
  return `(SELECT *, row_number() OVER () AS ${ROW} FROM ${as})`
}

export function requireFree(columns: readonly Column[], wanted: string): void {
  if (columns.some(column => column.name.toLowerCase() === wanted.toLowerCase()))
    throw new Problem('COLUMN_EXISTS', { column: wanted })
}

/** With which none of these names begins. */
export function findFreeMark(taken: readonly string[]): string {
  let mark = '#'
  while (taken.some(each => each.startsWith(mark))) mark += '#'
  return mark
}

/** Throws if two tables have one name but for capitals, which the engine does not tell apart. */
export function requireDistinctNames(tables: readonly string[]): void {
  const known = new Map<string, string>()
  for (const table of tables) {
    const other = known.get(table.toLowerCase())
    if (other !== undefined)
      throw new Problem('INVALID_PARAM', { field: 'tables', detail: `${other} and ${table} are one name in SQL` })
    known.set(table.toLowerCase(), table)
  }
}
