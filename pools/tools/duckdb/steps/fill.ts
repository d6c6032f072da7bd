import { Problem } from '#kit'
import type { ColumnParams } from '../../../../tasks/formats/tables/steps/columns.ts'
import { type Column, castText, NUMERIC, toEngineType } from '../read/types.ts'
import { columnOf, columnsOf, keepTexts, numberRows, type Relation, ROW } from '../relation.ts'
import { literal, name, names } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'
import { orderBy } from './sorting.ts'

type Params = ColumnParams['fillna']

export async function fillna(work: Work, { input }: { input: Relation }, params: Params): Promise<StepOutcome> {
  const given = (['values', 'value', 'method'] as const).filter(option => params[option] !== undefined)
  if (given.length === 0) throw new Problem('MISSING_FIELD', { field: 'values', oneOf: ['values', 'value', 'method'] })
  if (given.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: given })
  const isOrdered = params.method !== undefined && ['ffill', 'bfill', 'interpolate'].includes(params.method)
  refuseIdle(params, isOrdered)
  const cells =
    params.method === undefined ? await fillWithValues(work, input, params) : await fillByMethod(work, input, params)
  const replaced = [...cells].map(([column, cell]) => `${cell} AS ${name(column)}`).join(', ')
  if (cells.size === 0) return { table: input }
  const select = isOrdered
    ? `SELECT * EXCLUDE (${ROW}) REPLACE (${replaced}) FROM ${numberRows(input)} ORDER BY ${ROW}`
    : `SELECT * REPLACE (${replaced}) FROM ${input.as}`
  const table = await work.define(select, { isStored: isOrdered })
  return { table: { ...table, texts: keepTexts(input, [...cells.keys()]), rowsOf: input } }
}

/** Refuses what would have no effect. */
function refuseIdle({ values, columns, orderBy: order, partitionBy, method }: Params, isOrdered: boolean): void {
  const by = values ? 'values' : method === undefined ? 'value' : 'method'
  if (values && columns) throw new Problem('CONFLICTING_OPTIONS', { fields: ['values', 'columns'] })
  if (order && !isOrdered) throw new Problem('CONFLICTING_OPTIONS', { fields: [by, 'orderBy'] })
  if (partitionBy && (method === undefined || method === 'zero'))
    throw new Problem('CONFLICTING_OPTIONS', { fields: [by, 'partitionBy'] })
}

async function fillWithValues(
  work: Work,
  input: Relation,
  { values, value, columns }: Params,
): Promise<Map<string, string>> {
  const wanted = values
    ? Object.entries(values).map(([column, each]) => [columnOf(input, column), each] as const)
    : columnsOf(input, columns).map(column => [column, value!] as const)
  const cells = new Map<string, string>()
  for (const [column, each] of wanted) {
    const cast = castText(literal(String(each)), column.type)
    // A number is none of the two values that a boolean has.
    const isOther = column.type === 'boolean' && typeof each === 'number'
    const isWrong = isOther || (await work.database.count(`SELECT (${cast} IS NULL)::INTEGER`)) === 1
    // One value for all columns fills those that can hold it.
    if (isWrong && !values && !columns) continue
    if (isWrong) throw new Problem('TYPE_MISMATCH', { column: column.name, type: column.type, value: each })
    cells.set(column.name, `coalesce(${name(column.name)}, ${cast})`)
  }
  return cells
}

async function fillByMethod(work: Work, input: Relation, params: Params): Promise<Map<string, string>> {
  const { method, columns, partitionBy } = params
  const isNumeric = method !== 'ffill' && method !== 'bfill' && method !== 'mode'
  const chosen = columnsOf(input, columns).filter(
    column => columns !== undefined || !isNumeric || NUMERIC.test(column.type),
  )
  const wrong = chosen.find(column => isNumeric && !NUMERIC.test(column.type))
  if (wrong) throw new Problem('TYPE_MISMATCH', { column: wrong.name, type: wrong.type, method })
  const computed =
    isNumeric && method !== 'zero' ? await leaveWhole(work, input, chosen, columns !== undefined) : chosen
  const order = params.orderBy ? await orderBy(work, input, params.orderBy, true) : ROW
  const group = partitionBy ? `PARTITION BY ${names(columnsOf(input, partitionBy).map(column => column.name))}` : ''
  return new Map(computed.map(column => [column.name, fillCell(column, method!, group, order)]))
}

/** The columns without those that have no gap, and without those whose integers the result would round. */
async function leaveWhole(
  work: Work,
  { as }: Relation,
  chosen: readonly Column[],
  isNamed: boolean,
): Promise<Column[]> {
  if (chosen.length === 0) return []
  const cells = chosen.flatMap(({ name: column, type }, index) => [
    `count(*) > count(${name(column)}) AS m${index}`,
    type === 'integer' || type === 'bigint'
      ? `coalesce(max(abs(${name(column)}::HUGEINT)) > ${Number.MAX_SAFE_INTEGER}, false) AS l${index}`
      : `false AS l${index}`,
  ])
  const found = await work.database.row<Record<string, boolean>>(`SELECT ${cells.join(', ')} FROM ${as}`)
  const withGaps = chosen.filter((_, index) => found[`m${index}`])
  const isLarge = (column: Column) => found[`l${chosen.indexOf(column)}`]
  const bad = withGaps.find(isLarge)
  if (isNamed && bad) {
    const detail = 'its integers have more digits than a number with a fraction keeps'
    throw new Problem('TYPE_MISMATCH', { column: bad.name, type: bad.type, detail })
  }
  return withGaps.filter(column => !isLarge(column))
}

function fillCell({ name: column, type }: Column, method: string, group: string, order: string): string {
  const from = name(column)
  const before = `OVER (${group} ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`
  const after = `OVER (${group} ORDER BY ${order} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)`
  const asType = (value: string) =>
    type === 'number'
      ? value
      : `CAST(${value} AS ${toEngineType(type === 'integer' || type === 'bigint' ? 'number' : type)})`
  switch (method) {
    case 'ffill':
      return `coalesce(${from}, last_value(${from} IGNORE NULLS) ${before})`
    case 'bfill':
      return `coalesce(${from}, first_value(${from} IGNORE NULLS) ${after})`
    case 'zero':
      return `coalesce(${from}, 0)`
    case 'mode':
      return `coalesce(${from}, mode(${from}) OVER (${group}))`
    case 'interpolate':
      return `CASE WHEN ${from} IS NOT NULL THEN ${from}::DOUBLE ELSE ${interpolate(from, group, order)} END`
    default:
      return asType(
        `coalesce(${from}::DOUBLE, ${method === 'mean' ? 'avg' : 'median'}(${from}::DOUBLE) OVER (${group}))`,
      )
  }
}

/** On the line between the values before and after, by the number of rows between them. */
function interpolate(from: string, group: string, order: string): string {
  const before = (value: string) =>
    `last_value(${value} IGNORE NULLS) OVER (${group} ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`
  const after = (value: string) =>
    `first_value(${value} IGNORE NULLS) OVER (${group} ORDER BY ${order} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)`
  const place = `CASE WHEN ${from} IS NOT NULL THEN ${ROW} END`
  const [low, high] = [before(`${from}::DOUBLE`), after(`${from}::DOUBLE`)]
  return `${low} + (${high} - ${low}) * (${ROW} - ${before(place)}) / (${after(place)} - ${before(place)})`
}
