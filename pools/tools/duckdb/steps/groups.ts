import { Problem } from '#kit'
import type { AggregateColumn, GroupParams } from '../../../../tasks/formats/tables/steps/groups.ts'
import { compilePredicate } from '../predicate.ts'
import { type Column, NUMERIC, toText } from '../read/types.ts'
import {
  columnOf,
  columnsOf,
  counted,
  findFreeMark,
  listUncounted,
  listViews,
  numberRows,
  type Relation,
  ROW,
} from '../relation.ts'
import { literal, name, names } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'
import { orderBy } from './sorting.ts'

type Params = GroupParams['groupby']

interface One {
  input: Relation
}

const NEEDS_NUMBERS = new Set(['sum', 'mean', 'median', 'std', 'var', 'quantile'])
/** Aggregates whose result depends on the order of the rows. */
export const NEEDS_ORDER = new Set(['first', 'last', 'list', 'concat'])

/** Whether the groups can tell how many rows there were in their input and before each filter that led to it. */
export function countsItsInput({ aggs, totals }: Pick<Params, 'aggs' | 'totals'>): boolean {
  return totals === 'none' && !aggs.some(({ fn }) => NEEDS_ORDER.has(fn))
}

export async function groupby(work: Work, { input }: One, params: Params): Promise<StepOutcome> {
  const { by, aggs, having, sort, totals } = params
  const keys = by.length === 0 ? [] : columnsOf(input, by)
  const cells = await listAggregates(work, input, keys, aggs)
  const from = aggs.some(({ fn }) => NEEDS_ORDER.has(fn)) ? numberRows(input) : input.as
  const mark = findFreeMark([...keys.map(key => key.name), ...aggs.map(({ as, column }) => as ?? column ?? '')])
  const flags =
    totals === 'none' ? [] : keys.map((key, index) => `grouping(${name(key.name)}) AS ${name(mark + index)}`)
  const counts = countsItsInput(params) ? countInputs(input, mark) : undefined
  const list = [...keys.map(key => name(key.name)), ...cells, ...flags, ...(counts?.cells ?? [])].join(', ')
  const select = `${counts?.views ?? ''}SELECT ${list} FROM ${from} AS input${groupClause(keys, totals)}`
  const grouped = await work.define(select, { isStored: true })
  await counts?.read(work, grouped)
  const shown = { ...grouped, columns: grouped.columns.slice(0, keys.length + cells.length) }
  const kept = having === undefined ? '' : ` WHERE ${await compilePredicate(work, having, shown, 'having')}`
  const usual = keys.map(
    (key, index) => `${flags.length > 0 ? `${name(mark + index)}, ` : ''}${name(key.name)} NULLS LAST`,
  )
  const order = sort ? await orderBy(work, shown, sort, false) : usual.join(', ')
  const columns = names(shown.columns.map(column => column.name))
  const ordered = `SELECT ${columns} FROM ${grouped.as} AS input${kept}${order ? ` ORDER BY ${order}` : ''}`
  return { table: await work.define(ordered, { isStored: true, columns: shown.columns }) }
}

/**
 * Columns beside the groups that count the rows of filters over a text, which is read once for all. A filter before the
 * last one is a query of its own within the statement, and the engine keeps its rows for both uses.
 */
function countInputs(input: Relation, mark: string) {
  const uncounted = listUncounted(input)
  if (uncounted.length === 0) return undefined
  const last = counted(input)
  const earlier = uncounted.filter(table => table !== last)
  const views = listViews(input).map(
    table => `${table.as} AS ${earlier.includes(table) ? '' : 'NOT '}MATERIALIZED (${table.unread!.select})`,
  )
  const cells = earlier.map((table, index) => `(SELECT count(*) FROM ${table.as}) AS ${name(mark + index)}`)
  return {
    views: earlier.length > 0 ? `WITH ${views.join(', ')} ` : '',
    cells: [`count(*) AS ${name(mark)}`, ...cells],
    async read(work: Work, grouped: Relation): Promise<void> {
      const found = [
        `sum(${name(mark)}) AS n`,
        ...earlier.map((_, index) => `any_value(${name(mark + index)}) AS n${index}`),
      ]
      const row = await work.database.row<Record<string, string | null>>(
        `SELECT ${found.join(', ')} FROM ${grouped.as}`,
      )
      last.rows = Number(row.n)
      // Without any group nothing tells them.
      for (const [index, table] of earlier.entries()) {
        const rows = row[`n${index}`]
        if (rows !== null && rows !== undefined) table.rows = Number(rows)
      }
    },
  }
}

function groupClause(keys: readonly Column[], totals: GroupParams['groupby']['totals']): string {
  if (keys.length === 0) return ''
  const list = names(keys.map(key => key.name))
  const sets = { none: list, grand: `GROUPING SETS ((${list}), ())`, rollup: `ROLLUP (${list})` }
  return ` GROUP BY ${sets[totals]}`
}

async function listAggregates(
  work: Work,
  input: Relation,
  keys: readonly Column[],
  aggregates: readonly AggregateColumn[],
): Promise<string[]> {
  const taken = new Set(keys.map(key => key.name.toLowerCase()))
  const cells: string[] = []
  for (const [index, aggregate] of aggregates.entries()) {
    const { column, fn, where, as = column === undefined ? fn : `${column}_${fn}` } = aggregate
    if (taken.has(as.toLowerCase())) throw new Problem('COLUMN_EXISTS', { column: as, field: `aggs.${index}.as` })
    taken.add(as.toLowerCase())
    const condition = where === undefined ? '' : await compilePredicate(work, where, input, `aggs.${index}.where`)
    const filter = condition && ` FILTER (WHERE ${condition})`
    cells.push(`${aggregateCell(input, aggregate, index)}${filter} AS ${name(as)}`)
  }
  return cells
}

function aggregateCell(input: Relation, { column: wanted, fn, q, sep }: AggregateColumn, index: number): string {
  if (wanted === undefined) {
    if (fn === 'count') return 'count(*)'
    throw new Problem('MISSING_FIELD', { field: `aggs.${index}.column` })
  }
  const { column, from } = readAggregated(input, wanted, fn)
  const idle = q !== undefined && fn !== 'quantile' ? 'q' : sep !== undefined && fn !== 'concat' ? 'sep' : undefined
  if (idle) throw new Problem('CONFLICTING_OPTIONS', { fields: [`aggs.${index}.fn`, `aggs.${index}.${idle}`] })
  if (fn === 'quantile' && q === undefined) throw new Problem('MISSING_FIELD', { field: `aggs.${index}.q` })
  return callAggregate(column, fn, { q, sep, from })
}

/** Without any value, a column of text may as well be one of numbers: the header of a file may be all there is. */
export function readAggregated(input: Relation, wanted: string, fn: string): { column: Column; from: string } {
  const column = columnOf(input, wanted)
  if (NEEDS_NUMBERS.has(fn) && input.empty?.has(column.name)) return { column, from: 'NULL::DOUBLE' }
  requireType(column, fn)
  return { column, from: name(column.name) }
}

function requireType({ name: column, type }: Column, fn: string): void {
  const isWrong =
    (NEEDS_NUMBERS.has(fn) && !NUMERIC.test(type)) || ((fn === 'any' || fn === 'all') && type !== 'boolean')
  if (isWrong) throw new Problem('AGG_TYPE', { column, type, fn })
}

export function callAggregate(
  column: Column,
  fn: AggregateColumn['fn'],
  { from, q = 0.5, sep = ',' }: { from: string; q?: number; sep?: string },
): string {
  const calls: Record<AggregateColumn['fn'], string> = {
    count: `count(${from})`,
    countDistinct: `count(DISTINCT ${from})`,
    sum: `sum(${from})`,
    mean: `avg(${from})`,
    median: `median(${from})`,
    min: `min(${from})`,
    max: `max(${from})`,
    std: `stddev_samp(${from})`,
    var: `var_samp(${from})`,
    first: `arg_min_null(${from}, ${ROW})`,
    last: `arg_max_null(${from}, ${ROW})`,
    mode: `mode(${from} ORDER BY ${from})`,
    quantile: `quantile_cont(${from}, ${q})`,
    list: `to_json(list(${from} ORDER BY ${ROW}))`,
    concat: `string_agg(${toText(column)}, ${literal(sep)} ORDER BY ${ROW})`,
    any: `bool_or(${from})`,
    all: `bool_and(${from})`,
  }
  return calls[fn]
}
