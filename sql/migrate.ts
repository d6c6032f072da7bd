import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { LANES } from '#kit'

const here = fileURLToPath(new URL('.', import.meta.url))
/** Any number will do, as long as every process that migrates takes the same. */
const LOCK = 7_262_011

/**
 * Brings a database to today's shape: the queues of the lanes, the migrations not yet applied, and every function
 * anew, so that one file says what each function is.
 */
export async function migrate(url: string): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    for (const lane of LANES) await runMigrations({ connectionString: url, schema: `lane_${lane}`, logger: silent })
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
  const done = new Set(rows.map(row => row.name))
  const pending = (await sqlFiles('migrations')).filter(name => !done.has(name))
  for (const name of pending) {
    await inTransaction(client, async () => {
      await client.query(await readFile(`${here}migrations/${name}`, 'utf8'))
      await client.query('insert into public.coinop_migration (name) values ($1)', [name])
    })
  }
  return pending
}

/** A function body is only checked when it runs, so the files may name each other in any order. */
async function applyFunctions(client: pg.Client): Promise<void> {
  const files = await sqlFiles('functions')
  await inTransaction(client, async () => {
    await client.query('set local check_function_bodies = off; set local client_min_messages = warning')
    const nouns = new Set(files.map(name => name.replace(/[-.].*$/, '')))
    for (const noun of nouns) await client.query(`create schema if not exists "${noun}"`)
    for (const name of files) await client.query(await readFile(`${here}functions/${name}`, 'utf8'))
  })
}

async function sqlFiles(folder: string): Promise<string[]> {
  return (await readdir(here + folder)).filter(name => name.endsWith('.sql')).sort()
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

const silent = { error: warn, warn, info: quiet, debug: quiet, scope: () => silent } as never
function warn(message: string): void {
  process.stderr.write(`${message}\n`)
}
function quiet(): void {}
