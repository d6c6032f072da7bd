import { rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type pg from 'pg'
import { RESTORE_MARK } from '../../sql/installation/restoring.ts'
import { completeTables, createTables, findUnknownMigrations } from '../../sql/migrate.ts'
import { products } from '../../tasks/products/index.ts'
import type { ObjectStore } from '../providers/storage/contract.ts'
import { loadTable } from './copies.ts'
import { BackupError } from './errors.ts'
import type { Manifest } from './manifest.ts'
import { loadObjects, readObjectIndex } from './objects.ts'
import { connect } from './snapshot.ts'
import {
  type InstallationSecrets,
  markRestoring,
  removeRestored,
  requireEmptyDatabase,
  requireEmptyFolder,
  requireTables,
  writeSecrets,
} from './target.ts'
import type { Vault } from './vault.ts'
import { verifyBackup } from './verify.ts'

/** The installation that a backup becomes. */
interface RestoreTarget {
  dataDir: string
  /** Whether it must not settle, send or ask until its operator wakes it. */
  isQuiet: boolean
  /** A database that has no tables; without it, the embedded one is made. */
  databaseUrl: string | undefined
  openStore(secret: string): ObjectStore
  openEmbedded(): Promise<{ url: string; close(): Promise<void> }>
}

/** Reads all of the backup before it changes anything. What it could not finish it takes back. */
export async function restoreBackup(vault: Vault, manifest: Manifest, target: RestoreTarget) {
  const unknown = await findUnknownMigrations(manifest.migrations)
  if (unknown.length > 0)
    throw new BackupError(
      `The backup was made by a later release, which has ${unknown.join(', ')}; restore it with that one.`,
    )
  requireEmptyFolder(target.dataDir)
  if (target.databaseUrl !== undefined) await requireEmptyDatabase(target.databaseUrl)
  const verified = await verifyBackup(vault, manifest)
  const found = JSON.parse(await text(vault.read(manifest.secrets))) as InstallationSecrets
  const store = target.openStore(found.secret)
  await requireEmptyStore(store)
  const database =
    target.databaseUrl === undefined
      ? await target.openEmbedded()
      : { url: target.databaseUrl, close: async () => undefined }
  try {
    await writeSecrets(target.dataDir, found)
    await loadObjects(vault, manifest, store)
    await loadDatabase(database.url, vault, manifest, target.isQuiet)
  } catch (error) {
    await takeBack(database.url, vault, manifest, store).catch(() => undefined)
    await database.close()
    rmSync(target.dataDir, { recursive: true, force: true })
    throw error
  }
  await database.close()
  return verified
}

async function requireEmptyStore(store: ObjectStore): Promise<void> {
  for await (const { key } of store.list(''))
    throw new BackupError(`The object store is not empty: it has ${key}; name a new bucket or a new data folder.`)
}

async function loadDatabase(url: string, vault: Vault, manifest: Manifest, isQuiet: boolean): Promise<void> {
  const client = await connect(url)
  try {
    await removeRestored(client)
    await markRestoring(client, manifest.id)
    await createTables(url, manifest.migrations)
    await requireTables(client, manifest)
    await client.query('begin')
    await loadRows(client, vault, manifest)
    await client.query('commit')
    await completeTables(url)
    await client.query('begin')
    await client.query('select installation.found($1, $2)', [manifest.id, isQuiet])
    for (const { restored } of products) if (restored) await client.query(`select ${restored}()`)
    await client.query(`drop table public.${RESTORE_MARK}`)
    await client.query('commit')
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** The tables are new, so nobody waits for them. Their triggers have done their work where the rows were written first. */
async function loadRows(client: pg.Client, vault: Vault, manifest: Manifest): Promise<void> {
  const { tables, sequences } = manifest
  for (const { name } of tables) await client.query(`alter table ${name} disable trigger user`)
  await createPartitions(client, manifest)
  await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  for (const table of tables) await loadTable(client, vault, table)
  for (const { name, value } of sequences) await client.query('select setval($1::regclass, $2::bigint)', [name, value])
  for (const { name } of tables) await client.query(`alter table ${name} enable trigger user`)
}

/** A new database has partitions of its own, which are empty. */
async function createPartitions(client: pg.Client, { partitions, tables }: Manifest): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select i.inhrelid::regclass::text as name from pg_inherits i join pg_class p on p.oid = i.inhparent
    where p.relkind = 'p' and i.inhparent = any ($1::text[]::regclass[])`,
    [tables.map(({ name }) => name)],
  )
  for (const { name } of rows) await client.query(`drop table ${name}`)
  for (const { name, parent, bound } of partitions)
    await client.query(`create table ${name} partition of ${parent} ${bound}`)
}

async function takeBack(url: string, vault: Vault, manifest: Manifest, store: ObjectStore): Promise<void> {
  const client = await connect(url)
  try {
    await removeRestored(client)
  } finally {
    await client.end()
  }
  for await (const { key, part } of readObjectIndex(vault, manifest)) if (part) await store.remove(key)
}
