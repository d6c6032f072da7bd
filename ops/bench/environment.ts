import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../sql/migrate.ts'
import { endPostgres, startPostgres } from '../embedded/postgres.ts'

/** What all figures of one run share: a durable Postgres of its own and a folder next to the real data. */
export interface BenchEnvironment extends AsyncDisposable {
  folder: string
  /** It changes when Postgres is killed and starts again. */
  readonly postgresPid: number
  /** Creates a new migrated database. */
  newDatabase(): Promise<{ url: string; drop(): Promise<void> }>
}

const FOLDER = /^bench-(\d+)-/
const TEMPLATE = 'coinop'

export async function openBenchEnvironment(dataDir: string): Promise<BenchEnvironment> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await removeLeftovers(dataDir)
  const folder = await mkdtemp(join(dataDir, `bench-${process.pid}-`))
  const postgres = await startPostgres({
    dataDir: folder,
    log: { info() {}, warn: console.warn, error: console.error },
  })
  await migrate(postgres.url)
  return {
    folder,
    get postgresPid() {
      return postgres.pid()
    },
    newDatabase: () => createDatabase(postgres.url),
    async [Symbol.asyncDispose]() {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A killed run leaves its Postgres and its folder behind; the next run removes them. */
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    const runnerPid = FOLDER.exec(name)?.[1]
    if (!runnerPid || existsSync(`/proc/${runnerPid}`)) continue
    await endPostgres(join(dataDir, name)).catch(() => undefined)
    await rm(join(dataDir, name), { recursive: true, force: true })
  }
}

async function createDatabase(url: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `bench_${randomBytes(6).toString('hex')}`
  const runAsAdmin = (statement: string) => runStatement(url.replace(`/${TEMPLATE}?`, '/postgres?'), statement)
  await runAsAdmin(`create database ${name} template ${TEMPLATE} strategy file_copy`)
  return {
    url: url.replace(`/${TEMPLATE}?`, `/${name}?`),
    drop: () => runAsAdmin(`drop database if exists ${name} with (force)`),
  }
}

/** Runs a statement on its own connection without a timeout, because a million rows take long. */
export async function runStatement(url: string, statement: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement, values.length > 0 ? values : undefined)
  } finally {
    await client.end()
  }
}
