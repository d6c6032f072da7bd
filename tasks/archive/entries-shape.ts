import { type OutputPart, Problem, type Warning } from '#kit'
import { faultOf } from './names-shape.ts'

export const MOST_OUTPUTS = 100

export interface Entry {
  name: string
  kind: string
  sizeBytes: number
  compressedBytes: number
  isEncrypted: boolean
}

interface Choice {
  entries?: string[]
  skipUnsafe: boolean
}

export function plain({
  name,
  kind,
  sizeBytes,
  compressedBytes,
  isEncrypted,
  ...rest
}: Entry & { modifiedAt?: string }) {
  const { modifiedAt } = rest
  return { name, kind: kind as 'file', sizeBytes, compressedBytes, isEncrypted, ...(modifiedAt && { modifiedAt }) }
}

function reasonOf({ kind, name }: Entry): string | undefined {
  if (kind === 'link' || kind === 'other') return 'link'
  return faultOf(name.replace(/\/$/, '')) && 'path'
}

export function unsafeOf(entry: Entry): { unsafe?: string } {
  const reason = reasonOf(entry)
  return reason ? { unsafe: reason } : {}
}

export function wantedOf(entries: readonly Entry[], input: Choice): { wanted: number[]; skipped: number } {
  const chosen = input.entries ? input.entries.map(name => indexOf(entries, name)) : [...entries.keys()]
  const bad = chosen.filter(index => reasonOf(entries[index]!))
  const first = entries[bad[0] ?? -1]
  if (first && !input.skipUnsafe)
    throw new Problem('ARCHIVE_UNSAFE', { reason: reasonOf(first), name: first.name.slice(0, 200) })
  const wanted = chosen.filter(index => entries[index]!.kind === 'file' && !bad.includes(index))
  if (wanted.length > MOST_OUTPUTS) throw new Problem('TOO_MANY_OUTPUTS', { outputs: wanted.length, max: MOST_OUTPUTS })
  return { wanted, skipped: bad.length }
}

function indexOf(entries: readonly Entry[], name: string): number {
  const index = entries.findIndex(entry => entry.name === name)
  if (index < 0)
    throw new Problem('ENTRY_NOT_FOUND', { entry: name, available: entries.slice(0, 100).map(entry => entry.name) })
  return index
}

export function partOf(path: string, index: number, entry: string): OutputPart {
  return { index, entry, path, contentType: 'application/octet-stream', name: entry.split('/').at(-1)! }
}

export function skippedWarning(count: number): Warning {
  return { code: 'ENTRIES_SKIPPED', message: `${count} entries were left out: links, or names that lead elsewhere.` }
}
