import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import type { ArchiveMember } from '../../../tasks/formats/archive/member.ts'
import { SALT_BYTES, ZipAes } from './aes.ts'

export function bind() {
  return { write }
}

interface ZipOptions {
  to: string
  level: number
  password?: string
  comment?: string
  /** The modification time of all entries; default: 1980-01-01, the earliest that zip supports. */
  modifiedMs?: number
}

interface ZipEntry {
  name: string
  sizeBytes: number
  compressedBytes: number
  crc32: string
}

interface WrittenEntry extends ZipEntry {
  offset: number
  method: number
  crc: number
}

const [STORED, DEFLATED, ENCRYPTED] = [0, 8, 99]
const AES_STRENGTH = 3
const UTF8_FLAG = 0x0800

/** Streams one file after the other, so that memory use does not depend on their size. */
async function write(
  members: readonly ArchiveMember[],
  options: ZipOptions,
): Promise<{ entries: ZipEntry[]; totalBytes: number }> {
  const file = await open(options.to, 'wx')
  try {
    const written: WrittenEntry[] = []
    let offset = 0
    for (const member of members) {
      const entry = await writeMember(file, offset, member, options)
      written.push(entry)
      offset += measureLocalHeader(entry, options) + entry.compressedBytes
    }
    const directory = Buffer.concat(written.map(entry => buildCentralHeader(entry, options)))
    const end = buildEndRecord(written.length, directory.length, offset, Buffer.from(options.comment ?? ''))
    await file.write(Buffer.concat([directory, end]), 0, undefined, offset)
    const entries = written.map(({ name, sizeBytes, compressedBytes, crc32: sum }) => ({
      name,
      sizeBytes,
      compressedBytes,
      crc32: sum,
    }))
    return { entries, totalBytes: offset + directory.length + end.length }
  } finally {
    await file.close()
  }
}

async function writeMember(
  file: FileHandle,
  offset: number,
  { path, bytes, name, isStored }: ArchiveMember,
  options: ZipOptions,
): Promise<WrittenEntry> {
  const method = isStored || options.level === 0 ? STORED : DEFLATED
  const entry: WrittenEntry = { name, sizeBytes: 0, compressedBytes: 0, crc32: '', crc: 0, offset, method }
  const contentOffset = offset + measureLocalHeader(entry, options)
  const append = async (bytes: Uint8Array) => {
    await file.write(bytes, 0, bytes.length, contentOffset + entry.compressedBytes)
    entry.compressedBytes += bytes.length
  }
  const salt = options.password === undefined ? undefined : randomBytes(SALT_BYTES[AES_STRENGTH]!)
  const aes = salt && new ZipAes(options.password!, salt, AES_STRENGTH)
  if (aes) await append(Buffer.concat([salt!, aes.passwordCheck]))
  const countBytes = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      entry.crc = crc32(chunk, entry.crc)
      entry.sizeBytes += chunk.length
      yield chunk
    }
  }
  const store = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) await append(aes ? aes.encrypt(chunk) : chunk)
  }
  const input = bytes ? Readable.from([Buffer.from(bytes)]) : createReadStream(path!, { highWaterMark: 256 * 1024 })
  if (method === STORED) await pipeline(input, countBytes, store)
  else await pipeline(input, countBytes, createDeflateRaw({ level: options.level }), store)
  if (aes) await append(aes.authenticationCode())
  entry.crc32 = entry.crc.toString(16).padStart(8, '0')
  await file.write(buildLocalHeader(entry, options), 0, undefined, offset)
  return entry
}

function measureLocalHeader({ name }: WrittenEntry, { password }: ZipOptions): number {
  return 30 + Buffer.byteLength(name) + (password === undefined ? 0 : 11)
}

/** The fields that the local and the central header share: version, flags, method, time, CRC and sizes. */
function buildCommonFields(entry: WrittenEntry, { password, modifiedMs }: ZipOptions): Buffer {
  const isEncrypted = password !== undefined
  const common = Buffer.alloc(26)
  common.writeUInt16LE(isEncrypted ? 51 : 20, 0)
  common.writeUInt16LE(UTF8_FLAG | (isEncrypted ? 1 : 0), 2)
  common.writeUInt16LE(isEncrypted ? ENCRYPTED : entry.method, 4)
  common.writeUInt32LE(toDosTime(modifiedMs), 6)
  common.writeUInt32LE(isEncrypted ? 0 : entry.crc, 10)
  common.writeUInt32LE(entry.compressedBytes, 14)
  common.writeUInt32LE(entry.sizeBytes, 18)
  common.writeUInt16LE(Buffer.byteLength(entry.name), 22)
  common.writeUInt16LE(isEncrypted ? 11 : 0, 24)
  return common
}

function buildLocalHeader(entry: WrittenEntry, options: ZipOptions): Buffer {
  return Buffer.concat([
    Buffer.from('PK\x03\x04', 'latin1'),
    buildCommonFields(entry, options),
    Buffer.from(entry.name),
    buildAesField(entry, options),
  ])
}

function buildCentralHeader(entry: WrittenEntry, options: ZipOptions): Buffer {
  const attributes = Buffer.alloc(14)
  attributes.writeUInt32LE((0o100644 << 16) >>> 0, 6)
  attributes.writeUInt32LE(entry.offset, 10)
  const madeBy = Buffer.from([options.password === undefined ? 20 : 51, 3])
  const signature = Buffer.from('PK\x01\x02', 'latin1')
  return Buffer.concat([
    signature,
    madeBy,
    buildCommonFields(entry, options),
    attributes,
    Buffer.from(entry.name),
    buildAesField(entry, options),
  ])
}

function buildAesField({ method }: WrittenEntry, { password }: ZipOptions): Buffer {
  if (password === undefined) return Buffer.alloc(0)
  const field = Buffer.from([0x01, 0x99, 7, 0, 2, 0, 0x41, 0x45, AES_STRENGTH, 0, 0])
  field.writeUInt16LE(method, 9)
  return field
}

function buildEndRecord(count: number, size: number, offset: number, comment: Buffer): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([end, comment])
}

/** DOS times have a resolution of two seconds and begin in 1980; UTC is used. */
function toDosTime(timeMs: number | undefined): number {
  const date = new Date(Math.max(timeMs ?? 0, Date.UTC(1980, 0, 1)))
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return ((day << 16) | clock) >>> 0
}
