import type { FileHandle } from 'node:fs/promises'
import { type ArchiveEntry, broken, MOST_ENTRIES, type OpenArchive, unsafe } from './archive-entry.ts'

const BLOCK = 512
const PIECE = 256 * 1024
const MOST_HEADER = 64 * 1024

interface TarFile extends ArchiveEntry {
  offset: number
}

export function isTar(head: Buffer): boolean {
  return head.length >= BLOCK && head.toString('latin1', 257, 262) === 'ustar' && sumOf(head) === octal(head, 148, 8)
}

export async function openTar(file: FileHandle, sizeBytes: number): Promise<OpenArchive> {
  const entries = await readEntries(file, sizeBytes)
  return {
    format: 'tar',
    entries,
    read: index => piecesOf(file, entries[index]!),
    close: () => file.close(),
  }
}

async function* piecesOf(file: FileHandle, { offset, sizeBytes }: TarFile): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < sizeBytes; at += PIECE) {
    const length = Math.min(PIECE, sizeBytes - at)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset + at)
    if (bytesRead < length) throw broken('cut off')
    yield buffer
  }
}

interface Overrides {
  name?: string
  size?: number
}

async function readEntries(file: FileHandle, sizeBytes: number): Promise<TarFile[]> {
  const entries: TarFile[] = []
  let overrides: Overrides = {}
  let at = 0
  while (at + BLOCK <= sizeBytes) {
    const head = await blockAt(file, at, BLOCK)
    if (head.every(byte => byte === 0)) break
    const size = checkedSize(head, overrides, sizeBytes - at - BLOCK)
    const type = String.fromCharCode(head[156]!)
    if (type === 'L' || type === 'x') overrides = { ...overrides, ...(await extended(file, at + BLOCK, size, type)) }
    else if (type !== 'g' && type !== 'K') {
      entries.push(entryOf(head, type, at + BLOCK, size, overrides.name))
      overrides = {}
    }
    if (entries.length > MOST_ENTRIES) throw unsafe('entries', { limit: MOST_ENTRIES })
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return entries
}

/** What follows a header that holds together and a file that has as much. */
function checkedSize(head: Buffer, { size }: Overrides, left: number): number {
  if (sumOf(head) !== octal(head, 148, 8)) throw broken('a broken header')
  const length = size ?? octal(head, 124, 12)
  if (length < 0 || length > left) throw broken('cut off')
  return length
}

async function blockAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  if (bytesRead < length) throw broken('cut off')
  return buffer
}

/** A long name, or a list of `length key=value` lines. */
async function extended(file: FileHandle, offset: number, size: number, type: string): Promise<Overrides> {
  if (size > MOST_HEADER) throw broken('a header that is too long')
  const text = (await blockAt(file, offset, size)).toString('utf8')
  if (type === 'L') return { name: text.replace(/\0.*$/s, '') }
  const found: Overrides = {}
  for (const [, key, value] of text.matchAll(/\d+ (path|size)=([^\n]*)\n/g)) {
    if (key === 'path') found.name = value
    else if (/^\d{1,15}$/.test(value!)) found.size = Number(value)
  }
  return found
}

const KINDS: Record<string, ArchiveEntry['kind']> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  '5': 'folder',
}

function entryOf(head: Buffer, type: string, offset: number, size: number, longName: string | undefined): TarFile {
  const prefix = textAt(head, 345, 155)
  const short = textAt(head, 0, 100)
  const name = longName ?? (prefix && head.toString('latin1', 257, 263) === 'ustar\0' ? `${prefix}/${short}` : short)
  const kind = name.endsWith('/') ? 'folder' : (KINDS[type] ?? 'other')
  const modifiedAt = new Date(Math.min(octal(head, 136, 12), 8e9) * 1000).toISOString()
  return { name, kind, sizeBytes: size, compressedBytes: size, isEncrypted: false, modifiedAt, offset }
}

function textAt(head: Buffer, start: number, length: number): string {
  return head.toString('utf8', start, start + length).replace(/\0.*$/s, '')
}

/** Digits of eight, or from GNU a plain number with its highest bit set. */
function octal(head: Buffer, start: number, length: number): number {
  if ((head[start]! & 0x80) !== 0) return Number(head.readBigUInt64BE(start + length - 8))
  return Number.parseInt(textAt(head, start, length).trim() || '0', 8) || 0
}

function sumOf(head: Buffer): number {
  return head.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0)
}
