import type { FileHandle } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { Problem } from '#kit'
import {
  type ArchiveEntry,
  limitBytes,
  MAX_ENTRIES,
  type OpenArchive,
  parseProblem,
  unsafeProblem,
} from '../unzip/entry.ts'
import { MAC_BYTES, SALT_BYTES, ZipAes } from './aes.ts'
import { classifyEntry, parseDosDate, readMode } from './attributes.ts'
import { readAt, readEndRecord, splitProblem } from './end-record.ts'
import { ZipCrypto } from './legacy-cipher.ts'
import { decodeName, encodePassword } from './names.ts'

interface ZipFileEntry extends ArchiveEntry {
  method: number
  crc: number
  headerOffset: number
  /** Where the next entry begins, or the directory. */
  endOffset: number
  flags: number
  nameBytes: Buffer
  aesStrength: number
  compressionMethod: number
  /** The legacy cipher ends its header with one of these; programs differ in which. */
  passwordCheckBytes: number[]
}

const AES_METHOD = 99
/** A digital signature may follow the entries of the directory. */
const SIGNATURE_MARK = 0x05054b50
const MAX_DIRECTORY_BYTES = 64 * 2 ** 20

export async function openZip(file: FileHandle, sizeBytes: number): Promise<OpenArchive> {
  const { count, size, offset, shift } = await readEndRecord(file, sizeBytes)
  if (count > MAX_ENTRIES) throw unsafeProblem('entries', { limit: MAX_ENTRIES, actual: count })
  if (offset + size > sizeBytes || size > MAX_DIRECTORY_BYTES)
    throw parseProblem('the central directory lies outside the file')
  const directory = await readAt(file, offset, size)
  const entries = readDirectory(directory, count)
  for (const entry of entries) entry.headerOffset += shift
  rejectOverlaps(entries, offset)
  return {
    format: 'zip',
    entries,
    read: (index, password) => readChecked(file, entries[index]!, password),
    close: () => file.close(),
  }
}

function readDirectory(directory: Buffer, count: number): ZipFileEntry[] {
  const entries: ZipFileEntry[] = []
  let offset = 0
  try {
    while (entries.length < count) {
      if (directory.readUInt32LE(offset) !== 0x02014b50) throw parseProblem('the central directory is damaged')
      const [nameLength, extraLength, commentLength] = [28, 30, 32].map(from =>
        directory.readUInt16LE(offset + from),
      ) as [number, number, number]
      const nameStart = offset + 46
      const extraFields = directory.subarray(nameStart + nameLength, nameStart + nameLength + extraLength)
      entries.push(
        readHeader(
          directory.subarray(offset, nameStart),
          directory.subarray(nameStart, nameStart + nameLength),
          extraFields,
        ),
      )
      offset = nameStart + nameLength + extraLength + commentLength
    }
    const isWhole = offset === directory.length || directory.readUInt32LE(offset) === SIGNATURE_MARK
    if (!isWhole) throw parseProblem('the central directory has more entries than its end counts')
  } catch (error) {
    if (error instanceof RangeError) throw parseProblem('the central directory is damaged')
    throw error
  }
  return entries
}

function readHeader(header: Buffer, nameBytes: Buffer, extra: Buffer): ZipFileEntry {
  const flags = header.readUInt16LE(8)
  const zip64 = findExtraField(extra, 0x0001)
  let zip64Offset = 0
  const readSize = (from: number) => {
    const value = header.readUInt32LE(from)
    if (value !== 0xffffffff || !zip64) return value
    zip64Offset += 8
    return Number(zip64.readBigUInt64LE(zip64Offset - 8))
  }
  const sizeBytes = readSize(24)
  const compressedBytes = readSize(20)
  const headerOffset = readSize(42)
  const aes = findExtraField(extra, 0x9901)
  const method = header.readUInt16LE(10)
  const mode = readMode(header)
  const disk = header.readUInt16LE(34)
  if (disk !== 0 && disk !== 0xffff) throw splitProblem()
  const name = decodeName(nameBytes, flags, findExtraField(extra, 0x7075))
  return {
    name,
    kind: classifyEntry(name, mode),
    sizeBytes,
    compressedBytes,
    isEncrypted: (flags & 1) === 1,
    modifiedAt: parseDosDate(header.readUInt32LE(12)),
    method,
    crc: header.readUInt32LE(16),
    headerOffset,
    endOffset: 0,
    flags,
    nameBytes,
    aesStrength: aes?.[4] ?? 0,
    compressionMethod: aes ? aes.readUInt16LE(5) : method,
    passwordCheckBytes: [header[13]!, header[19]!],
  }
}

function findExtraField(extra: Buffer, id: number): Buffer | undefined {
  for (let offset = 0; offset + 4 <= extra.length; offset += 4 + extra.readUInt16LE(offset + 2)) {
    if (extra.readUInt16LE(offset) === id)
      return extra.subarray(offset + 4, offset + 4 + extra.readUInt16LE(offset + 2))
  }
  return undefined
}

/** With overlapping entries, an archive of a few kilobytes could expand to petabytes. */
function rejectOverlaps(entries: readonly ZipFileEntry[], directoryOffset: number): void {
  const sorted = [...entries].sort((a, b) => a.headerOffset - b.headerOffset)
  for (const [index, entry] of sorted.entries()) {
    entry.endOffset = sorted[index + 1]?.headerOffset ?? directoryOffset
    const end = entry.headerOffset + 30 + entry.nameBytes.length + entry.compressedBytes
    if (end > entry.endOffset) throw unsafeProblem('overlap', { name: entry.name.slice(0, 200) })
  }
}

/** One byte checks the password of the legacy cipher, so a wrong one may show itself only by damaged content. */
async function* readChecked(
  file: FileHandle,
  entry: ZipFileEntry,
  password: string | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readEntry(file, entry, password)
  } catch (error) {
    const isLegacy = entry.isEncrypted && entry.method !== AES_METHOD
    if (!isLegacy || !(error instanceof Problem) || error.code !== 'ARCHIVE_PARSE_FAILED') throw error
    throw new Problem('ARCHIVE_PASSWORD_INCORRECT', {
      detail: 'or the entry is damaged',
      name: entry.name.slice(0, 200),
    })
  }
}

async function* readEntry(
  file: FileHandle,
  entry: ZipFileEntry,
  password: string | undefined,
): AsyncGenerator<Uint8Array> {
  const start = await readLocalHeader(file, entry)
  const stored = readChunks(file, start, entry.compressedBytes)
  const compressed = entry.isEncrypted ? await decryptEntry(file, start, entry, password) : stored
  yield* unpack(compressed, entry)
}

/** Returns where the content begins. Other programs go by this header, so that it must say what the directory says. */
async function readLocalHeader(file: FileHandle, entry: ZipFileEntry): Promise<number> {
  const header = await readAt(file, entry.headerOffset, 30)
  if (header.readUInt32LE(0) !== 0x04034b50) throw parseProblem('an entry header is damaged')
  const nameBytes = await readAt(file, entry.headerOffset + 30, header.readUInt16LE(26))
  const name = entry.name.slice(0, 200)
  const isSameName =
    nameBytes.equals(entry.nameBytes) ||
    decodeName(nameBytes, header.readUInt16LE(6), undefined) === decodeName(entry.nameBytes, entry.flags, undefined)
  if (!isSameName) throw unsafeProblem('name', { name })
  if (header.readUInt16LE(8) !== entry.method) throw parseProblem(`${name} has two methods of compression`)
  const start = entry.headerOffset + 30 + nameBytes.length + header.readUInt16LE(28)
  if (start + entry.compressedBytes > entry.endOffset) throw unsafeProblem('overlap', { name })
  return start
}

/** Decompresses what is decrypted, and checks it at its end. */
async function* unpack(compressed: AsyncIterable<Buffer>, entry: ZipFileEntry): AsyncGenerator<Uint8Array> {
  const content = limitBytes(decompress(compressed, entry.compressionMethod), entry.sizeBytes, () =>
    parseProblem('an entry is larger than its header says'),
  )
  let [crc, count] = [0, 0]
  for await (const chunk of content) {
    crc = crc32(chunk, crc)
    count += chunk.length
    yield chunk
  }
  const isCrcWrong = entry.method !== AES_METHOD && crc !== entry.crc
  if (count !== entry.sizeBytes || isCrcWrong) throw parseProblem(`${entry.name.slice(0, 100)} is damaged`)
}

const CHUNK_BYTES = 256 * 1024

async function* readChunks(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < length; offset += CHUNK_BYTES)
    yield await readAt(file, start + offset, Math.min(CHUNK_BYTES, length - offset))
}

async function decryptEntry(
  file: FileHandle,
  start: number,
  entry: ZipFileEntry,
  password: string | undefined,
): Promise<AsyncIterable<Buffer>> {
  if (password === undefined) throw new Problem('ARCHIVE_PASSWORD_REQUIRED')
  if (entry.method !== AES_METHOD) return decryptLegacy(file, start, entry, password)
  const saltBytes = SALT_BYTES[entry.aesStrength]
  if (!saltBytes) throw parseProblem('the encryption strength is unknown')
  const header = await readAt(file, start, saltBytes + 2)
  const aes = new ZipAes(password, header.subarray(0, saltBytes), entry.aesStrength)
  if (!aes.passwordCheck.equals(header.subarray(saltBytes))) throw new Problem('ARCHIVE_PASSWORD_INCORRECT')
  const length = entry.compressedBytes - header.length - MAC_BYTES
  return decryptChunks()

  async function* decryptChunks(): AsyncGenerator<Buffer> {
    for await (const chunk of readChunks(file, start + header.length, length)) yield aes.decrypt(chunk)
    const expected = await readAt(file, start + header.length + length, MAC_BYTES)
    if (!aes.authenticationCode().equals(expected)) throw parseProblem(`${entry.name.slice(0, 100)} is damaged`)
  }
}

async function decryptLegacy(
  file: FileHandle,
  start: number,
  entry: ZipFileEntry,
  password: string,
): Promise<AsyncIterable<Buffer>> {
  const header = await readAt(file, start, 12)
  const likely = encodePassword(password).filter(bytes => {
    const check = new ZipCrypto(bytes).decrypt(header)[11]!
    return entry.passwordCheckBytes.includes(check)
  })
  const decrypt = (bytes: Buffer) => {
    const cipher = new ZipCrypto(bytes)
    cipher.decrypt(header)
    return decryptChunks(readChunks(file, start + 12, entry.compressedBytes - 12), cipher)
  }
  for (const bytes of likely.slice(0, -1)) if (await isWhole(decrypt(bytes), entry)) return decrypt(bytes)
  const last = likely.at(-1)
  if (!last) throw new Problem('ARCHIVE_PASSWORD_INCORRECT')
  return decrypt(last)
}

/** One byte of check lets a wrong code page pass now and then; the checksum of the content does not. */
async function isWhole(decrypted: AsyncIterable<Buffer>, entry: ZipFileEntry): Promise<boolean> {
  try {
    for await (const _ of unpack(decrypted, entry));
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'ARCHIVE_PARSE_FAILED') return false
    throw error
  }
}

async function* decryptChunks(chunks: AsyncIterable<Buffer>, cipher: ZipCrypto): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield cipher.decrypt(chunk)
}

async function* decompress(source: AsyncIterable<Buffer>, method: number): AsyncGenerator<Uint8Array> {
  if (method === 0) {
    yield* source
    return
  }
  if (method !== 8)
    throw new Problem('UNSUPPORTED_FORMAT', { detected: `zip method ${method}`, supported: ['stored', 'deflate'] })
  const inflate = createInflateRaw()
  // The callback stays empty, because errors surface where the stream is read below.
  pipeline(Readable.from(source), inflate, () => {})
  try {
    yield* inflate as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof Problem) throw error
    throw parseProblem((error as Error).message)
  } finally {
    inflate.destroy()
  }
}
