import type { BackupPlace } from '../providers/backup/contract.ts'
import { DamagedManifest } from './errors.ts'
import { listBackupIds, type Manifest, openVerified, readManifest } from './manifest.ts'
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
