import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { LANES } from '#kit'
import { products } from '../tasks/products/index.ts'
import { connectTo, createClient } from './hosts/primary.ts'
import { isRestoring, RestoreUnfinished } from './installation/restoring.ts'
import { MONTHS_AHEAD } from './ledger.ts'
import { TUNABLES } from './setting.ts'

// Decision 0256: make new databases of one baseline.

const directory = fileURLToPath(new URL('.', import.meta.url))
/** An arbitrary number, the same for every process that migrates. */
const MIGRATION_LOCK = 7_262_011
const LOCK_PAUSE_MS = 100
/** How a migration begins that creates an index while calls go on. Its statements can be repeated. */
const NO_TRANSACTION = '-- Outside of a transaction'
/** Recorded once a database has the tables of the baseline. */
const BASELINE_MARK = 'baseline'
/** The last migration of the oldest release that can be upgraded from. */
const OLDEST_RELEASE = '0052-saved-pipelines.sql'
/** Their functions have types of views, so they are made when those are there. */
const CONSOLE_SCHEMAS = ['admin', 'console']

/** The database was made before the oldest release that can be upgraded from. */
export class DatabaseTooOld extends Error {
  constructor() {
    super(
      'The database was made by a version of coinop that is too old: start commit d85e6de with it once, then this one.',
    )
  }
}

/**
 * Brings a database up to date: creates the queues of the lanes and of steps, applies new migrations, and replaces every
 * function, so that one file defines each function, and the rules of states that products declare.
 */
export function migrate(url: string): Promise<{ applied: string[] }> {
  return withMigrationLock(url, async client => {
    if (await isRestoring(client)) throw new RestoreUnfinished()
    return { applied: await bringUpToDate(client, url) }
  })
}

/** Makes the tables of a new database as they were in one that had had these migrations, without functions. */
export function createTables(url: string, migrations: readonly string[]): Promise<void> {
  return withMigrationLock(url, async client => {
    const wanted = new Set(migrations)
    await createQueues(url)
    await readRecorded(client)
    await reachBaseline(client, new Set())
    for (const name of await sqlFiles('migrations'))
      if (!name.includes('/') && wanted.has(name)) await applyOne(client, 'migrations', name)
  })
}

/** The rest of a migration, for a database into which a backup is being restored. */
export function completeTables(url: string): Promise<void> {
  return withMigrationLock(url, async client => void (await bringUpToDate(client, url)))
}

/** Of the migrations of another database, those that this release does not know. */
export async function findUnknownMigrations(names: readonly string[]): Promise<string[]> {
  const known = new Set((await sqlFiles('migrations')).map(name => name.replace(/^upgrades\//, '')))
  return names.filter(name => name !== BASELINE_MARK && name > OLDEST_RELEASE && !known.has(name))
}

async function withMigrationLock<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = createClient(url)
  await client.connect()
  try {
    await takeMigrationLock(client)
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Asked for again and again: an index that is created while calls go on waits for every statement, also for one that waits for this lock. */
async function takeMigrationLock(client: pg.Client): Promise<void> {
  const isTaken = async () => {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ])
    return rows[0]!.taken
  }
  while (!(await isTaken())) await setTimeout(LOCK_PAUSE_MS)
}

async function bringUpToDate(client: pg.Client, url: string): Promise<string[]> {
  const recorded = await readRecorded(client)
  await createQueues(url)
  const applied = await applyMigrations(client, recorded)
  await applyFunctions(client)
  await client.query('select ledger.open_months($1)', [MONTHS_AHEAD])
  await declareStates(client)
  await declareSettings(client)
  return applied
}

async function createQueues(url: string): Promise<void> {
  const pgPool = new pg.Pool({ ...connectTo(url), max: 1 })
  pgPool.on('error', () => undefined)
  pgPool.on('connect', client => client.on('error', () => undefined))
  try {
    for (const queue of [...LANES, 'step'])
      await runMigrations({ pgPool, schema: `lane_${queue}`, logger: queueLogger })
  } finally {
    await pgPool.end()
  }
}

/** The names of the migrations that the database has had. */
async function readRecorded(client: pg.Client): Promise<ReadonlySet<string>> {
  await client.query(
    'create table if not exists public.coinop_migration (name text primary key, applied_at timestamptz default now())',
  )
  const { rows } = await client.query<{ name: string }>('select name from public.coinop_migration')
  const recorded = new Set(rows.map(row => row.name))
  if (recorded.size > 0 && !recorded.has(BASELINE_MARK) && !recorded.has(OLDEST_RELEASE)) throw new DatabaseTooOld()
  return recorded
}

/**
 * A new database gets the tables of `migrations/baseline`. One that was made before there was a baseline is brought up to it
 * by `migrations/upgrades`. Both then get the migrations that came after it.
 */
async function applyMigrations(client: pg.Client, recorded: ReadonlySet<string>): Promise<string[]> {
  const applied = recorded.has(BASELINE_MARK) ? [] : await reachBaseline(client, recorded)
  return [...applied, ...(await applyPending(client, 'migrations', recorded))]
}

async function reachBaseline(client: pg.Client, recorded: ReadonlySet<string>): Promise<string[]> {
  if (recorded.size === 0) {
    await inTransaction(client, async () => {
      for (const name of await sqlFiles('migrations/baseline'))
        await client.query(await readFile(`${directory}migrations/baseline/${name}`, 'utf8'))
      await record(client, BASELINE_MARK)
    })
    return [BASELINE_MARK]
  }
  const applied = await applyPending(client, 'migrations/upgrades', recorded)
  await record(client, BASELINE_MARK)
  return applied
}

/** Applies the migrations of a folder that are not recorded yet. */
async function applyPending(client: pg.Client, folder: string, recorded: ReadonlySet<string>): Promise<string[]> {
  const pending = (await sqlFiles(folder)).filter(name => !name.includes('/') && !recorded.has(name))
  for (const name of pending) await applyOne(client, folder, name)
  return pending
}

/** In a transaction of its own, unless the migration says that it cannot be in one. */
async function applyOne(client: pg.Client, folder: string, name: string): Promise<void> {
  const text = await readFile(`${directory}${folder}/${name}`, 'utf8')
  if (text.startsWith(NO_TRANSACTION)) {
    for (const statement of text.split(/;$/m)) await client.query(statement)
    return record(client, name)
  }
  await inTransaction(client, async () => {
    await client.query(text)
    await record(client, name)
  })
}

async function record(client: pg.Client, name: string): Promise<void> {
  await client.query('insert into public.coinop_migration (name) values ($1)', [name])
}

/**
 * Function bodies are checked only when they run, so the files may refer to each other in any order. Views are checked when they
 * are made, so the schema of the console comes after what it shows.
 */
async function applyFunctions(client: pg.Client): Promise<void> {
  const platform = await listFunctionFiles()
  const files = [
    ...platform.filter(({ schema }) => !CONSOLE_SCHEMAS.includes(schema)),
    ...(await listProductFiles('functions')),
    ...platform.filter(({ schema }) => schema === 'admin'),
    ...(await listProductFiles('admin')),
    ...platform.filter(({ schema }) => schema === 'console'),
  ]
  await inTransaction(client, async () => {
    await client.query('set local check_function_bodies = off; set local client_min_messages = warning')
    const schemas = new Set(files.map(({ schema }) => schema))
    for (const schema of schemas) await client.query(`create schema if not exists "${schema}"`)
    for (const { path } of files) await client.query(await readFile(directory + path, 'utf8'))
  })
}

/** Tells the database which states may follow which, as the products declare it. */
async function declareStates(client: pg.Client): Promise<void> {
  const declared = products.flatMap(({ states }) => states ?? [])
  const tables = declared.map(table => ({ ...table, initial: Object.keys(table.states)[0] }))
  await client.query('select transition.declare($1)', [JSON.stringify(tables)])
}

/** A file of functions, and the Postgres schema in which it defines them. */
interface FunctionFile {
  path: string
  schema: string
}

async function listFunctionFiles(): Promise<FunctionFile[]> {
  const names = await sqlFiles('functions')
  return names.map(name => ({ path: `functions/${name}`, schema: name.replace(/[-./].*$/, '') }))
}

/** The functions of a product are in its folder, and in the schema of its name; what the console shows of it is in `admin`. */
async function listProductFiles(folder: 'functions' | 'admin'): Promise<FunctionFile[]> {
  const listed = products.map(async ({ name }) => {
    const names = existsSync(`${directory}${name}/${folder}`) ? await sqlFiles(`${name}/${folder}`) : []
    const schema = folder === 'admin' ? 'admin' : name.replaceAll('-', '_')
    return names.map(file => ({ path: `${name}/${folder}/${file}`, schema }))
  })
  return (await Promise.all(listed)).flat()
}

/** Tells the database which settings there are and what they may be. */
async function declareSettings(client: pg.Client): Promise<void> {
  const declared = Object.entries(TUNABLES).map(([name, { default: standard, min, max, words, summary }]) => ({
    ...{ name, standard, least: min, most: max, words, summary },
    kind: Array.isArray(standard) ? 'list' : typeof standard,
  }))
  await client.query('select setting.declare($1)', [JSON.stringify(declared)])
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
