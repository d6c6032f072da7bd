import { type FileHandle, open } from 'node:fs/promises'

interface RarFacts {
  isEncrypted: boolean
  /** One of several files that make up an archive. */
  isVolume: boolean
}

interface Block extends RarFacts {
  /** With its data. */
  sizeBytes: number
  isLast: boolean
}

const MAX_BLOCKS = 20_000
const HEAD_BYTES = 4096

/** Walks the headers of a RAR archive. It stops where it finds none; bsdtar then says what is wrong with the archive. */
export async function inspectRar(path: string): Promise<RarFacts> {
  const file = await open(path)
  try {
    const signature = await readAt(file, 0, 8)
    const isVersion5 = signature[6] === 1
    const facts: RarFacts = { isEncrypted: false, isVolume: false }
    let offset = isVersion5 ? 8 : 7
    for (let count = 0; count < MAX_BLOCKS; count++) {
      const head = await readAt(file, offset, HEAD_BYTES)
      const block = isVersion5 ? readBlock5(head) : readBlock4(head)
      if (!block) break
      facts.isEncrypted ||= block.isEncrypted
      facts.isVolume ||= block.isVolume
      if (block.isLast || facts.isEncrypted || facts.isVolume) break
      offset += block.sizeBytes
      if (!Number.isSafeInteger(offset)) break
    }
    return facts
  } finally {
    await file.close()
  }
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  return buffer.subarray(0, bytesRead)
}

const MAIN_4 = 0x73
const FILE_4 = 0x74
const END_4 = 0x7b

function readBlock4(head: Buffer): Block | undefined {
  if (head.length < 7) return undefined
  const [type, flags, headBytes] = [head[2]!, head.readUInt16LE(3), head.readUInt16LE(5)]
  const hasData = (flags & 0x8000) !== 0 || type === FILE_4
  const dataBytes = hasData && head.length >= 11 ? head.readUInt32LE(7) : 0
  const highBytes = type === FILE_4 && (flags & 0x100) !== 0 && head.length >= 36 ? head.readUInt32LE(32) : 0
  if (headBytes < 7) return undefined
  return {
    sizeBytes: headBytes + dataBytes + highBytes * 2 ** 32,
    isEncrypted: (type === MAIN_4 && (flags & 0x80) !== 0) || (type === FILE_4 && (flags & 0x04) !== 0),
    isVolume: type === MAIN_4 && (flags & 0x01) !== 0,
    isLast: type === END_4,
  }
}

const MAIN_5 = 1
const FILE_5 = 2
const ENCRYPTION_5 = 4
const END_5 = 5
const ENCRYPTED_RECORD = 1

function readBlock5(head: Buffer): Block | undefined {
  const reader = new Reader(head, 4)
  const headBytes = reader.next()
  const start = reader.offset
  const [type, flags] = [reader.next(), reader.next()]
  const extraBytes = (flags & 1) === 0 ? 0 : reader.next()
  const dataBytes = (flags & 2) === 0 ? 0 : reader.next()
  if (!reader.isInside || headBytes === 0) return undefined
  const extra = head.subarray(start + headBytes - extraBytes, start + headBytes)
  return {
    sizeBytes: start + headBytes + dataBytes,
    isEncrypted: type === ENCRYPTION_5 || (type === FILE_5 && hasRecord(extra, ENCRYPTED_RECORD)),
    isVolume: type === MAIN_5 && (reader.next() & 1) !== 0,
    isLast: type === END_5,
  }
}

function hasRecord(extra: Buffer, wanted: number): boolean {
  const reader = new Reader(extra, 0)
  while (reader.offset < extra.length && reader.isInside) {
    const size = reader.next()
    const end = reader.offset + size
    if (reader.next() === wanted) return true
    if (size === 0) return false
    reader.offset = end
  }
  return false
}

/** Reads the numbers of RAR 5: seven bits a byte, the lowest first. */
class Reader {
  readonly #bytes: Buffer
  offset: number
  isInside = true

  constructor(bytes: Buffer, offset: number) {
    this.#bytes = bytes
    this.offset = offset
  }

  next(): number {
    let value = 0
    for (let shift = 0; shift < 49; shift += 7) {
      const byte = this.#bytes[this.offset++]
      if (byte === undefined) break
      value += (byte & 0x7f) * 2 ** shift
      if ((byte & 0x80) === 0) return value
    }
    this.isInside = false
    return 0
  }
}
