import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { LANES } from '#kit'

const directory = fileURLToPath(new URL('.', import.meta.url))
/** An arbitrary number, the same for every process that migrates. */
const MIGRATION_LOCK = 7_262_011

/**
 * Brings a database up to date: creates the queues of the lanes, applies new migrations, and replaces every function, so
 * that one file defines each function.
 */
export async function migrate(url: string): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    for (const lane of LANES)
      await runMigrations({ connectionString: url, schema: `lane_${lane}`, logger: queueLogger })
    const applied = await applyMigrations(client)
    await applyFunctions(client)
    return { applied }
  } finally {
    await client.end()
  }
}

async function applyMigrations(client: pg.Client): Promise<string[]> {
  await client.query(
    'create table if not exists public.coinop_migration (name text primary key, applied_at timestamptz default now())',
  )
  const { rows } = await client.query<{ name: string }>('select name from public.coinop_migration')
  const appliedNames = new Set(rows.map(row => row.name))
  const pending = (await sqlFiles('migrations')).filter(name => !appliedNames.has(name))
  for (const name of pending) {
    await inTransaction(client, async () => {
      await client.query(await readFile(`${directory}migrations/${name}`, 'utf8'))
      await client.query('insert into public.coinop_migration (name) values ($1)', [name])
    })
  }
  return pending
}

/** Function bodies are checked only when they run, so the files may refer to each other in any order. */
async function applyFunctions(client: pg.Client): Promise<void> {
  const files = await sqlFiles('functions')
  await inTransaction(client, async () => {
    await client.query('set local check_function_bodies = off; set local client_min_messages = warning')
    const nouns = new Set(files.map(name => name.replace(/[-./].*$/, '')))
    for (const noun of nouns) await client.query(`create schema if not exists "${noun}"`)
    for (const name of files) await client.query(await readFile(`${directory}functions/${name}`, 'utf8'))
  })
}

async function sqlFiles(folder: string): Promise<string[]> {
  return (await readdir(directory + folder, { recursive: true })).filter(name => name.endsWith('.sql')).sort()
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

const queueLogger = { error: warn, warn, info: ignore, debug: ignore, scope: () => queueLogger } as never
function warn(message: string): void {
  process.stderr.write(`${message}\n`)
}
function ignore(): void {}
