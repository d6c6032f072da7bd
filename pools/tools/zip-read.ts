import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { Problem } from '#kit'
import { type ArchiveEntry, broken, limited, MOST_ENTRIES, type OpenArchive, unsafe } from './archive-entry.ts'
import { MAC_BYTES, SALT_BYTES, ZipAes } from './zip-crypto.ts'
import { ZipCrypto } from './zip-legacy.ts'

interface ZipFile extends ArchiveEntry {
  method: number
  crc: number
  offset: number
  strength: number
  realMethod: number
  /** What a legacy password is checked against. */
  checkByte: number
}

const TAIL = 65_557
const MOST_DIRECTORY = 64 * 2 ** 20

export async function openZip(file: FileHandle, sizeBytes: number): Promise<OpenArchive> {
  const { count, size, offset } = await findEnd(file, sizeBytes)
  if (count > MOST_ENTRIES) throw unsafe('entries', { limit: MOST_ENTRIES, actual: count })
  if (offset + size > sizeBytes || size > MOST_DIRECTORY) throw broken('the directory lies outside')
  const directory = await bytesAt(file, offset, size)
  const entries = readDirectory(directory, count)
  refuseOverlaps(entries, offset)
  return {
    format: 'zip',
    entries,
    read: (index, password) => readEntry(file, entries[index]!, password),
    close: () => file.close(),
  }
}

async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  if (bytesRead < length) throw broken('cut off')
  return buffer
}

async function findEnd(file: FileHandle, sizeBytes: number): Promise<{ count: number; size: number; offset: number }> {
  const length = Math.min(sizeBytes, TAIL)
  const tail = await bytesAt(file, sizeBytes - length, length)
  const at = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (at < 0 || at + 22 > length) throw broken('no end of the directory')
  const end = {
    count: tail.readUInt16LE(at + 10),
    size: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  }
  const locator = at - 20
  if (locator < 0 || tail.toString('latin1', locator, locator + 4) !== 'PK\x06\x07') return end
  const place = Number(tail.readBigUInt64LE(locator + 8))
  if (place + 56 > sizeBytes) throw broken('the directory lies outside')
  const large = await bytesAt(file, place, 56)
  const number = (from: number) => Number(large.readBigUInt64LE(from))
  return { count: number(32), size: number(40), offset: number(48) }
}

function readDirectory(directory: Buffer, count: number): ZipFile[] {
  const entries: ZipFile[] = []
  let at = 0
  try {
    while (entries.length < count) {
      if (directory.readUInt32LE(at) !== 0x02014b50) throw broken('a broken directory')
      const [name, extra, comment] = [28, 30, 32].map(from => directory.readUInt16LE(at + from)) as [
        number,
        number,
        number,
      ]
      const start = at + 46
      const fields = directory.subarray(start + name, start + name + extra)
      entries.push(readHeader(directory.subarray(at, start), directory.subarray(start, start + name), fields))
      at = start + name + extra + comment
    }
  } catch (error) {
    if (error instanceof RangeError) throw broken('a broken directory')
    throw error
  }
  return entries
}

function readHeader(head: Buffer, nameBytes: Buffer, extra: Buffer): ZipFile {
  const flags = head.readUInt16LE(8)
  const large = fieldOf(extra, 0x0001)
  let used = 0
  const size = (from: number) => {
    const value = head.readUInt32LE(from)
    if (value !== 0xffffffff || !large) return value
    used += 8
    return Number(large.readBigUInt64LE(used - 8))
  }
  const sizeBytes = size(24)
  const compressedBytes = size(20)
  const offset = size(42)
  const aes = fieldOf(extra, 0x9901)
  const method = head.readUInt16LE(10)
  const mode = head[5] === 3 ? head.readUInt32LE(38) >>> 16 : 0
  const name = nameOf(nameBytes, flags)
  return {
    name,
    kind: kindOf(name, mode),
    sizeBytes,
    compressedBytes,
    isEncrypted: (flags & 1) === 1,
    modifiedAt: dosDate(head.readUInt32LE(12)),
    method,
    crc: head.readUInt32LE(16),
    offset,
    strength: aes?.[4] ?? 0,
    realMethod: aes ? aes.readUInt16LE(5) : method,
    checkByte: (flags & 8) === 8 ? head.readUInt16LE(12) >> 8 : head.readUInt32LE(16) >>> 24,
  }
}

function fieldOf(extra: Buffer, wanted: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === wanted) return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2))
  }
  return undefined
}

/** Names without the mark of UTF-8 are UTF-8 all the same where they can be. */
function nameOf(bytes: Buffer, flags: number): string {
  return (flags & 0x0800) !== 0 || isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1')
}

function kindOf(name: string, mode: number): ArchiveEntry['kind'] {
  const type = mode & 0o170000
  if (type === 0o120000) return 'link'
  if (name.endsWith('/') || type === 0o040000) return 'folder'
  return type === 0 || type === 0o100000 ? 'file' : 'other'
}

function dosDate(value: number): string {
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

/** Entries that share bytes are how a few kilobytes become petabytes. */
function refuseOverlaps(entries: readonly ZipFile[], directory: number): void {
  const sorted = [...entries].sort((a, b) => a.offset - b.offset)
  for (const [index, { offset, compressedBytes, name }] of sorted.entries()) {
    const end = offset + 30 + compressedBytes
    const next = sorted[index + 1]?.offset ?? directory
    if (end > next) throw unsafe('overlap', { name: name.slice(0, 200) })
  }
}

async function* readEntry(file: FileHandle, entry: ZipFile, password: string | undefined): AsyncGenerator<Uint8Array> {
  const head = await bytesAt(file, entry.offset, 30)
  if (head.readUInt32LE(0) !== 0x04034b50) throw broken('a broken header')
  const start = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  const packed = piecesOf(file, start, entry.compressedBytes)
  const plain = entry.isEncrypted ? await opened(file, start, entry, password) : packed
  const whole = limited(unpacked(plain, entry.realMethod), entry.sizeBytes, () => broken('more than it says'))
  let [sum, count] = [0, 0]
  for await (const piece of whole) {
    sum = crc32(piece, sum)
    count += piece.length
    yield piece
  }
  const isWrong = entry.method !== 99 && sum !== entry.crc
  if (count !== entry.sizeBytes || isWrong) throw broken(`${entry.name.slice(0, 100)} is damaged`)
}

const PIECE = 256 * 1024

async function* piecesOf(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += PIECE) yield await bytesAt(file, start + at, Math.min(PIECE, length - at))
}

async function opened(
  file: FileHandle,
  start: number,
  entry: ZipFile,
  password: string | undefined,
): Promise<AsyncIterable<Buffer>> {
  if (password === undefined) throw new Problem('ARCHIVE_PASSWORD_REQUIRED')
  if (entry.method !== 99) return openedLegacy(file, start, entry, password)
  const saltBytes = SALT_BYTES[entry.strength]
  if (!saltBytes) throw broken('unknown encryption')
  const head = await bytesAt(file, start, saltBytes + 2)
  const aes = new ZipAes(password, head.subarray(0, saltBytes), entry.strength)
  if (!aes.check.equals(head.subarray(saltBytes))) throw new Problem('ARCHIVE_PASSWORD_INCORRECT')
  const length = entry.compressedBytes - head.length - MAC_BYTES
  return decrypted()

  async function* decrypted(): AsyncGenerator<Buffer> {
    for await (const piece of piecesOf(file, start + head.length, length)) yield aes.decrypt(piece)
    const signature = await bytesAt(file, start + head.length + length, MAC_BYTES)
    if (!aes.signature().equals(signature)) throw broken(`${entry.name.slice(0, 100)} is damaged`)
  }
}

async function openedLegacy(
  file: FileHandle,
  start: number,
  entry: ZipFile,
  password: string,
): Promise<AsyncIterable<Buffer>> {
  const cipher = new ZipCrypto(password)
  const head = cipher.decrypt(await bytesAt(file, start, 12))
  if (head[11] !== entry.checkByte) throw new Problem('ARCHIVE_PASSWORD_INCORRECT')
  return decrypted()

  async function* decrypted(): AsyncGenerator<Buffer> {
    for await (const piece of piecesOf(file, start + 12, entry.compressedBytes - 12)) yield cipher.decrypt(piece)
  }
}

async function* unpacked(packed: AsyncIterable<Buffer>, method: number): AsyncGenerator<Uint8Array> {
  if (method === 0) {
    yield* packed
    return
  }
  if (method !== 8)
    throw new Problem('UNSUPPORTED_FORMAT', { detected: `zip method ${method}`, supported: ['stored', 'deflate'] })
  const inflate = createInflateRaw()
  // Whatever fails on the way comes out where it is read.
  pipeline(Readable.from(packed), inflate, () => {})
  try {
    yield* inflate as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof Problem) throw error
    throw broken((error as Error).message)
  } finally {
    inflate.destroy()
  }
}
