import { Problem, type Warning } from '#kit'
import type { GroupParams } from '../../../../tasks/formats/tables/steps/groups.ts'
import { type Column, NUMERIC, toEngineType, toText } from '../read/types.ts'
import { columnOf, columnsOf, numberRows, type Relation, requireFree } from '../relation.ts'
import { literal, name, names } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'
import { callAggregate, NEEDS_ORDER, readAggregated } from './groups.ts'
import { findNumberType } from './number-types.ts'

const MAX_ROWS = 2_000_000

interface One {
  input: Relation
}

export async function pivot(work: Work, { input }: One, params: GroupParams['pivot']): Promise<StepOutcome> {
  return params.direction === 'wide' ? pivotWide(work, input, params) : pivotLong(work, input, params)
}

async function pivotWide(work: Work, input: Relation, params: GroupParams['pivot']): Promise<StepOutcome> {
  const { agg, fill, values: wanted } = params
  requireFields(params, wanted === undefined && agg !== 'count' ? ['index', 'columns', 'values'] : ['index', 'columns'])
  refuseFields(params, ['idVars', 'valueVars'])
  refuseOthers(params, { nameTo: 'name', valueTo: 'value' })
  const index = columnsOf(input, params.index)
  const source = wanted === undefined ? undefined : readAggregated(input, wanted, agg)
  const values = source?.column
  if (typeof fill === 'string' && (!values || NUMERIC.test(values.type))) {
    throw new Problem('INVALID_PARAM', { field: 'fill', detail: 'it must be a number, as the values are' })
  }
  const across = columnOf(input, params.columns!)
  const taken = new Set(index.map(column => column.name.toLowerCase()))
  const cells = (await listNewColumns(work, input, across, params.maxColumns)).map(value => {
    const match = value === null ? `${toText(across)} IS NULL` : `${toText(across)} = ${literal(value)}`
    const cell = `${source ? callAggregate(source.column, agg, source) : 'count(*)'} FILTER (WHERE ${match})`
    const filled = fill === undefined ? cell : `coalesce(${cell}, ${literal(fill)})`
    return `${filled} AS ${name(freeName(value ?? 'null', taken))}`
  })
  const list = names(index.map(column => column.name))
  const order = index.map(column => `${name(column.name)} NULLS LAST`).join(', ')
  const from = NEEDS_ORDER.has(agg) ? numberRows(input) : input.as
  const select = `SELECT ${[list, ...cells].join(', ')} FROM ${from} GROUP BY ${list} ORDER BY ${order}`
  return { table: await work.define(select, { isStored: true }) }
}

function requireFields(params: GroupParams['pivot'], fields: readonly (keyof GroupParams['pivot'])[]): void {
  const missing = fields.find(field => params[field] === undefined)
  if (missing !== undefined) throw new Problem('MISSING_FIELD', { field: missing })
}

function refuseFields(params: GroupParams['pivot'], fields: readonly (keyof GroupParams['pivot'])[]): void {
  const given = fields.find(field => params[field] !== undefined)
  if (given !== undefined) throw new Problem('CONFLICTING_OPTIONS', { fields: ['direction', given] })
}

/** Options of the other direction have their defaults. */
function refuseOthers(params: GroupParams['pivot'], defaults: Partial<GroupParams['pivot']>): void {
  const fields = Object.keys(defaults) as (keyof GroupParams['pivot'])[]
  const given = fields.find(field => params[field] !== undefined && params[field] !== defaults[field])
  if (given !== undefined) throw new Problem('CONFLICTING_OPTIONS', { fields: ['direction', given] })
}

/** The values of a column that become columns themselves, in their order. */
async function listNewColumns(work: Work, { as }: Relation, across: Column, limit: number): Promise<(string | null)[]> {
  const from = name(across.name)
  const distinct = `SELECT ${toText(across)} AS value FROM (SELECT DISTINCT ${from} FROM ${as})`
  const select = `${distinct} ORDER BY ${from} NULLS LAST LIMIT ${limit + 1}`
  const found = await work.attempt(() => work.database.rows<{ value: string | null }>(select))
  if (found.length <= limit) return found.map(({ value }) => value)
  const count = await work.database.count(`SELECT count(DISTINCT ${from}) FROM ${as}`)
  throw new Problem('TOO_MANY_COLUMNS', { limit, distinct: count })
}

function freeName(wanted: string, taken: Set<string>): string {
  const plain = wanted === '' ? 'empty' : wanted
  let free = plain
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${plain}_${number}`
  taken.add(free.toLowerCase())
  return free
}

async function pivotLong(work: Work, input: Relation, params: GroupParams['pivot']): Promise<StepOutcome> {
  const { nameTo, valueTo } = params
  refuseFields(params, ['index', 'columns', 'values', 'fill'])
  refuseOthers(params, { agg: 'sum', maxColumns: 500 })
  const { ids, values } = chooseColumns(input, params)
  const taken = [...ids]
  for (const wanted of [nameTo, valueTo]) {
    requireFree(taken, wanted)
    taken.push({ name: wanted, type: 'string' })
  }
  const total = (await work.countRows(input)) * values.length
  if (total > MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS, actual: total })
  const { type, warnings } = await chooseType(work, input, values)
  const cell = (column: Column) => {
    if (column.type === type) return name(column.name)
    if (input.empty?.has(column.name)) return `CAST(NULL AS ${toEngineType(type)})`
    return type === 'string' ? toText(column) : `CAST(${name(column.name)} AS ${toEngineType(type)})`
  }
  const cells = [
    ...ids.map(column => name(column.name)),
    `unnest([${values.map(column => literal(column.name)).join(', ')}]) AS ${name(nameTo)}`,
    `unnest([${values.map(cell).join(', ')}]) AS ${name(valueTo)}`,
  ]
  return { table: await work.define(`SELECT ${cells.join(', ')} FROM ${input.as}`), warnings }
}

/** The type of the one column that several columns become. */
async function chooseType(
  work: Work,
  { as, empty }: Relation,
  values: readonly Column[],
): Promise<{ type: string; warnings: Warning[] }> {
  const filled = values.filter(column => !empty?.has(column.name))
  const types = [...new Set((filled.length > 0 ? filled : values).map(column => column.type))]
  if (types.length === 1) return { type: types[0]!, warnings: [] }
  const isNumeric = types.every(type => NUMERIC.test(type))
  const found = isNumeric
    ? await findNumberType(
        work,
        filled.map(column => ({ ...column, as })),
      )
    : undefined
  if (found !== undefined) return { type: found, warnings: [] }
  const message = `The columns have different types (${types.join(', ')}); their values were made text.`
  return { type: 'string', warnings: [{ code: 'TYPE_CONFLICT', message }] }
}

function chooseColumns(
  input: Relation,
  { idVars, valueVars }: GroupParams['pivot'],
): { ids: Column[]; values: Column[] } {
  const given = { ids: idVars && columnsOf(input, idVars), values: valueVars && columnsOf(input, valueVars) }
  const ids = given.ids ?? input.columns.filter(column => given.values && !given.values.includes(column))
  const values = given.values ?? input.columns.filter(column => !ids.includes(column))
  if (values.length === 0) throw new Problem('COLUMN_NOT_FOUND', { detail: 'no column is left to become rows' })
  return { ids, values }
}
