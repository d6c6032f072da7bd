import type { CheckParams } from '../../../../../tasks/formats/tables/steps/checks.ts'
import { NUMERIC } from '../../read/types.ts'
import { columnsOf, knownType, type Relation } from '../../relation.ts'
import { name } from '../../sql-text.ts'
import type { StepOutcome, Work } from '../../work.ts'
import { describeEach, firstOfEach, type LongTable, rowsByColumn } from './long-tables.ts'
import { describeNumbers } from './profile-numbers.ts'
import { findSemantics } from './semantics.ts'

type Params = CheckParams['profile']

const EXACT_ROWS = 1_000_000

export async function profile(work: Work, { input }: { input: Relation }, params: Params): Promise<StepOutcome> {
  const { sampleRows, correlations } = params
  const limit = sampleRows === 0 ? '' : ` LIMIT ${sampleRows}`
  const chosen = columnsOf(input, params.columns)
  const list = chosen.map(column => name(column.name)).join(', ')
  const stored = await work.define(`SELECT ${list} FROM ${input.as}${limit}`, { isStored: true })
  const rows = await work.countRows(stored)
  const described = await describeEach(work, stored, rows, part => describeColumns(work, part, rows, params))
  const columns = described.map((facts, index) => ({ ...facts, type: knownType(input, stored.columns[index]!) }))
  const distinct = await work.database.count(`SELECT count(*) FROM (SELECT DISTINCT * FROM ${stored.as})`)
  const facts = {
    rows,
    columns,
    duplicateRows: rows - distinct,
    ...(correlations && { correlations: await correlate(work, stored) }),
  }
  return { table: stored, facts: { profile: facts } }
}

async function describeColumns(work: Work, part: LongTable, rows: number, params: Params): Promise<object[]> {
  const { type, columns } = part
  const common = await describeValues(work, part, rows)
  const counts = common.map(({ nulls }) => rows - nulls)
  const numbers = NUMERIC.test(type) ? await describeNumbers(work, part, { bins: params.histogramBins, counts }) : []
  const top = await listTop(work, part, params.topK)
  const isText = type === 'string'
  const patterns = isText ? await listPatterns(work, part) : []
  const semantics = isText && params.detectPii ? await findSemantics(work, part) : []
  return columns.map(({ name: column }, index) => ({
    name: column,
    type,
    ...common[index]!,
    ...numbers[index],
    top: top[index],
    ...(isText && { patterns: patterns[index] }),
    ...(semantics[index] && { semantic: semantics[index] }),
  }))
}

async function describeValues(work: Work, part: LongTable, rows: number): Promise<{ nulls: number }[]> {
  const distinct = rows > EXACT_ROWS ? 'approx_count_distinct(t)' : 'count(DISTINCT t)'
  const range = part.type === 'json' ? 'NULL AS low, NULL AS high' : 'arg_min(t, v) AS low, arg_max(t, v) AS high'
  const found = await rowsByColumn<Record<string, string | null>>(
    work,
    part,
    `SELECT k, count(*) - count(t) AS nulls, count(*) FILTER (WHERE t = '') AS empty, ${distinct} AS "distinct", min(length(t)) AS shortest, max(length(t)) AS longest, avg(length(t)) AS mean_length, ${range} FROM ${part.as} GROUP BY k`,
  )
  const read = NUMERIC.test(part.type) ? toNumber : (text: string | null) => text
  return found.map(([facts = NO_ROWS]) => ({
    nulls: Number(facts.nulls),
    empty: Number(facts.empty),
    distinct: Number(facts.distinct),
    min: read(facts.low!),
    max: read(facts.high!),
    length: { min: toNumber(facts.shortest!), max: toNumber(facts.longest!), mean: toNumber(facts.mean_length!) },
  }))
}

/** What a table without rows, which has no groups, says of a column. */
const NO_ROWS: Record<string, string | null> = {
  ...{ nulls: '0', empty: '0', distinct: '0', low: null, high: null },
  ...{ shortest: null, longest: null, mean_length: null },
}

/** A number, or its digits where a number would round them. */
function toNumber(value: string | number | null): number | string | null {
  if (value === null) return null
  const number = Number(value)
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? String(value) : number
}

async function listTop(work: Work, part: LongTable, topK: number): Promise<object[][]> {
  if (topK === 0) return part.columns.map(() => [])
  const select = `SELECT k, left(t, 200) AS value, count(*) AS n FROM ${part.as} WHERE t IS NOT NULL GROUP BY 1, 2`
  const sql = firstOfEach(part, { select, order: 'n DESC, value', limit: topK })
  const found = await rowsByColumn<{ value: string; n: string }>(work, part, sql)
  return found.map(values => values.map(({ value, n }) => ({ value, count: Number(n) })))
}

const PATTERNS = 5

/** The commonest forms of a text: 9 for digits, a and A for letters. */
async function listPatterns(work: Work, part: LongTable): Promise<object[][]> {
  const form =
    "regexp_replace(regexp_replace(regexp_replace(left(t, 60), '[0-9]', '9', 'g'), '\\p{Lu}', 'A', 'g'), '[\\p{Ll}\\p{Lo}]', 'a', 'g')"
  const select = `SELECT k, ${form} AS pattern, count(*) AS n FROM ${part.as} WHERE t IS NOT NULL GROUP BY 1, 2`
  const sql = firstOfEach(part, { select, order: 'n DESC, pattern', limit: PATTERNS })
  const found = await rowsByColumn<{ pattern: string; n: string }>(work, part, sql)
  return found.map(forms => forms.map(({ pattern, n }) => ({ pattern, count: Number(n) })))
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
