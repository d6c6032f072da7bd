import type { BackupPlace } from '../providers/backup/contract.ts'
import { BackupError, DamagedManifest } from './errors.ts'
import { listBackupIds, type Manifest, openBackup, openVerified, readManifest } from './manifest.ts'
import { type KeyEnvelope, openMasterKey } from './passphrase.ts'
import { Vault } from './vault.ts'

export interface OpenedVault {
  vault: Vault
  envelope: KeyEnvelope
  /** The newest backup that is as it was written. */
  earlier: Manifest | undefined
}

/**
 * Opens a place with the newest manifest that is whole, or else with the key in the newest that still has one. Gives undefined if
 * there is none: what else is in the place can be read by nobody then.
 */
export async function openNewest(place: BackupPlace, passphrase: string): Promise<OpenedVault | undefined> {
  let changed: OpenedVault | undefined
  let refusal: unknown
  for (const id of (await listBackupIds(place)).reverse()) {
    try {
      const { key: envelope } = (await readManifest(place, id)).manifest
      const vault = new Vault(place, await openMasterKey(passphrase, envelope))
      changed ??= { vault, envelope, earlier: undefined }
      return { vault, envelope, earlier: await openVerified(vault, id) }
    } catch (error) {
      if (!(error instanceof DamagedManifest)) throw error
      if (error.isMaybeKey) refusal ??= error
    }
  }
  if (!changed && refusal) throw refusal
  return changed
}

interface FoundBackup {
  vault: Vault
  manifest: Manifest
  /** What is wrong with each newer backup whose manifest is damaged, the newest first. */
  newerDamaged: string[]
}

/** Opens the newest backup whose manifest is whole. Throws what is wrong with the newest if none is. */
export async function openNewestWhole(place: BackupPlace, passphrase: string | undefined): Promise<FoundBackup> {
  const faults: DamagedManifest[] = []
  for (const id of (await listBackupIds(place)).reverse()) {
    const found = await openUnlessDamaged(place, passphrase, id)
    if (!(found instanceof DamagedManifest)) return { ...found, newerDamaged: faults.map(({ message }) => message) }
    faults.push(found)
  }
  const fault = faults.find(({ isMaybeKey }) => isMaybeKey) ?? faults[0]
  if (fault) throw fault
  return { ...(await openBackup(place, passphrase)), newerDamaged: [] }
}

/** Opens a backup to restore it. Where the newest is damaged, an older one is restored only if it is named. */
export async function openToRestore(
  place: BackupPlace,
  passphrase: string | undefined,
  id: string | undefined,
): Promise<Omit<FoundBackup, 'newerDamaged'>> {
  try {
    return await openBackup(place, passphrase, id)
  } catch (error) {
    if (id !== undefined || !(error instanceof DamagedManifest)) throw error
    const whole = await openNewestWhole(place, passphrase).catch(() => undefined)
    if (!whole) throw error
    throw new BackupError(`${error.message} To restore the newest one that is whole, name it: ${whole.manifest.id}.`)
  }
}

/** What is wrong with each backup before one, whose manifest is damaged, the newest first. */
export async function listOlderDamaged(
  place: BackupPlace,
  passphrase: string | undefined,
  before: string,
): Promise<string[]> {
  const damaged: string[] = []
  for (const id of (await listBackupIds(place)).filter(each => each < before).reverse()) {
    const found = await openUnlessDamaged(place, passphrase, id)
    if (found instanceof DamagedManifest) damaged.push(found.message)
  }
  return damaged
}

async function openUnlessDamaged(place: BackupPlace, passphrase: string | undefined, id: string) {
  try {
    return await openBackup(place, passphrase, id)
  } catch (error) {
    if (error instanceof DamagedManifest) return error
    throw error
  }
}
