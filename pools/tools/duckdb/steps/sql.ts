import { Problem } from '#kit'
import type { SqlParams } from '../../../../tasks/formats/tables/steps/queries.ts'
import type { Value } from '../database.ts'
import { completePivots } from '../gate/pivots.ts'
import { checkStatement, type StatementRules } from '../gate/statement.ts'
import { trimStatement } from '../gate/tokens.ts'
import { type Relation, requireDistinctNames } from '../relation.ts'
import { name } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'

/** Runs a statement of the caller over the tables, each under the name that it has as an input. */
export async function sql(
  work: Work,
  inputs: Record<string, Relation>,
  { sql: text, params, maxRows, deterministic, explain = false }: SqlParams & { explain?: boolean },
): Promise<StepOutcome> {
  work.failureKind = 'sql'
  const tables = Object.keys(inputs)
  requireDistinctNames(tables)
  const rules = { tables, deterministic }
  for (const table of tables)
    await work.database.run(`CREATE OR REPLACE VIEW ${name(table)} AS SELECT * FROM ${inputs[table]!.as}`)
  const statement = await completeStatement(work, trimStatement(text), rules, params)
  await checkStatement(work.database, statement, rules)
  if (explain) return explainStatement(work, statement, params)
  const limited = `SELECT * FROM (${statement}\n) LIMIT ${maxRows + 1}`
  const started = performance.now()
  const stored = await storeResult(work, limited, params)
  const elapsedMs = Math.round(performance.now() - started)
  const rows = await work.countRows(stored)
  const isTruncated = rows > maxRows
  const table = isTruncated ? await work.define(`SELECT * FROM ${stored.as} LIMIT ${maxRows}`) : stored
  return { table: { ...table, rows: Math.min(rows, maxRows) }, facts: { truncated: isTruncated, elapsedMs } }
}

/** The statement with the values of each PIVOT. */
function completeStatement(work: Work, statement: string, rules: StatementRules, params: SqlParams['params']) {
  if (!/\bpivot/i.test(statement)) return statement
  return completePivots(statement, async (select, limit) => {
    await checkStatement(work.database, select, rules)
    const found = await work.attempt(() =>
      work.database.rows<{ value: string }>(`${select} LIMIT ${limit}`, chooseParams(select, params)),
    )
    return found.map(({ value }) => value)
  })
}

/** The parameters that a statement has a place for; `$1` is `$p1` there. */
function chooseParams(select: string, params: SqlParams['params']): Record<string, Value> | undefined {
  const entries = Array.isArray(params)
    ? params.map((value, index) => [`p${index + 1}`, value] as const)
    : Object.entries(params ?? {})
  const used = new Set([...select.matchAll(/\$(\w+)/g)].map(([, key]) => key!.toLowerCase()))
  const chosen = entries.filter(([key]) => used.has(key.toLowerCase()))
  return chosen.length > 0 ? Object.fromEntries(chosen) : undefined
}

function storeResult(work: Work, select: string, params: SqlParams['params']): Promise<Relation> {
  return work.attempt(async () => {
    await work.database.run(`CREATE TABLE "sql result" AS ${select}`, bind(params))
    return { as: '"sql result"', columns: await work.describe('"sql result"') }
  })
}

async function explainStatement(work: Work, statement: string, params: SqlParams['params']): Promise<StepOutcome> {
  const plan = await work.attempt(() => work.database.explain(statement, bind(params)))
  const table = await work.define('SELECT 1 AS planned WHERE false')
  return { table, facts: { truncated: false, elapsedMs: 0, plan } }
}

function bind(params: SqlParams['params']): Value[] | Record<string, Value> | undefined {
  if (params === undefined) return undefined
  const isEmpty = Object.keys(params).length === 0
  if (isEmpty) return undefined
  const bad = Array.isArray(params) ? undefined : Object.keys(params).find(key => !/^[A-Za-z_]\w*$/.test(key))
  if (bad !== undefined) throw new Problem('INVALID_PARAM', { field: `params.${bad.slice(0, 100)}` })
  return params
}
