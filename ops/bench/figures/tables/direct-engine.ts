import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs statements of DuckDB again and again, in a new database each time, and prints their number a second and processor time. */
const LOOP = `
const { DuckDBInstance } = await import('@duckdb/node-api')
const [seconds, ...statements] = process.argv.slice(1)
const runOnce = async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const statement of statements) await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}
await runOnce()
let runs = 0
const [startedAt, before] = [performance.now(), process.cpuUsage()]
while (performance.now() - startedAt < seconds * 1000) { await runOnce(); runs += 1 }
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ perSecond: runs / ((performance.now() - startedAt) / 1000), cpuMs: (user + system) / 1000 / runs }))
`

export interface DirectRuns {
  perSecond: number
  /** Of one run. */
  cpuMs: number
}

/** DuckDB in a process of its own that is already warm, with its own settings: nothing confines or checks it. */
export async function measureEngine(statements: readonly string[], seconds: number): Promise<DirectRuns> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', LOOP, String(seconds), ...statements])
  return JSON.parse(stdout) as DirectRuns
}

/** A statement that writes what a query gives to a CSV file. */
export function writeCsv(query: string, path: string): string {
  return `COPY (${query}) TO '${path}' (FORMAT csv, HEADER)`
}
