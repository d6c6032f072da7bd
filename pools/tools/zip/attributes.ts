import type { ArchiveEntry } from '../unzip/entry.ts'

const UNIX_HOSTS = new Set([3, 19])
const LINK = 0o120000

/** Programs of other systems than Unix and Darwin write other things there, but nothing else that looks like a link. */
export function readMode(header: Buffer): number {
  const mode = header.readUInt32LE(38) >>> 16
  return UNIX_HOSTS.has(header[5]!) || (mode & 0o170000) === LINK ? mode : 0
}

export function classifyEntry(name: string, mode: number): ArchiveEntry['kind'] {
  const type = mode & 0o170000
  if (type === LINK) return 'link'
  if (name.endsWith('/') || type === 0o040000) return 'folder'
  return type === 0 || type === 0o100000 ? 'file' : 'other'
}

export function parseDosDate(value: number): string {
  const [day, clock] = [value >>> 16, value & 0xffff]
  const date = Date.UTC(
    (day >> 9) + 1980,
    ((day >> 5) & 15) - 1,
    day & 31,
    clock >> 11,
    (clock >> 5) & 63,
    (clock & 31) * 2,
  )
  return new Date(date).toISOString()
}
