import { randomInt } from 'node:crypto'
import { exactlyOne, Problem } from '#kit'
import type { RowParams } from '../../../../tasks/formats/tables/steps/rows.ts'
import { columnsOf, numberRows, type Relation, ROW } from '../relation.ts'
import { name } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'

const MAX_SEED = 4_294_967_295

/** The same seed and table give the same rows, because the order is that of a digest of seed and row. */
export async function sample(
  work: Work,
  { input }: { input: Relation },
  params: RowParams['sample'],
): Promise<StepOutcome> {
  checkOptions(params)
  const { n, fraction, method, replace } = params
  const rows = await work.countRows(input)
  const wanted = n ?? Math.round(fraction! * rows)
  const count = replace ? wanted : Math.min(rows, wanted)
  const seed = params.seed ?? randomInt(MAX_SEED)
  const isRandom = method === 'random' || method === 'stratified'
  const table = await work.define(selectRows(input, { ...params, rows, count, seed }), { isStored: true })
  return { table, ...(isRandom && { facts: { seed } }) }
}

function checkOptions({ n, fraction, method, replace, by, seed }: RowParams['sample']): void {
  exactlyOne({ n, fraction }, ['n', 'fraction'])
  if (replace && method !== 'random') throw new Problem('CONFLICTING_OPTIONS', { fields: ['replace', 'method'] })
  if (by && method !== 'stratified') throw new Problem('CONFLICTING_OPTIONS', { fields: ['by', 'method'] })
  if (seed !== undefined && method !== 'random' && method !== 'stratified')
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['seed', 'method'] })
  if (!by && method === 'stratified') throw new Problem('MISSING_FIELD', { field: 'by' })
}

interface Draw {
  rows: number
  count: number
  seed: number
  method: RowParams['sample']['method']
  by?: string[]
  replace: boolean
}

function selectRows(input: Relation, { rows, count, seed, method, by, replace }: Draw): string {
  const numbered = numberRows(input)
  const chance = `md5('${seed}:' || ${ROW})`
  const keep = (condition: string) =>
    `SELECT * EXCLUDE (${ROW}) FROM (SELECT * FROM ${numbered} ${condition}) ORDER BY ${ROW}`
  if (method === 'head') return `SELECT * FROM ${input.as} LIMIT ${count}`
  if (method === 'tail') return `SELECT * FROM ${input.as} LIMIT ${count} OFFSET ${rows - count}`
  if (method === 'systematic')
    return keep(
      `WHERE floor((${ROW} - 1) * ${count} / ${Math.max(1, rows)}.0) <> floor((${ROW} - 2) * ${count} / ${Math.max(1, rows)}.0) OR (${ROW} = 1 AND ${count} > 0)`,
    )
  if (method === 'stratified') {
    const group = columnsOf(input, by)
      .map(column => name(column.name))
      .join(', ')
    // Each stratum has the whole part of its share; the rows that are left go to the largest remainders.
    const share = `count(*) OVER (PARTITION BY ${group}) * ${count}::HUGEINT`
    const total = `${Math.max(1, rows)}::HUGEINT`
    const place = `row_number() OVER (PARTITION BY ${group} ORDER BY ${chance})`
    const numberedRows = `(SELECT *, ${place} AS "\u0001place", ${share} AS "\u0001share", min(${ROW}) OVER (PARTITION BY ${group}) AS "\u0001first" FROM ${numbered})`
    const order = `("\u0001place" > "\u0001share" // ${total})::INTEGER, ("\u0001place" <> "\u0001share" // ${total} + 1)::INTEGER, "\u0001share" % ${total} DESC, "\u0001first", "\u0001place"`
    const chosen = `SELECT * FROM ${numberedRows} QUALIFY row_number() OVER (ORDER BY ${order}) <= ${count}`
    return `SELECT * EXCLUDE (${ROW}, "\u0001place", "\u0001share", "\u0001first") FROM (${chosen}) ORDER BY ${ROW}`
  }
  if (!replace) return keep(`QUALIFY row_number() OVER (ORDER BY ${chance}) <= ${count}`)
  const draws = `SELECT i, 1 + md5_number_lower('${seed}:' || i) % ${Math.max(1, rows)} AS drawn FROM range(${rows === 0 ? 0 : count}) AS draws(i)`
  return `SELECT rows.* EXCLUDE (${ROW}) FROM (${draws}) AS draws JOIN ${numbered} AS rows ON rows.${ROW} = draws.drawn ORDER BY draws.i`
}
