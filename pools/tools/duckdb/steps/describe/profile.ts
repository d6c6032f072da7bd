import type { CheckParams } from '../../../../../tasks/formats/tables/steps/checks.ts'
import { type Column, NUMERIC, toText } from '../../read/types.ts'
import { columnsOf, knownType, type Relation } from '../../relation.ts'
import { name } from '../../sql-text.ts'
import type { StepOutcome, Work } from '../../work.ts'
import { describeEach } from './narrow-tables.ts'
import { findSemantic } from './semantics.ts'

type Params = CheckParams['profile']

interface Histogram {
  from: number
  to: number
  count: number
}

const EXACT_ROWS = 1_000_000

export async function profile(work: Work, { input }: { input: Relation }, params: Params): Promise<StepOutcome> {
  const { sampleRows, correlations } = params
  const limit = sampleRows === 0 ? '' : ` LIMIT ${sampleRows}`
  const chosen = columnsOf(input, params.columns)
  const list = chosen.map(column => name(column.name)).join(', ')
  const stored = await work.define(`SELECT ${list} FROM ${input.as}${limit}`, { isStored: true })
  const rows = await work.countRows(stored)
  const columns = await describeEach(work, stored, async (part, column) => ({
    ...(await describeColumn(work, part, column, rows, params)),
    type: knownType(input, column),
  }))
  const distinct = await work.database.count(`SELECT count(*) FROM (SELECT DISTINCT * FROM ${stored.as})`)
  const facts = {
    rows,
    columns,
    duplicateRows: rows - distinct,
    ...(correlations && { correlations: await correlate(work, stored) }),
  }
  return { table: stored, facts: { profile: facts } }
}

async function describeColumn(
  work: Work,
  table: Relation,
  column: Column,
  rows: number,
  params: Params,
): Promise<object> {
  const from = name(column.name)
  const text = toText(column)
  const isNumber = NUMERIC.test(column.type)
  const distinct = rows > EXACT_ROWS ? `approx_count_distinct(${from})` : `count(DISTINCT ${text})`
  const common = await work.database.row<Record<string, string | null>>(
    `SELECT count(*) - count(${from}) AS nulls, count(*) FILTER (WHERE ${text} = '') AS empty, ${distinct} AS "distinct", min(length(${text})) AS shortest, max(length(${text})) AS longest, avg(length(${text})) AS mean_length, ${column.type === 'json' ? 'NULL, NULL' : `${toText({ ...column, name: 'low' }, `min(${from})`)}, ${toText({ ...column, name: 'high' }, `max(${from})`)}`} FROM ${table.as}`,
  )
  const [, , , , , , low, high] = Object.values(common)
  const numbers = isNumber ? await describeNumbers(work, table, column, params.histogramBins) : {}
  const semantic = params.detectPii && column.type === 'string' ? await findSemantic(work, table, column) : undefined
  return {
    name: column.name,
    type: column.type,
    nulls: Number(common.nulls),
    empty: Number(common.empty),
    distinct: Number(common.distinct),
    min: isNumber && low !== null ? toNumber(low!) : low,
    max: isNumber && high !== null ? toNumber(high!) : high,
    length: { min: toNumber(common.shortest!), max: toNumber(common.longest!), mean: toNumber(common.mean_length!) },
    ...numbers,
    top: await listTop(work, table, text, params.topK),
    ...(column.type === 'string' && { patterns: await listPatterns(work, table, text) }),
    ...(semantic && { semantic }),
  }
}

/** A number, or its digits where a number would round them. */
function toNumber(value: string | number | null): number | string | null {
  if (value === null) return null
  const number = Number(value)
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? String(value) : number
}

async function describeNumbers(work: Work, table: Relation, { name: column }: Column, bins: number): Promise<object> {
  const from = `${name(column)}::DOUBLE`
  const found = await work.database.row<Record<string, string | null>>(
    `SELECT avg(v) AS mean, stddev_samp(v) AS std, quantile_cont(v, 0.05) AS q05, quantile_cont(v, 0.25) AS q25, quantile_cont(v, 0.5) AS q50, quantile_cont(v, 0.75) AS q75, quantile_cont(v, 0.95) AS q95, min(v) AS low, max(v) AS high FROM (SELECT ${from} AS v FROM ${table.as} WHERE isfinite(${from}))`,
  )
  const get = (key: string) => (found[key] === null ? null : Number(found[key]))
  const [q25, q75, low, high] = ['q25', 'q75', 'low', 'high'].map(get)
  if (q25 === null || q25 === undefined) return {}
  const fence = 1.5 * (q75! - q25)
  const outliers = await work.database.count(
    `SELECT count(*) FROM ${table.as} WHERE ${from} < ${q25 - fence}::DOUBLE OR ${from} > ${q75! + fence}::DOUBLE`,
  )
  return {
    mean: get('mean'),
    std: get('std'),
    quantiles: { '0.05': get('q05'), '0.25': q25, '0.5': get('q50'), '0.75': q75, '0.95': get('q95') },
    outliers,
    ...(bins > 0 && { histogram: await countBins(work, table, from, low!, high!, bins) }),
  }
}

async function countBins(
  work: Work,
  { as }: Relation,
  from: string,
  low: number,
  high: number,
  bins: number,
): Promise<Histogram[]> {
  const width = (high - low) / bins
  if (!(width > 0) || !Number.isFinite(width))
    return [
      { from: low, to: high, count: await work.database.count(`SELECT count(*) FROM ${as} WHERE ${from} IS NOT NULL`) },
    ]
  const found = await work.database.rows<{ bin: string; n: string }>(
    `SELECT least(${bins - 1}, floor((${from} - ${low}::DOUBLE) / ${width}::DOUBLE))::INTEGER AS bin, count(*) AS n FROM ${as} WHERE isfinite(${from}) GROUP BY 1`,
  )
  const counts = new Map(found.map(({ bin, n }) => [Number(bin), Number(n)]))
  return Array.from({ length: bins }, (_, bin) => ({
    from: low + bin * width,
    to: bin === bins - 1 ? high : low + (bin + 1) * width,
    count: counts.get(bin) ?? 0,
  }))
}

/** Grouped by position: columns of the caller may have the names of ours. */
async function listTop(work: Work, { as }: Relation, text: string, topK: number): Promise<object[]> {
  if (topK === 0) return []
  const found = await work.database.rows<{ value: string; n: string }>(
    `SELECT left(${text}, 200) AS value, count(*) AS n FROM ${as} WHERE ${text} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${topK}`,
  )
  return found.map(({ value, n }) => ({ value, count: Number(n) }))
}

/** The commonest forms of a text: 9 for digits, a and A for letters. */
async function listPatterns(work: Work, { as }: Relation, text: string): Promise<object[]> {
  const form = `regexp_replace(regexp_replace(regexp_replace(left(${text}, 60), '[0-9]', '9', 'g'), '\\p{Lu}', 'A', 'g'), '[\\p{Ll}\\p{Lo}]', 'a', 'g')`
  const found = await work.database.rows<{ pattern: string; n: string }>(
    `SELECT ${form} AS pattern, count(*) AS n FROM ${as} WHERE ${text} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5`,
  )
  return found.map(({ pattern, n }) => ({ pattern, count: Number(n) }))
}

const MAX_CORRELATED = 50

async function correlate(work: Work, table: Relation): Promise<object[]> {
  const numeric = table.columns.filter(({ type }) => NUMERIC.test(type)).slice(0, MAX_CORRELATED)
  const pairs = numeric.flatMap((a, index) => numeric.slice(index + 1).map(b => [a.name, b.name] as const))
  if (pairs.length === 0) return []
  const found = await work.database.row<Record<string, number | null>>(
    `SELECT ${pairs.map(([a, b], index) => `corr(${name(a)}, ${name(b)}) AS c${index}`).join(', ')} FROM ${table.as}`,
  )
  return pairs.map(([a, b], index) => ({
    columns: [a, b],
    pearson: Number.isFinite(found[`c${index}`]) ? found[`c${index}`] : null,
  }))
}
