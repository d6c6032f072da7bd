import type { FileHandle } from 'node:fs/promises'
import { type ArchiveEntry, MAX_ENTRIES, type OpenArchive, parseProblem, unsafeProblem } from './entry.ts'

const BLOCK_BYTES = 512
const CHUNK_BYTES = 256 * 1024
const MAX_EXTENDED_HEADER_BYTES = 64 * 1024

interface TarEntry extends ArchiveEntry {
  offset: number
}

export function isTar(header: Buffer): boolean {
  return (
    header.length >= BLOCK_BYTES &&
    header.toString('latin1', 257, 262) === 'ustar' &&
    computeChecksum(header) === readNumber(header, 148, 8)
  )
}

export async function openTar(file: FileHandle, sizeBytes: number): Promise<OpenArchive> {
  const entries = await readEntries(file, sizeBytes)
  return {
    format: 'tar',
    entries,
    read: index => readContent(file, entries[index]!),
    close: () => file.close(),
  }
}

async function* readContent(file: FileHandle, { offset, sizeBytes }: TarEntry): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < sizeBytes; position += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, sizeBytes - position)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset + position)
    if (bytesRead < length) throw parseProblem('the archive is truncated')
    yield buffer
  }
}

interface Overrides {
  name?: string
  size?: number
}

async function readEntries(file: FileHandle, sizeBytes: number): Promise<TarEntry[]> {
  const entries: TarEntry[] = []
  let overrides: Overrides = {}
  let offset = 0
  while (offset + BLOCK_BYTES <= sizeBytes) {
    const header = await readBlock(file, offset, BLOCK_BYTES)
    if (header.every(byte => byte === 0)) break
    const size = readEntrySize(header, overrides, sizeBytes - offset - BLOCK_BYTES)
    const type = String.fromCharCode(header[156]!)
    if (type === 'L' || type === 'x')
      overrides = { ...overrides, ...(await readExtendedHeader(file, offset + BLOCK_BYTES, size, type)) }
    else if (type !== 'g' && type !== 'K') {
      entries.push(parseEntry(header, type, offset + BLOCK_BYTES, size, overrides.name))
      overrides = {}
    }
    if (entries.length > MAX_ENTRIES) throw unsafeProblem('entries', { limit: MAX_ENTRIES })
    offset += BLOCK_BYTES + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }
  return entries
}

/** The size of the entry, after checking the header's checksum and that the file contains as many bytes. */
function readEntrySize(header: Buffer, { size }: Overrides, remainingBytes: number): number {
  if (computeChecksum(header) !== readNumber(header, 148, 8)) throw parseProblem('an entry header is damaged')
  const length = size ?? readNumber(header, 124, 12)
  if (length < 0 || length > remainingBytes) throw parseProblem('the archive is truncated')
  return length
}

async function readBlock(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  if (bytesRead < length) throw parseProblem('the archive is truncated')
  return buffer
}

/** Contains either a long name (GNU), or a list of `length key=value` lines (pax). */
async function readExtendedHeader(file: FileHandle, offset: number, size: number, type: string): Promise<Overrides> {
  if (size > MAX_EXTENDED_HEADER_BYTES) throw parseProblem('an extended header is too long')
  const text = (await readBlock(file, offset, size)).toString('utf8')
  if (type === 'L') return { name: text.replace(/\0.*$/s, '') }
  const overrides: Overrides = {}
  for (const [, key, value] of text.matchAll(/\d+ (path|size)=([^\n]*)\n/g)) {
    if (key === 'path') overrides.name = value
    else if (/^\d{1,15}$/.test(value!)) overrides.size = Number(value)
  }
  return overrides
}

const KINDS: Record<string, ArchiveEntry['kind']> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  '5': 'folder',
}

function parseEntry(
  header: Buffer,
  type: string,
  offset: number,
  size: number,
  longName: string | undefined,
): TarEntry {
  const prefix = readText(header, 345, 155)
  const shortName = readText(header, 0, 100)
  const name =
    longName ?? (prefix && header.toString('latin1', 257, 263) === 'ustar\0' ? `${prefix}/${shortName}` : shortName)
  const kind = name.endsWith('/') ? 'folder' : (KINDS[type] ?? 'other')
  const modifiedAt = new Date(Math.min(readNumber(header, 136, 12), 8e9) * 1000).toISOString()
  return { name, kind, sizeBytes: size, compressedBytes: size, isEncrypted: false, modifiedAt, offset }
}

function readText(header: Buffer, start: number, length: number): string {
  return header.toString('utf8', start, start + length).replace(/\0.*$/s, '')
}

/** Octal digits, or a binary number marked by its highest bit (GNU). */
function readNumber(header: Buffer, start: number, length: number): number {
  if ((header[start]! & 0x80) !== 0) return Number(header.readBigUInt64BE(start + length - 8))
  return Number.parseInt(readText(header, start, length).trim() || '0', 8) || 0
}

function computeChecksum(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0)
}
