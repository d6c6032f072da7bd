import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { SALT_BYTES, ZipAes } from './zip-crypto.ts'

export function bind() {
  return { write }
}

export interface ZipMember {
  path: string
  name: string
  /** Already compressed: packed as it is. */
  isStored: boolean
}

export interface ZipOptions {
  to: string
  level: number
  password?: string
  comment?: string
  /** Milliseconds of the epoch; nothing is the oldest a zip can say. */
  time?: number
}

export interface ZipEntry {
  name: string
  sizeBytes: number
  compressedBytes: number
  crc32: string
}

interface Written extends ZipEntry {
  offset: number
  method: number
  crc: number
}

const [STORED, DEFLATED, ENCRYPTED] = [0, 8, 99]
const STRENGTH = 3
const UTF8 = 0x0800

/** One file after the other, a piece at a time: memory does not grow with what is packed. */
async function write(
  members: readonly ZipMember[],
  options: ZipOptions,
): Promise<{ entries: ZipEntry[]; totalBytes: number }> {
  const file = await open(options.to, 'wx')
  try {
    const written: Written[] = []
    let at = 0
    for (const member of members) {
      const entry = await writeMember(file, at, member, options)
      written.push(entry)
      at += headerBytes(entry, options) + entry.compressedBytes
    }
    const directory = Buffer.concat(written.map(entry => centralHeader(entry, options)))
    const end = endRecord(written.length, directory.length, at, Buffer.from(options.comment ?? ''))
    await file.write(Buffer.concat([directory, end]), 0, undefined, at)
    const entries = written.map(({ name, sizeBytes, compressedBytes, crc32: sum }) => ({
      name,
      sizeBytes,
      compressedBytes,
      crc32: sum,
    }))
    return { entries, totalBytes: at + directory.length + end.length }
  } finally {
    await file.close()
  }
}

async function writeMember(
  file: FileHandle,
  offset: number,
  { path, name, isStored }: ZipMember,
  options: ZipOptions,
): Promise<Written> {
  const method = isStored || options.level === 0 ? STORED : DEFLATED
  const entry: Written = { name, sizeBytes: 0, compressedBytes: 0, crc32: '', crc: 0, offset, method }
  const start = offset + headerBytes(entry, options)
  const put = async (bytes: Uint8Array) => {
    await file.write(bytes, 0, bytes.length, start + entry.compressedBytes)
    entry.compressedBytes += bytes.length
  }
  const salt = options.password === undefined ? undefined : randomBytes(SALT_BYTES[STRENGTH]!)
  const aes = salt && new ZipAes(options.password!, salt, STRENGTH)
  if (aes) await put(Buffer.concat([salt!, aes.check]))
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      entry.crc = crc32(chunk, entry.crc)
      entry.sizeBytes += chunk.length
      yield chunk
    }
  }
  const stored = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) await put(aes ? aes.encrypt(chunk) : chunk)
  }
  const from = createReadStream(path, { highWaterMark: 256 * 1024 })
  if (method === STORED) await pipeline(from, counted, stored)
  else await pipeline(from, counted, createDeflateRaw({ level: options.level }), stored)
  if (aes) await put(aes.signature())
  entry.crc32 = entry.crc.toString(16).padStart(8, '0')
  await file.write(localHeader(entry, options), 0, undefined, offset)
  return entry
}

function headerBytes({ name }: Written, { password }: ZipOptions): number {
  return 30 + Buffer.byteLength(name) + (password === undefined ? 0 : 11)
}

/** The part that both headers of a file share: version, flags, method, time, sums and sizes. */
function commonPart(entry: Written, { password, time }: ZipOptions): Buffer {
  const isSealed = password !== undefined
  const common = Buffer.alloc(26)
  common.writeUInt16LE(isSealed ? 51 : 20, 0)
  common.writeUInt16LE(UTF8 | (isSealed ? 1 : 0), 2)
  common.writeUInt16LE(isSealed ? ENCRYPTED : entry.method, 4)
  common.writeUInt32LE(dosTime(time), 6)
  common.writeUInt32LE(isSealed ? 0 : entry.crc, 10)
  common.writeUInt32LE(entry.compressedBytes, 14)
  common.writeUInt32LE(entry.sizeBytes, 18)
  common.writeUInt16LE(Buffer.byteLength(entry.name), 22)
  common.writeUInt16LE(isSealed ? 11 : 0, 24)
  return common
}

function localHeader(entry: Written, options: ZipOptions): Buffer {
  return Buffer.concat([
    Buffer.from('PK\x03\x04', 'latin1'),
    commonPart(entry, options),
    Buffer.from(entry.name),
    aesField(entry, options),
  ])
}

function centralHeader(entry: Written, options: ZipOptions): Buffer {
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE((0o100644 << 16) >>> 0, 6)
  rest.writeUInt32LE(entry.offset, 10)
  const madeBy = Buffer.from([options.password === undefined ? 20 : 51, 3])
  const head = Buffer.from('PK\x01\x02', 'latin1')
  return Buffer.concat([
    head,
    madeBy,
    commonPart(entry, options),
    rest,
    Buffer.from(entry.name),
    aesField(entry, options),
  ])
}

function aesField({ method }: Written, { password }: ZipOptions): Buffer {
  if (password === undefined) return Buffer.alloc(0)
  const field = Buffer.from([0x01, 0x99, 7, 0, 2, 0, 0x41, 0x45, STRENGTH, 0, 0])
  field.writeUInt16LE(method, 9)
  return field
}

function endRecord(count: number, size: number, offset: number, comment: Buffer): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([end, comment])
}

/** In universal time, to two seconds, from 1980 on. */
function dosTime(time: number | undefined): number {
  const date = new Date(Math.max(time ?? 0, Date.UTC(1980, 0, 1)))
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return ((day << 16) | clock) >>> 0
}
