import { type OutputPart, Problem, type Warning } from '#kit'
import { findEscape } from '../../formats/archive/names.ts'

export const MAX_OUTPUTS = 100

interface Entry {
  name: string
  kind: string
  sizeBytes: number
  compressedBytes: number
  isEncrypted: boolean
}

interface Selection {
  entries?: string[]
  skipUnsafe: boolean
}

export function describeEntry({
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

function findUnsafeReason({ kind, name }: Entry): string | undefined {
  if (kind === 'link' || kind === 'other') return 'link'
  return findEscape(name.replace(/\/$/, '')) && 'path'
}

export function describeUnsafe(entry: Entry): { unsafe?: string } {
  const reason = findUnsafeReason(entry)
  return reason ? { unsafe: reason } : {}
}

export function selectEntries(entries: readonly Entry[], input: Selection): { wanted: number[]; skipped: number } {
  const chosen = input.entries ? input.entries.map(name => findEntry(entries, name)) : [...entries.keys()]
  const bad = chosen.filter(index => findUnsafeReason(entries[index]!))
  const first = entries[bad[0] ?? -1]
  if (first && !input.skipUnsafe)
    throw new Problem('ARCHIVE_UNSAFE', { reason: findUnsafeReason(first), name: first.name.slice(0, 200) })
  const wanted = chosen.filter(index => entries[index]!.kind === 'file' && !bad.includes(index))
  if (wanted.length > MAX_OUTPUTS) throw new Problem('TOO_MANY_OUTPUTS', { outputs: wanted.length, max: MAX_OUTPUTS })
  return { wanted, skipped: bad.length }
}

function findEntry(entries: readonly Entry[], name: string): number {
  const index = entries.findIndex(entry => entry.name === name)
  if (index < 0)
    throw new Problem('ENTRY_NOT_FOUND', { entry: name, available: entries.slice(0, 100).map(entry => entry.name) })
  return index
}

export function createPart(path: string, index: number, entry: string): OutputPart {
  return { index, entry, path, contentType: 'application/octet-stream', name: entry.split('/').at(-1)! }
}

export function createSkippedWarning(count: number): Warning {
  return {
    code: 'ENTRIES_SKIPPED',
    message: `${count} entries were skipped: they are links, or their names lead out of the folder.`,
  }
}
