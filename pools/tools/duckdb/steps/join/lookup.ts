import type { Column } from '../../read/types.ts'
import type { Relation } from '../../relation.ts'
import { literal, name } from '../../sql-text.ts'
import type { Work } from '../../work.ts'

interface Lookup {
  left: Relation
  right: Relation
  /** Columns of both sides, of the same types. Those of the right table are never null, and no two rows have the same. */
  keys: readonly (readonly [left: Column, right: Column])[]
  /** A name that no column has. */
  found: string
  /** The cells of the result, over `l` and its column of this name. */
  cells: readonly string[]
  /** Whether rows of the left table without a match are left out. */
  isInner: boolean
}

/**
 * A join in which each row of the left table matches one row at most, as a query that looks that row up: its result has
 * the order of the left table without being sorted. Undefined if the engine would compute it in another way.
 */
export async function planLookup(work: Work, given: Lookup): Promise<string | undefined> {
  const { left, right, keys, found, cells, isInner } = given
  const taken = [...right.columns.map(column => column.name), ...(right.texts?.values() ?? [])]
  const packed = taken.map(column => `${literal(column)}: r.${name(column)}`)
  const on = keys.map(([one, two]) => `r.${name(two.name)} = l.${name(one.name)}`)
  const match = `SELECT {${packed.join(', ')}} FROM ${right.as} AS r WHERE ${on.join(' AND ')}`
  const matched = `SELECT l.*, (${match}) AS ${name(found)} FROM ${left.as} AS l`
  const where = isInner ? ` WHERE ${name(found)} IS NOT NULL` : ''
  const select = `SELECT ${cells.join(', ')} FROM (${matched}) AS l${where}`
  const plan = await work.attempt(() => work.database.explain(select))
  return (plan.match(/\w*JOIN\b|Join Type: *\w+/g) ?? []).join() === 'HASH_JOIN,Join Type: SINGLE' ? select : undefined
}

/** A cell of the row that was found. */
export function foundCell(found: string, column: string): string {
  return `struct_extract(l.${name(found)}, ${literal(column)})`
}
