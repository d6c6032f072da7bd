import { type Column, toText } from '../../read/types.ts'
import type { Relation } from '../../relation.ts'
import { name } from '../../sql-text.ts'
import type { Work } from '../../work.ts'

/** Columns of one type below each other: `k`, the place of the column among them, `v`, a value, and `t`, its text. */
export interface LongTable {
  as: string
  type: string
  columns: readonly Column[]
}

/** A part of more columns is a query too long to be planned quickly; one of more cells is a copy too large to be kept. */
const [MAX_COLUMNS, MAX_CELLS] = [200, 100_000]

/**
 * Finds out something of each column. A query takes milliseconds however short the table is, so that the columns of wide
 * tables come together, and those of tall tables one by one.
 */
export async function describeEach<Facts>(
  work: Work,
  table: Relation,
  rows: number,
  describe: (part: LongTable) => Promise<Facts[]>,
): Promise<Facts[]> {
  const facts = new Map<Column, Facts>()
  const size = Math.min(MAX_COLUMNS, Math.max(1, Math.floor(MAX_CELLS / Math.max(1, rows))))
  for (const [type, columns] of Map.groupBy(table.columns, column => column.type)) {
    for (let start = 0; start < columns.length; start += size) {
      const part = columns.slice(start, start + size)
      const found = await describePart(work, table, { type, columns: part }, describe)
      for (const [index, column] of part.entries()) facts.set(column, found[index]!)
    }
  }
  return table.columns.map(column => facts.get(column)!)
}

async function describePart<Facts>(
  work: Work,
  table: Relation,
  part: Omit<LongTable, 'as'>,
  describe: (part: LongTable) => Promise<Facts[]>,
): Promise<Facts[]> {
  const isStored = part.columns.length > 1
  const { as } = await work.define(lengthen(table, part), { isStored, columns: [] })
  const found = await describe({ as, ...part })
  await work.database.run(`DROP ${isStored ? 'TABLE' : 'VIEW'} ${as}`)
  return found
}

function lengthen({ as }: Relation, { type, columns }: Omit<LongTable, 'as'>): string {
  const texts = columns.map(column => toText(column))
  // Values of JSON and of other types that we call so have no common type, and no order.
  const values = type === 'json' || type === 'string' ? texts : columns.map(column => name(column.name))
  if (columns.length === 1) return `SELECT 0 AS k, ${values[0]} AS v, ${texts[0]} AS t FROM ${as}`
  return `SELECT unnest(range(${columns.length})) AS k, unnest([${values.join(', ')}]) AS v, unnest([${texts.join(', ')}]) AS t FROM ${as}`
}

/** The rows of a grouped result by column, in the order of the columns. */
export async function rowsByColumn<Row extends object>(
  work: Work,
  { columns }: Pick<LongTable, 'columns'>,
  sql: string,
): Promise<Row[][]> {
  const byColumn: Row[][] = columns.map(() => [])
  for (const row of await work.database.rows<Row & { k: unknown }>(sql)) byColumn[Number(row.k)]!.push(row)
  return byColumn
}

/** The first rows of each column of a grouped result. One column needs no window over all of them. */
export function firstOfEach(
  { columns }: Pick<LongTable, 'columns'>,
  { select, order, limit }: { select: string; order: string; limit: number },
): string {
  if (columns.length === 1) return `${select} ORDER BY ${order} LIMIT ${limit}`
  return `SELECT * FROM (${select}) QUALIFY row_number() OVER (PARTITION BY k ORDER BY ${order}) <= ${limit} ORDER BY k, ${order}`
}
