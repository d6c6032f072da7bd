import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Statements of DuckDB, in a new database each time. */
const STATEMENTS = `
const { DuckDBInstance } = await import('@duckdb/node-api')
const [seconds, ...statements] = process.argv.slice(1)
const runOnce = async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const statement of statements) await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}
`

/** The codec of workbooks: rows of a CSV without quotes to a workbook, or its sheet to a CSV, from file to file. */
const WORKBOOK = `
const { readFileSync, writeFileSync } = await import('node:fs')
const { read, utils, write } = await import('@e965/xlsx')
const [seconds, from, to] = process.argv.slice(1)
const toCell = text => (text === '' || Number.isNaN(Number(text)) ? text : Number(text))
const runOnce = async () => {
  if (to.endsWith('.csv')) {
    const book = read(readFileSync(from), { type: 'buffer', dense: true, cellText: false, cellHTML: false })
    writeFileSync(to, utils.sheet_to_csv(book.Sheets[book.SheetNames[0]]))
  } else {
    const rows = readFileSync(from, 'utf8').trimEnd().split('\\n').map(line => line.split(',').map(toCell))
    const book = utils.book_new(utils.aoa_to_sheet(rows, { dense: true }), 'Sheet1')
    writeFileSync(to, write(book, { type: 'buffer', bookType: 'xlsx', compression: true }))
  }
}
`

const LOOP = `
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
  return repeat(STATEMENTS, seconds, statements)
}

/** The package that reads workbooks for us, in a process of its own: nothing confines, types or charges it. */
export async function measureCodec(from: string, to: string, seconds: number): Promise<DirectRuns> {
  return repeat(WORKBOOK, seconds, [from, to])
}

/** Runs again and again what a program defines as `runOnce`. */
async function repeat(program: string, seconds: number, args: readonly string[]): Promise<DirectRuns> {
  const { stdout } = await run(process.execPath, [
    '--input-type=module',
    '-e',
    program + LOOP,
    String(seconds),
    ...args,
  ])
  return JSON.parse(stdout) as DirectRuns
}

/** A statement that writes what a query gives to a CSV file. */
export function writeCsv(query: string, path: string): string {
  return `COPY (${query}) TO '${path}' (FORMAT csv, HEADER)`
}
