import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../sql/migrate.ts'
import { endPostgres, startPostgres } from '../embedded/postgres.ts'

/** What all figures of one run stand on: a durable Postgres of its own, and a folder beside the real data. */
export interface Home extends AsyncDisposable {
  folder: string
  postgresPid: number
  /** A migrated database of its own. */
  newDatabase(): Promise<{ url: string; drop(): Promise<void> }>
}

const FOLDER = /^bench-(\d+)-/
const TEMPLATE = 'coinop'

export async function openHome(dataDir: string): Promise<Home> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await sweep(dataDir)
  const folder = await mkdtemp(join(dataDir, `bench-${process.pid}-`))
  const postgres = await startPostgres({
    dataDir: folder,
    log: { info() {}, warn: console.warn, error: console.error },
  })
  await migrate(postgres.url)
  return {
    folder,
    postgresPid: postgres.pid(),
    newDatabase: () => copyTemplate(postgres.url),
    async [Symbol.asyncDispose]() {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A run that was killed leaves its Postgres and its folder behind; the next run clears them away. */
async function sweep(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    const runner = FOLDER.exec(name)?.[1]
    if (!runner || existsSync(`/proc/${runner}`)) continue
    await endPostgres(join(dataDir, name)).catch(() => undefined)
    await rm(join(dataDir, name), { recursive: true, force: true })
  }
}

async function copyTemplate(url: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `bench_${randomBytes(6).toString('hex')}`
  const administer = (statement: string) => query(url.replace(`/${TEMPLATE}?`, '/postgres?'), statement)
  await administer(`create database ${name} template ${TEMPLATE} strategy file_copy`)
  return {
    url: url.replace(`/${TEMPLATE}?`, `/${name}?`),
    drop: () => administer(`drop database if exists ${name} with (force)`),
  }
}

/** On a connection of its own, which has all the time that a million rows take. */
export async function query(url: string, statement: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement, values.length > 0 ? values : undefined)
  } finally {
    await client.end()
  }
}
