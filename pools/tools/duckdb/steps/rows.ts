import { Problem } from '#kit'
import type { RowParams } from '../../../../tasks/formats/tables/steps/rows.ts'
import { compilePredicate } from '../predicate.ts'
import { columnsOf, numberRows, type Relation, ROW } from '../relation.ts'
import { joinConditions, name } from '../sql-text.ts'
import { warnOfTextComparisons, warnOfTextOrder } from '../text-order.ts'
import type { StepOutcome, Work } from '../work.ts'
import { orderBy } from './sorting.ts'

interface One {
  input: Relation
}

export async function filter(work: Work, { input }: One, { where, invert }: RowParams['filter']): Promise<StepOutcome> {
  const matches = await compilePredicate(work, where, input, 'where')
  const select = `SELECT * FROM ${input.as} AS input WHERE ${invert ? 'NOT ' : ''}${matches}`
  const table = await work.define(select, { from: input, columns: input.columns })
  return { table, warnings: warnOfTextComparisons(where, input) }
}

export async function sort(work: Work, { input }: One, { by, limit }: RowParams['sort']): Promise<StepOutcome> {
  const order = await orderBy(work, input, by, true)
  const end = limit === undefined ? '' : ` LIMIT ${limit}`
  const table = await work.define(`SELECT * EXCLUDE (${ROW}) FROM ${numberRows(input)} ORDER BY ${order}${end}`, {
    isStored: true,
    columns: input.columns,
  })
  return { table, warnings: await warnOfTextOrder(work, input, by) }
}

export async function slice(work: Work, { input }: One, params: RowParams['slice']): Promise<StepOutcome> {
  const rows = await work.countRows(input)
  const { first, count } = findRange(params, rows)
  const { step } = params
  if (step === 1) return { table: await work.define(`SELECT * FROM ${input.as} LIMIT ${count} OFFSET ${first}`) }
  const chosen = `${ROW} > ${first} AND (${ROW} - 1 - ${first}) % ${step} = 0`
  const select = `SELECT * EXCLUDE (${ROW}) FROM ${numberRows(input)} WHERE ${chosen} ORDER BY ${ROW} LIMIT ${count}`
  return { table: await work.define(select, { isStored: true }) }
}

/** The rows to skip, and how many may follow. */
function findRange(params: RowParams['slice'], rows: number): { first: number; count: number } {
  const { offset, limit, from, to, step } = params
  if (from === undefined && to === undefined) return findOffset(offset ?? 0, limit, rows)
  if (offset !== undefined || limit !== undefined) {
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['from', 'to', 'offset', 'limit'] })
  }
  const [first, last] = [from ?? 1, to ?? rows]
  const isOutside = first > 1 && (first > last || first > rows)
  if (isOutside) throw new Problem('BAD_RANGE', { from: first, to: last, rows })
  return { first: first - 1, count: Math.max(0, Math.ceil((last - first + 1) / step)) }
}

function findOffset(offset: number, limit: number | undefined, rows: number): { first: number; count: number } {
  if (limit === undefined) throw new Problem('MISSING_FIELD', { field: 'limit', oneOf: ['limit', 'from'] })
  return { first: offset < 0 ? Math.max(0, rows + offset) : offset, count: limit }
}

export async function dropna(work: Work, { input }: One, params: RowParams['dropna']): Promise<StepOutcome> {
  const { columns, how, thresh, emptyAsNull, axis } = params
  const checked = columnsOf(input, columns)
  const hasValue = checked.map(column => {
    const isText = emptyAsNull && column.type === 'string'
    return isText
      ? `(${name(column.name)} IS NOT NULL AND ${name(column.name)} <> '')`
      : `(${name(column.name)} IS NOT NULL)`
  })
  if (axis === 'rows') {
    const needed = thresh ?? (how === 'any' ? hasValue.length : 1)
    const filled = joinConditions(
      hasValue.map(value => `${value}::INTEGER`),
      '+',
    )
    return { table: await work.define(`SELECT * FROM ${input.as} WHERE ${filled} >= ${needed}`) }
  }
  const counts = await work.database.row<Record<string, string>>(
    `SELECT count(*) AS total, ${hasValue.map((value, index) => `count(*) FILTER (WHERE ${value}) AS c${index}`).join(', ')} FROM ${input.as}`,
  )
  const total = Number(counts.total)
  const needed = thresh ?? (how === 'any' ? total : Math.min(1, total))
  const dropped = new Set(checked.filter((_, index) => Number(counts[`c${index}`]) < needed).map(column => column.name))
  const kept = input.columns.filter(column => !dropped.has(column.name))
  if (kept.length === 0) throw new Problem('NOT_TABULAR', { detail: 'no column is left' })
  const hidden = kept.flatMap(column => input.texts?.get(column.name) ?? [])
  const selected = [...kept.map(column => column.name), ...hidden].map(name)
  const table = await work.define(`SELECT ${selected.join(', ')} FROM ${input.as}`)
  return { table, facts: { dropped: [...dropped] } }
}

export async function distinctRows(work: Work, input: Relation): Promise<Relation> {
  const all = input.columns.map(column => name(column.name)).join(', ')
  const first = `SELECT * FROM ${numberRows(input)} QUALIFY row_number() OVER (PARTITION BY ${all} ORDER BY ${ROW}) = 1`
  const table = await work.define(`SELECT * EXCLUDE (${ROW}) FROM (${first}) ORDER BY ${ROW}`, { isStored: true })
  return { ...table, texts: input.texts }
}
