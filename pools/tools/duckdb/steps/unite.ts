import { Problem, type Warning } from '#kit'
import type { RowParams } from '../../../../tasks/formats/tables/steps/rows.ts'
import { type Column, NUMERIC, toEngineType, toText } from '../read/types.ts'
import { type Relation, requireFree, TEXT_MARK } from '../relation.ts'
import { literal, name } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'
import { findNumberType } from './number-types.ts'
import { distinctRows } from './rows.ts'

const MAX_ROWS = 2_000_000

/** Appends tables. The roles of the inputs are their positions; `labels` name them in `sourceColumn`. */
export async function union(
  work: Work,
  inputs: Record<string, Relation>,
  { mode, distinct, sourceColumn, missing, labels }: RowParams['union'] & { labels?: string[] },
): Promise<StepOutcome> {
  const tables = Object.keys(inputs)
    .sort((a, b) => Number(a) - Number(b))
    .map(role => inputs[role]!)
  const total = (await Promise.all(tables.map(table => work.countRows(table)))).reduce((sum, rows) => sum + rows, 0)
  if (total > MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS, actual: total })
  const warnings: Warning[] = []
  const given = mode === 'by-name' ? alignByName(tables, missing === 'error', warnings) : alignByPosition(tables)
  // A column without any value fits every type.
  const aligned = given.map(column => ({ ...column, sources: column.sources.map(dropEmpty) }))
  const columns: (Column & Aligned)[] = []
  for (const { name: column, sources } of aligned) {
    columns.push({ name: column, type: await unify(work, tables, { name: column, sources }, warnings), sources })
  }
  if (sourceColumn !== undefined) requireFree(columns, sourceColumn)
  const hidden = hideTexts(tables, columns)
  const parts = tables.map((table, index) => {
    const cells = columns.map(
      ({ name: column, type, sources }) => `${convert(sources[index], type)} AS ${name(column)}`,
    )
    if (sourceColumn !== undefined)
      cells.push(`${literal(labels?.[index] ?? String(index + 1))} AS ${name(sourceColumn)}`)
    const texts = hidden.map(({ as, sources }) => `${selectText(table, sources[index])} AS ${name(as)}`)
    return `SELECT ${[...cells, ...texts].join(', ')} FROM ${table.as}`
  })
  const united = await work.define(parts.join(' UNION ALL '))
  const table = { ...united, texts: new Map(hidden.map(({ column, as }) => [column, as])) }
  return { table: distinct ? await distinctRows(work, table) : table, warnings }

  function dropEmpty(source: Column | undefined, index: number): Column | undefined {
    return source && tables[index]!.empty?.has(source.name) ? undefined : source
  }
}

/** Columns that have cells in any table which are kept as they are written. */
function hideTexts(tables: readonly Relation[], columns: readonly Aligned[]) {
  const hasText = ({ sources }: Aligned) =>
    sources.some((source, index) => source && tables[index]!.texts?.has(source.name))
  return columns
    .filter(hasText)
    .map(({ name: column, sources }, index) => ({ column, sources, as: `${TEXT_MARK}${index}` }))
}

function selectText({ texts }: Relation, source: Column | undefined): string {
  if (!source) return 'CAST(NULL AS VARCHAR)'
  const hidden = texts?.get(source.name)
  return hidden === undefined ? toText(source) : name(hidden)
}

interface Aligned {
  name: string
  /** The column of each table; undefined where it has none. */
  sources: (Column | undefined)[]
}

function alignByName(tables: readonly Relation[], mustHave: boolean, warnings: Warning[]): Aligned[] {
  const all = new Map<string, Aligned>()
  const otherNames = new Set<string>()
  for (const [index, { columns }] of tables.entries()) {
    for (const column of columns) {
      const key = column.name.toLowerCase()
      const known = all.get(key) ?? { name: column.name, sources: tables.map(() => undefined) }
      known.sources[index] = column
      if (known.name !== column.name) otherNames.add(`${known.name} and ${column.name}`)
      all.set(key, known)
    }
  }
  for (const { name: column, sources } of all.values()) {
    const file = sources.indexOf(undefined)
    if (mustHave && file >= 0) throw new Problem('SCHEMA_MISMATCH', { file: file + 1, column })
  }
  if (otherNames.size > 0) warnings.push(createMergeWarning([...otherNames]))
  return [...all.values()]
}

function createMergeWarning(pairs: readonly string[]): Warning {
  const message = `Names that differ in nothing but capitals are one column: ${pairs.slice(0, 20).join('; ')}.`
  return { code: 'DUPLICATE_COLUMN', message }
}

function alignByPosition(tables: readonly Relation[]): Aligned[] {
  const [first] = tables as [Relation]
  const other = tables.findIndex(({ columns }) => columns.length !== first.columns.length)
  if (other >= 0)
    throw new Problem('SCHEMA_MISMATCH', {
      file: other + 1,
      columns: tables[other]!.columns.length,
      expected: first.columns.length,
    })
  return first.columns.map((column, index) => ({
    name: column.name,
    sources: tables.map(({ columns }) => columns[index]),
  }))
}

async function unify(
  work: Work,
  tables: readonly Relation[],
  { name: column, sources }: Aligned,
  warnings: Warning[],
): Promise<string> {
  const types = new Set(sources.flatMap(source => (source ? [source.type] : [])))
  if (types.size <= 1) return [...types][0] ?? 'string'
  if ([...types].every(type => NUMERIC.test(type))) {
    const found = await findNumberType(
      work,
      sources.flatMap((source, index) => (source ? [{ ...source, as: tables[index]!.as }] : [])),
    )
    if (found !== undefined) return found
  }
  warnings.push({
    code: 'TYPE_CONFLICT',
    message: `The column ${column} has different types (${[...types].join(', ')}); it was made text.`,
  })
  return 'string'
}

function convert(source: Column | undefined, type: string): string {
  if (!source) return `CAST(NULL AS ${toEngineType(type)})`
  if (source.type === type) return name(source.name)
  return type === 'string' ? toText(source) : `CAST(${name(source.name)} AS ${toEngineType(type)})`
}
