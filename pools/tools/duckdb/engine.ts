import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { Problem } from '#kit'
import type { Reuse } from '../../processes/worker-kind.ts'
import { Database } from './database.ts'
import type { Plan, PlanReport } from './plan.ts'
import { runPlan } from './run-plan.ts'

// Decision 0177: keep a process of SQL for its account.

let reusable: Reuse = 'anyone'
Database.prepare()

/**
 * The database keeps the addresses of memory that it has freed, which count towards what the process may have (`dataMb`), and
 * wide tables leave so many of them that the next one would be refused.
 */
const MAX_RESERVED_BYTES = 1_600 * 2 ** 20
const PAGE_BYTES = 4_096

/** After a call that ran what its caller wrote, or read one of the binary formats, only its account may use the process. */
export function reuse(): Reuse {
  return readReservedBytes() > MAX_RESERVED_BYTES ? 'nobody' : reusable
}

function readReservedBytes(): number {
  try {
    return Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[5]) * PAGE_BYTES
  } catch {
    return 0
  }
}

export async function version(): Promise<string> {
  const manifest = findPackageJSON('@duckdb/node-api', import.meta.url)!
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
}

export async function run(files: string[], plan: Plan, seconds: number): Promise<PlanReport> {
  if (reusable === 'anyone' && hasForeignParts(plan)) reusable = 'same-account'
  try {
    return await runPlan(files, plan, Math.min(plan.limitMs ?? Infinity, seconds * 1000))
  } catch (error) {
    if (!isHarmless(error)) reusable = 'nobody'
    throw error
  } finally {
    // After the answer, which does not wait for it.
    if (reusable !== 'nobody') setImmediate(() => Database.prepare())
  }
}

export async function sheets([file]: string[]): Promise<{ names: string[] }> {
  reusable = 'same-account'
  const { listSheets } = await import('./read/workbook.ts')
  return { names: listSheets(await readFile(file!)) }
}

/** After a time limit the query may still run; after the others the process may be short of memory, or damaged. */
function isHarmless(error: unknown): boolean {
  return error instanceof Problem && error.code !== 'TIME_LIMIT_EXCEEDED' && error.code !== 'MEMORY_LIMIT_EXCEEDED'
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
