import { startPostgres } from '../../../ops/embedded/postgres.ts'

/** Runs the Postgres of a data folder in a process that a test may kill; prints one line that says how it started. */
const [dataDir, runAs] = process.argv.slice(2)
const quiet = () => undefined
const log = { info: quiet, warn: quiet, error: quiet }
const postgres = await startPostgres({
  dataDir: dataDir!,
  log: log as never,
  isDurable: false,
  ...(runAs ? { runAs: runAs as 'nobody' } : {}),
})
process.on('SIGTERM', () => void postgres.stop().then(() => process.exit(0)))
process.stdout.write(`${JSON.stringify({ url: postgres.url, isAdopted: postgres.isAdopted, pid: postgres.pid() })}\n`)
setInterval(() => undefined, 60_000)
