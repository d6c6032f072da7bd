import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { Database } from './database.ts'
import type { Plan, PlanReport } from './plan.ts'
import { runPlan } from './run-plan.ts'

let hasForeignInput = false
Database.prepare()

/** After a call that ran what its caller wrote, or read one of the binary formats, the process is not used again. */
export function isSpent(): boolean {
  return hasForeignInput
}

export async function version(): Promise<string> {
  const manifest = findPackageJSON('@duckdb/node-api', import.meta.url)!
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
}

export async function run(files: string[], plan: Plan, seconds: number): Promise<PlanReport> {
  hasForeignInput ||= hasForeignParts(plan)
  try {
    return await runPlan(files, plan, Math.min(plan.limitMs ?? Infinity, seconds * 1000))
  } catch (error) {
    // The query may still run.
    hasForeignInput ||= (error as { code?: string }).code === 'TIME_LIMIT_EXCEEDED'
    throw error
  } finally {
    // After the answer, which does not wait for it.
    if (!hasForeignInput) setImmediate(() => Database.prepare())
  }
}

export async function sheets([file]: string[]): Promise<{ names: string[] }> {
  hasForeignInput = true
  const { listSheets } = await import('./read/workbook.ts')
  return { names: listSheets(await readFile(file!)) }
}

const BINARY = /parquet|spreadsheetml|zip|octet-stream|cfb|ms-excel|opendocument/
/** Steps of our own SQL, with values of callers as nothing but literals. */
const PLAIN_STEPS = new Set([
  ...['slice', 'sort', 'sample', 'dropna', 'explode', 'union', 'rename', 'cast', 'fillna', 'join', 'pivot', 'profile'],
  ...['schema-infer', 'diff'],
])

function hasForeignParts({ tables, steps }: Plan): boolean {
  const isBinary = Object.values(tables).some(
    ({ type, settings }) => BINARY.test(type) || settings.format === 'xlsx' || settings.format === 'parquet',
  )
  return isBinary || steps.some(({ op, params }) => !PLAIN_STEPS.has(op) && !hasOnlyConditions(op, params))
}

/** Filters and groups are steps of our own SQL as well if their conditions are objects, not expressions. */
function hasOnlyConditions(op: string, params: unknown): boolean {
  const { where, having, aggs = [] } = params as { where?: unknown; having?: unknown; aggs?: { where?: unknown }[] }
  const conditions = [where, having, ...aggs.map(aggregate => aggregate.where)]
  return (op === 'filter' || op === 'groupby') && conditions.every(condition => typeof condition !== 'string')
}
