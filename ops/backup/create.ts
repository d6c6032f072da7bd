import type { Db } from '../../sql/db.ts'
import { type BackupCounts, failBackup, startBackup, succeedBackup } from '../../sql/installation/backups.ts'
import { readInstallation } from '../../sql/installation/quiet.ts'
import type { Config, describeVariables } from '../config.ts'
import type { BackupPlace } from '../providers/backup/contract.ts'
import type { ObjectStore } from '../providers/storage/contract.ts'
import { requireApart } from './apart.ts'
import { saveTable } from './copies.ts'
import { BackupError } from './errors.ts'
import { createBackupId, type Manifest, writeManifest } from './manifest.ts'
import { type OpenedVault, openNewest } from './newest.ts'
import { listDueObjects, saveObjects } from './objects.ts'
import { createMasterKey } from './passphrase.ts'
import { removeOldBackups } from './remove-old.ts'
import { openSnapshot, readSequences, type Snapshot } from './snapshot.ts'
import { Vault } from './vault.ts'

// Decision 0521: copy the database by its own statements, not by pg_dump.

interface BackupRequest {
  db: Db
  url: string
  config: Pick<Config, 'secret' | 'backup' | 'dataDir' | 's3'>
  store: ObjectStore
  place: BackupPlace
  /** What is set in the environment, for who restores the backup. */
  variables: ReturnType<typeof describeVariables>
  /** How many backups of this installation are kept, with this one. */
  keep: number
}

interface CreatedBackup {
  id: string
  counts: BackupCounts
  /** Keys of objects that the snapshot names and that were deleted before they could be copied. */
  absent: string[]
  removed: number
}

/** Copies database, objects and secret, as they are at one moment, and then removes the backups before those to be kept. */
export async function createBackup(request: BackupRequest): Promise<CreatedBackup> {
  const { key } = request.config.backup
  if (key === undefined) throw new BackupError('Set BACKUP_KEY to a passphrase of at least 16 characters.')
  await using snapshot = await openSnapshot(request.url)
  const id = createBackupId(snapshot.takenAt)
  await startBackup(request.db, id, request.place.address)
  const { vault, ...made } = await makeBackup(request, snapshot, id, key).catch(async (error: Error) => {
    await failBackup(request.db, id, error.message).catch(() => undefined)
    throw error
  })
  try {
    return { id, ...made, removed: await removeOldBackups(vault, request.keep) }
  } catch (error) {
    throw new BackupError(`The backup ${id} was made, but older ones could not be removed: ${(error as Error).message}`)
  }
}

/** Throws if a place that an operator has just named cannot have backups of this installation; no attempt is recorded. */
export async function requireUsablePlace({ db, config, place }: BackupRequest): Promise<void> {
  requireApart(place, config)
  await place.prepare?.()
  if (config.backup.key === undefined) return
  const { id } = await readInstallation(db)
  await openVault(place, config.backup.key, id)
}

async function makeBackup(request: BackupRequest, snapshot: Snapshot, id: string, key: string) {
  const { db, place, config } = request
  requireApart(place, config)
  const { id: installation } = await readInstallation(db)
  const opened = await openVault(place, key, installation)
  const { manifest, absent } = await save(request, snapshot, opened, { id, installation })
  await writeManifest(opened.vault, manifest)
  const counts = summarise(manifest)
  await succeedBackup(db, id, counts)
  return { vault: opened.vault, counts, absent }
}

/** All backups in a place have one key, so that what did not change is kept once. A damaged manifest is passed over. */
async function openVault(place: BackupPlace, key: string, installation: string): Promise<OpenedVault> {
  const { vault, envelope, earlier } = (await openNewest(place, key)) ?? (await openEmpty(place, key))
  if (earlier && earlier.installation !== installation)
    throw new BackupError(`${place.address} has backups of another installation; choose another folder or prefix.`)
  return { vault, envelope, earlier }
}

async function openEmpty(place: BackupPlace, key: string): Promise<OpenedVault> {
  const { master, envelope } = await createMasterKey(key)
  return { vault: new Vault(place, master), envelope, earlier: undefined }
}

async function save(
  { config, store, variables }: BackupRequest,
  { client, takenAt, tables, facts }: Snapshot,
  { vault, envelope, earlier }: OpenedVault,
  ids: Pick<Manifest, 'id' | 'installation'>,
): Promise<{ manifest: Manifest; absent: string[] }> {
  const copies = []
  for (const table of tables) copies.push(await saveTable(client, vault, table))
  const due = await listDueObjects(client, store)
  const sequences = await readSequences(client)
  // Rows that others delete from here on need not be kept for the snapshot any more.
  await client.query('commit')
  const { objects, absent } = await saveObjects(vault, store, due, earlier)
  const secrets = await vault.write(toJson({ secret: config.secret, ...variables }))
  // Fails if the connection was lost, and with it the lock.
  await client.query('select 1')
  const times = { snapshotAt: takenAt.toISOString(), endedAt: new Date().toISOString() }
  const manifest = { format: 1 as const, ...ids, ...times, ...facts, tables: copies, sequences, objects, secrets }
  return { manifest: { ...manifest, key: envelope }, absent }
}

async function* toJson(data: object): AsyncGenerator<Buffer, undefined> {
  yield Buffer.from(JSON.stringify(data))
}

function summarise({ tables, objects }: Manifest): BackupCounts {
  const { count, copied, absent, sizeBytes } = objects
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return { tables: tables.length, rows, objects: count, copied, absent, sizeBytes }
}
