import { Problem, type Warning } from '#kit'
import type { TableFormat } from '../../../../tasks/formats/tables/steps/input.ts'
import type { Database } from '../database.ts'
import type { SourceTable } from '../plan.ts'
import { explainFailure } from '../problems.ts'
import { literal, name } from '../sql-text.ts'
import { checkColumnCount, MAX_ROWS, type RawTable } from './raw-table.ts'
import { type Column, castText, fromEngineType, toEngineType, toText } from './types.ts'

// After a failure the whole file is decoded to learn whose fault it was: texts of the engine change with its releases,
// and calls that succeed pay nothing.

export interface LoadedTable {
  columns: Column[]
  /** Absent where the check counts them. */
  rows?: number
  format: TableFormat
  warnings: Warning[]
  /** Whether the rows are read again from a text at every use. */
  isUnread: boolean
  empty?: ReadonlySet<string>
  texts?: ReadonlyMap<string, string>
  outDelimiter?: string
  hasHeader?: boolean
  check?: RawTable['check']
  sheets?: RawTable['sheets']
}

export interface LoadOptions {
  /** The name that the table gets in the database. */
  as: string
  /** The path of the file. */
  file: string
  /** The types of a large text are guessed from its first rows, and checked while they are read. */
  mayGuess: boolean
  /** Whether other tables are read from the same file. */
  isShared: boolean
  /** Columns, in lower case, that stay as they are in a text. */
  asText: ReadonlySet<string>
  /** Except in JSON, whose values have types. */
  keepsJson: boolean
  /** In JSON, whether a text and a number in one column stay apart. */
  keepsMixed: boolean
  /** Whether the cells of CSV are kept as they are written too. */
  carriesTexts: boolean
}

const MAX_DIGITS = 38

export function checkTypedNames(types: Record<string, string>, columns: readonly string[]): void {
  const unknown = Object.keys(types).find(column => !columns.includes(column))
  if (unknown !== undefined)
    throw new Problem('COLUMN_NOT_FOUND', { column: unknown, available: columns.slice(0, 100) })
}

export async function loadParquet(
  database: Database,
  { settings }: SourceTable,
  { file, as }: LoadOptions,
): Promise<LoadedTable> {
  const source = `read_parquet(${literal(file)})`
  try {
    await checkDecimals(database, file)
    const described = await database.rows<{ column_name: string; column_type: string }>(
      `DESCRIBE SELECT * FROM ${source}`,
    )
    checkColumnCount(described.length)
    const { types = {} } = settings
    const columns = described.map(({ column_name, column_type }) => ({
      name: column_name,
      type: fromEngineType(column_type),
    }))
    checkTypedNames(
      types,
      columns.map(column => column.name),
    )
    const cells = columns.map((column, index) => {
      const wanted = types[column.name]
      if (wanted !== undefined) return castText(toText(column), wanted)
      return normalize(column, described[index]!.column_type)
    })
    const select = columns.map((column, index) => `${cells[index]} AS ${name(column.name)}`).join(', ')
    await database.run(`CREATE VIEW ${name(as)} AS SELECT ${select} FROM ${source}`)
    const rows = await database.count(`SELECT count(*) FROM ${source}`)
    if (rows > MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS, actual: rows })
    const fine = described.filter(
      ({ column_name, column_type }) => column_type === 'TIMESTAMP_NS' && types[column_name] === undefined,
    )
    const warnings = await warnOfShortened(
      database,
      source,
      fine.map(column => column.column_name),
    )
    const typed = columns.map(column => ({ ...column, type: types[column.name] ?? column.type }))
    return { columns: typed, rows, format: 'parquet', warnings, isUnread: false }
  } catch (error) {
    if (error instanceof Problem) throw error
    const explained = explainFailure(error, { kind: 'sql', memoryMb: 0 })
    if (explained instanceof Problem && explained.code === 'MEMORY_LIMIT_EXCEEDED') throw explained
    throw createProblem(error, file)
  }
}

/** The engine reads decimals of more digits than its own as numbers of another value. */
async function checkDecimals(database: Database, file: string): Promise<void> {
  const [wide] = await database.rows<{ name: string; digits: string }>(
    `SELECT name, "precision"::VARCHAR AS digits FROM parquet_schema(${literal(file)}) WHERE "precision" > ${MAX_DIGITS} LIMIT 1`,
  )
  if (!wide) return
  const detail = `the column ${wide.name.slice(0, 80)} has decimals of ${wide.digits} digits, and at most ${MAX_DIGITS} can be read`
  throw new Problem('PARQUET_PARSE_FAILED', { detail })
}

/** Times are kept with six digits of a second. */
async function warnOfShortened(database: Database, source: string, columns: readonly string[]): Promise<Warning[]> {
  if (columns.length === 0) return []
  const checks = columns.map(
    (column, index) => `coalesce(bool_or(epoch_ns(${name(column)}) % 1000 <> 0), false) AS c${index}`,
  )
  const row = await database.row<Record<string, boolean>>(`SELECT ${checks.join(', ')} FROM ${source}`)
  const shortened = columns.filter((_, index) => row[`c${index}`])
  if (shortened.length === 0) return []
  const message = `Times lost what is finer than a microsecond, in ${shortened.slice(0, 10).join(', ')}; give them the type string to keep it.`
  return [{ code: 'TIMES_SHORTENED', message }]
}

function createProblem(error: unknown, file: string): Problem {
  const detail = (error as Error).message.split('\n', 1)[0]!.replaceAll(file, 'the file').slice(0, 200)
  return new Problem('PARQUET_PARSE_FAILED', { detail })
}

/** Decodes every value of a loaded file. */
export async function checkParquet(database: Database, { file, as }: Pick<LoadOptions, 'file' | 'as'>): Promise<void> {
  try {
    await database.row(`SELECT max(hash(COLUMNS(*))) FROM ${name(as)}`)
  } catch (error) {
    throw createProblem(error, file)
  }
}

/** Kinds of numbers and times that only some formats know become those that all of them know. */
function normalize({ name: column, type }: Column, engineType: string): string {
  const isKept = type === 'json' || type === 'binary' || engineType === toEngineType(type)
  return isKept ? name(column) : `CAST(${name(column)} AS ${type === 'interval' ? 'VARCHAR' : toEngineType(type)})`
}
