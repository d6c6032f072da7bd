import type pg from 'pg'
import { LANES } from '#kit'
import { createClient } from '../../sql/hosts/primary.ts'
import { BackupBusy, BackupError } from './errors.ts'
import type { Manifest } from './manifest.ts'

/** An arbitrary number: whoever makes a backup of a database holds this lock, so that only one is made at a time. */
const BACKUP_LOCK = 7_262_013
const QUEUES = [...LANES, 'step'].map(queue => `lane_${queue}`)
/** The schemas whose tables belong to a backup. All others hold functions and views. */
const SCHEMAS = ['svc', ...QUEUES]

export interface Table {
  /** Quoted, with its schema. */
  name: string
  columns: string[]
}

/** The database as it is at one moment, however long it is read. */
export interface Snapshot extends AsyncDisposable {
  client: pg.Client
  takenAt: Date
  tables: Table[]
  facts: Pick<Manifest, 'postgres' | 'migrations' | 'queues' | 'partitions'>
}

/** Throws if another process makes a backup of this database. */
export async function openSnapshot(url: string): Promise<Snapshot> {
  const client = await connect(url)
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [BACKUP_LOCK])
    if (!rows[0]!.held) throw new BackupBusy()
    await client.query('begin isolation level repeatable read read only')
    const { rows: times } = await client.query<{ now: Date }>('select now()')
    const tables = await listTables(client)
    return {
      client,
      takenAt: times[0]!.now,
      tables: await sortByReferences(client, tables),
      facts: await readFacts(client),
      [Symbol.asyncDispose]: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

/** A connection whose statements may take as long as they need. What it writes and reads is the same on every server. */
export async function connect(url: string): Promise<pg.Client> {
  const client = createClient(url, { application_name: 'coinop backup', keepAlive: true })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = '60s';
    set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex';
    set extra_float_digits = 1; set client_encoding = 'UTF8'; set search_path = pg_catalog, public`)
  return client
}

/** The tables with their columns, apart from those that Postgres computes. Rows of partitions are rows of their tables. */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name, array_agg(format('%I', a.attname) order by a.attnum)::text[] as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
      and not (n.nspname = any ($2) and c.relname = 'migrations')
    group by 1 order by 1`,
    [SCHEMAS, QUEUES],
  )
  return rows
}

/** Those that others refer to come first. */
async function sortByReferences(client: pg.Client, tables: readonly Table[]): Promise<Table[]> {
  const { rows } = await client.query<{ from: string; to: string }>(
    `select distinct format('%I.%I', fn.nspname, f.relname) as from, format('%I.%I', tn.nspname, t.relname) as to
    from pg_constraint c join pg_class f on f.oid = c.conrelid join pg_namespace fn on fn.oid = f.relnamespace
      join pg_class t on t.oid = c.confrelid join pg_namespace tn on tn.oid = t.relnamespace
    where c.contype = 'f' and c.conrelid <> c.confrelid and fn.nspname = any ($1)`,
    [SCHEMAS],
  )
  const sorted = new Map<string, Table>()
  let left = [...tables]
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name))
    const ready = left.filter(({ name }) => !rows.some(({ from, to }) => from === name && names.has(to)))
    if (ready.length === 0) throw new BackupError(`Tables refer to each other in a circle: ${[...names].join(', ')}.`)
    for (const table of ready) sorted.set(table.name, table)
    left = left.filter(({ name }) => !sorted.has(name))
  }
  return [...sorted.values()]
}

async function readFacts(client: pg.Client): Promise<Snapshot['facts']> {
  const { rows: migrations } = await client.query<{ name: string }>(
    'select name from public.coinop_migration order by name',
  )
  const { rows: partitions } = await client.query<Manifest['partitions'][number]>(
    `select format('%I.%I', n.nspname, c.relname) as name, format('%I.%I', pn.nspname, p.relname) as parent,
      pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_inherits i on i.inhrelid = c.oid
      join pg_class p on p.oid = i.inhparent join pg_namespace pn on pn.oid = p.relnamespace
    where c.relispartition and c.relkind = 'r' and n.nspname = any ($1) order by 1`,
    [SCHEMAS],
  )
  const { rows: version } = await client.query<{ server_version: string }>('show server_version')
  return {
    postgres: version[0]!.server_version,
    migrations: migrations.map(({ name }) => name),
    queues: await readQueueVersions(client),
    partitions,
  }
}

export async function readQueueVersions(client: pg.Client): Promise<Record<string, number>> {
  const versions: Record<string, number> = {}
  for (const queue of QUEUES) {
    const { rows } = await client.query<{ max: number }>(`select max(id) from ${queue}.migrations`)
    versions[queue] = rows[0]!.max
  }
  return versions
}

/** They are not part of the snapshot, so they are read after the tables: a number may be skipped, but none is given twice. */
export async function readSequences(client: pg.Client): Promise<Manifest['sequences']> {
  const { rows } = await client.query<Manifest['sequences'][number]>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
    where schemaname = any ($1) and last_value is not null order by 1`,
    [SCHEMAS],
  )
  return rows
}
