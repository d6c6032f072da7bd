import { listBackupIds, type Manifest, openVerified, removeManifest } from './manifest.ts'
import { readObjectIndex } from './objects.ts'
import { isPartName, type Vault } from './vault.ts'

/**
 * Removes the oldest backups and then every part that no other needs, also those of backups that were never finished. Returns how
 * many backups it removed. While one that is kept has a damaged manifest, no part is removed, because nobody knows which are its.
 * Only who makes a backup may call it: nobody else writes parts meanwhile.
 */
export async function removeOldBackups(vault: Vault, keep: number): Promise<number> {
  const ids = await listBackupIds(vault.place)
  const old = ids.slice(0, Math.max(0, ids.length - keep))
  for (const id of old) await removeManifest(vault.place, id)
  const needed = new Set<string>()
  for (const id of ids.slice(old.length)) {
    for await (const name of listParts(vault, await openVerified(vault, id))) needed.add(name)
  }
  for await (const name of vault.place.list('parts/'))
    if (isPartName(name) && !needed.has(name)) await vault.place.remove(name)
  await vault.place.removeDrafts?.()
  return old.length
}

async function* listParts(vault: Vault, manifest: Manifest): AsyncGenerator<string, undefined> {
  for (const { part } of manifest.tables) if (part) yield part.name
  yield manifest.objects.part.name
  yield manifest.secrets.name
  for await (const { part } of readObjectIndex(vault, manifest)) if (part) yield part.name
}
