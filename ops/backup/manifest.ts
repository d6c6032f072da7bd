import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { BackupPlace } from '../providers/backup/contract.ts'
import { BackupError, DamagedManifest } from './errors.ts'
import { isManifestSignature, type KeyEnvelope, openMasterKey, signManifest } from './passphrase.ts'
import { type Part, Vault } from './vault.ts'

const FORMAT = 1
const PREFIX = 'backups/'

/** The rows of one table; without a part it has none. */
export interface TableCopy {
  name: string
  columns: string[]
  rows: number
  part?: Part
}

/** Everything of one backup. It is written last, so that a backup without it was not finished. Of what it names nothing is secret. */
export interface Manifest {
  format: typeof FORMAT
  id: string
  installation: string
  /** The moment at which the database was as it is here. */
  snapshotAt: string
  endedAt: string
  postgres: string
  /** The migrations that the database had had. */
  migrations: string[]
  /** The version of the schema of each queue. */
  queues: Record<string, number>
  /** In an order in which their rows can be inserted. */
  tables: TableCopy[]
  partitions: { name: string; parent: string; bound: string }[]
  sequences: { name: string; value: string }[]
  objects: { part: Part; count: number; sizeBytes: number; copied: number; absent: number }
  /** The secret of the installation, and the names and values of its settings in the environment. */
  secrets: Part
  key: KeyEnvelope
}

const ID = /^\d{8}-\d{6}-[0-9a-f]{6}$/

/**
 * Ids begin with the time, so that they sort by it and can be told from each other by a person. What comes behind the seconds are
 * the milliseconds, because backups of one second must sort too, and three digits by chance.
 */
export function createBackupId(at: Date): string {
  const time = at.toISOString().slice(0, 19).replaceAll(/[:-]/g, '').replace('T', '-')
  const milliseconds = at.getUTCMilliseconds().toString(16).padStart(3, '0')
  return `${time}-${milliseconds}${randomBytes(2).toString('hex').slice(0, 3)}`
}

export async function writeManifest({ place, master }: Vault, manifest: Manifest): Promise<void> {
  const signature = signManifest(master, JSON.stringify(manifest))
  const bytes = Buffer.from(`${JSON.stringify({ manifest, signature })}\n`)
  await place.put(PREFIX + manifest.id, toChunks(bytes))
}

export async function removeManifest(place: BackupPlace, id: string): Promise<void> {
  await place.remove(PREFIX + id)
}

/** The ids of the backups that were finished, the oldest first. */
export async function listBackupIds(place: BackupPlace): Promise<string[]> {
  const names = await Array.fromAsync(place.list(PREFIX))
  // Files of others are no backups, and are never removed as such.
  return names.flatMap(name => name.slice(PREFIX.length).match(ID)?.[0] ?? []).sort()
}

/** What a manifest states, before its signature is checked. */
export async function readManifest(
  place: BackupPlace,
  id: string,
): Promise<{ manifest: Manifest; signature: unknown }> {
  const stored = await text(await place.read(PREFIX + id))
  try {
    const { manifest, signature } = JSON.parse(stored) as { manifest: Manifest; signature: unknown }
    if (manifest.format !== FORMAT) throw new BackupError(`The backup ${id} was made by a later version of coinop.`)
    return { manifest, signature }
  } catch (error) {
    throw error instanceof BackupError ? error : new DamagedManifest(`The manifest of the backup ${id} is damaged.`)
  }
}

/** Opens a backup of a place, the newest if none is named. */
export async function openBackup(
  place: BackupPlace,
  passphrase: string | undefined,
  id?: string,
): Promise<{ vault: Vault; manifest: Manifest }> {
  const ids = await listBackupIds(place)
  const wanted = id ?? ids.at(-1)
  if (wanted === undefined) throw new BackupError(`There is no backup in ${place.address}.`)
  if (!ids.includes(wanted)) throw new BackupError(`There is no backup ${wanted} in ${place.address}.`)
  if (passphrase === undefined)
    throw new BackupError('Set BACKUP_KEY to the passphrase with which the backup was made.')
  const { manifest } = await readManifest(place, wanted)
  const vault = new Vault(place, await openMasterKey(passphrase, manifest.key))
  return { vault, manifest: await openVerified(vault, wanted) }
}

/** The manifest of a backup, whose signature is that of the key. */
export async function openVerified({ place, master }: Vault, id: string): Promise<Manifest> {
  const { manifest, signature } = await readManifest(place, id)
  if (manifest.id === id && isManifestSignature(master, JSON.stringify(manifest), signature)) return manifest
  throw new DamagedManifest(`The manifest of the backup ${id} was changed after it was written.`)
}

async function* toChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes
}
