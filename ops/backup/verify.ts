import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { BackupError } from './errors.ts'
import type { Manifest } from './manifest.ts'
import { readObjectIndex } from './objects.ts'
import { measure, type Part, type Vault } from './vault.ts'

interface Verified {
  tables: number
  rows: number
  objects: number
  sizeBytes: number
  /** Keys that the snapshot names and whose objects had been deleted when they were to be copied. */
  absent: string[]
}

/** Reads all of a backup. Throws a BackupError at the first part that is missing or not as it was written. */
export async function verifyBackup(vault: Vault, manifest: Manifest): Promise<Verified> {
  for (const { part } of manifest.tables) if (part) await drain(vault.read(part), createGunzip())
  await drain(vault.read(manifest.secrets))
  const verified = { objects: 0, sizeBytes: 0, absent: [] as string[] }
  // An object that did not change between backups has one part, but each part is in the index once.
  for await (const { key, part, sha256, sizeBytes } of readObjectIndex(vault, manifest)) {
    if (!part) {
      verified.absent.push(key)
      continue
    }
    const found = await measureContent(vault, part)
    if (found.sha256 !== sha256 || found.sizeBytes !== sizeBytes)
      throw new BackupError(`The object ${key} of the backup is not as it was written.`)
    verified.objects += 1
    verified.sizeBytes += found.sizeBytes
  }
  if (verified.objects !== manifest.objects.count)
    throw new BackupError(`The backup has ${verified.objects} objects instead of ${manifest.objects.count}.`)
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  return { tables: manifest.tables.length, rows, ...verified }
}

async function measureContent(vault: Vault, part: Part): Promise<{ sizeBytes: number; sha256: string }> {
  const measured = measure(vault.read(part))
  await drain(measured.bytes)
  return measured.result()
}

async function drain(bytes: AsyncIterable<Uint8Array>, unpack?: NodeJS.ReadWriteStream): Promise<void> {
  const ignore = async (chunks: AsyncIterable<unknown>) => {
    for await (const _ of chunks) {
    }
  }
  if (unpack) await pipeline(bytes, unpack, ignore)
  else await ignore(bytes)
}
