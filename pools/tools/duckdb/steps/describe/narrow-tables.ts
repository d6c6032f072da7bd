import type { Column } from '../../read/types.ts'
import type { Relation } from '../../relation.ts'
import { names } from '../../sql-text.ts'
import type { Work } from '../../work.ts'

const MAX_COLUMNS = 100

/** Finds out something of each column. Every query over a wide table takes long, so that its columns come in narrow ones. */
export async function describeEach<Facts>(
  work: Work,
  table: Relation,
  describe: (part: Relation, column: Column) => Promise<Facts>,
): Promise<Facts[]> {
  const isWide = table.columns.length > MAX_COLUMNS
  const facts: Facts[] = []
  for (let start = 0; start < table.columns.length; start += MAX_COLUMNS) {
    const columns = table.columns.slice(start, start + MAX_COLUMNS)
    const select = `SELECT ${names(columns.map(column => column.name))} FROM ${table.as}`
    const part = isWide ? await work.define(select, { isStored: true, columns }) : table
    for (const column of columns) facts.push(await describe(part, column))
    if (isWide) await work.database.run(`DROP TABLE ${part.as}`)
  }
  return facts
}
