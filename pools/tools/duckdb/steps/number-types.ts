import { type Column, unifyNumbers } from '../read/types.ts'
import { name } from '../sql-text.ts'
import type { Work } from '../work.ts'

/** The type that holds the numbers of several columns, each of its table; undefined if it might round one of them. */
export async function findNumberType(
  work: Work,
  columns: readonly (Column & { as: string })[],
): Promise<string | undefined> {
  const types = [...new Set(columns.map(({ type }) => type))]
  if (types.length === 1) return types[0]
  let hasLarge = false
  for (const { as, name: column, type } of types.includes('number') ? columns : []) {
    if (hasLarge || (type !== 'integer' && type !== 'bigint')) continue
    const isLarge = `coalesce(max(abs(${name(column)}::HUGEINT)) > ${Number.MAX_SAFE_INTEGER}, false)`
    hasLarge = (await work.database.count(`SELECT (${isLarge})::INTEGER FROM ${as}`)) === 1
  }
  return unifyNumbers(types, hasLarge)
}
