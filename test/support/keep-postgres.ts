import { startPostgres } from '../../ops/embedded/postgres.ts'

/** Keeps the Postgres of a data folder in a process that a test may kill; says on one line how it came up. */
const [dataDir, guise] = process.argv.slice(2)
const quiet = () => undefined
const log = { info: quiet, warn: quiet, error: quiet }
const postgres = await startPostgres({
  dataDir: dataDir!,
  log: log as never,
  durable: false,
  ...(guise ? { guise: guise as 'nobody' } : {}),
})
process.on('SIGTERM', () => void postgres.stop().then(() => process.exit(0)))
process.stdout.write(`${JSON.stringify({ url: postgres.url, adopted: postgres.adopted, pid: postgres.pid() })}\n`)
setInterval(() => undefined, 60_000)
