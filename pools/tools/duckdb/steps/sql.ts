import { Problem } from '#kit'
import type { SqlParams } from '../../../../tasks/formats/table-steps/queries.ts'
import type { Value } from '../database.ts'
import { checkStatement } from '../gate/statement.ts'
import type { Relation } from '../relation.ts'
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
  await checkStatement(work.database, text, { tables, deterministic })
  for (const table of tables)
    await work.database.run(`CREATE OR REPLACE VIEW ${name(table)} AS SELECT * FROM ${inputs[table]!.as}`)
  const statement = text.replace(/;\s*$/, '')
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
