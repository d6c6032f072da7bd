import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { constants, crc32, createDeflateRaw } from 'node:zlib'

interface Entry {
  name: Buffer
  crc: number
  packed: number
  size: number
  offset: number
}

const [LOCAL, DESCRIPTOR, CENTRAL, END] = [0x04034b50, 0x08074b50, 0x02014b50, 0x06054b50]
/** The sizes follow the content; the name is UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
/** Midnight of the first day that the format knows, so that the same content is the same file. */
const [TIME, DAY] = [0, 0x21]
const LEVEL = 3

/** Writes a zip file part by part, whatever the size of the parts. */
export class ZipFile {
  readonly #file: ReturnType<typeof createWriteStream>
  readonly #entries: Entry[] = []
  #length = 0

  constructor(path: string) {
    this.#file = createWriteStream(path)
  }

  get sizeBytes(): number {
    return this.#length
  }

  async add(name: string, content: AsyncIterable<string> | Iterable<string>): Promise<void> {
    const entry: Entry = { name: Buffer.from(name), crc: 0, packed: 0, size: 0, offset: this.#length }
    this.#entries.push(entry)
    await this.#write(Buffer.concat([header(LOCAL, 30, [20, FLAGS, DEFLATED, TIME, DAY], entry), entry.name]))
    const packer = createDeflateRaw({ level: LEVEL, chunkSize: 1 << 18, strategy: constants.Z_DEFAULT_STRATEGY })
    const before = this.#length
    const packing = this.#copy(packer)
    for await (const text of content) {
      const bytes = Buffer.from(text)
      entry.crc = crc32(bytes, entry.crc)
      entry.size += bytes.length
      if (!packer.write(bytes)) await once(packer, 'drain')
    }
    packer.end()
    await packing
    entry.packed = this.#length - before
    const descriptor = Buffer.alloc(16)
    for (const [index, part] of [DESCRIPTOR, entry.crc, entry.packed, entry.size].entries())
      descriptor.writeUInt32LE(part, index * 4)
    await this.#write(descriptor)
  }

  async close(): Promise<void> {
    const start = this.#length
    for (const entry of this.#entries) {
      const central = header(CENTRAL, 46, [20, 20, FLAGS, DEFLATED, TIME, DAY], entry)
      central.writeUInt32LE(entry.offset, 42)
      await this.#write(Buffer.concat([central, entry.name]))
    }
    const end = Buffer.alloc(22)
    end.writeUInt32LE(END, 0)
    end.writeUInt16LE(this.#entries.length, 8)
    end.writeUInt16LE(this.#entries.length, 10)
    end.writeUInt32LE(this.#length - start, 12)
    end.writeUInt32LE(start, 16)
    await this.#write(end)
    this.#file.end()
    await once(this.#file, 'close')
  }

  async #copy(packer: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of packer) await this.#write(chunk)
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#length += bytes.length
    if (!this.#file.write(bytes)) await once(this.#file, 'drain')
  }
}

/** A header of an entry: short fields, then checksum, sizes and the length of the name. */
function header(mark: number, size: number, fields: number[], { crc, packed, size: plain, name }: Entry): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.writeUInt32LE(mark, 0)
  for (const [index, field] of fields.entries()) bytes.writeUInt16LE(field, 4 + index * 2)
  const at = 4 + fields.length * 2
  bytes.writeUInt32LE(crc, at)
  bytes.writeUInt32LE(packed, at + 4)
  bytes.writeUInt32LE(plain, at + 8)
  bytes.writeUInt16LE(name.length, at + 12)
  return bytes
}
