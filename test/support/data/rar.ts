import { crc32 } from 'node:zlib'

interface RarMember {
  name: string
  content?: string
  kind?: 'link'
  isEncrypted?: boolean
}

/** A RAR 5 archive in which nothing is compressed, as no free program writes RAR. */
export function buildRar5(members: readonly RarMember[], { isVolume = false } = {}): Buffer {
  const [start, end] = [buildBlock([1, 0, isVolume ? 1 : 0]), buildBlock([5, 0, 0])]
  return Buffer.concat([Buffer.from('Rar!\x1a\x07\x01\0', 'latin1'), start, ...members.map(buildMember5), end])
}

function buildMember5(member: RarMember): Buffer {
  const { name, content = '', kind } = member
  const data = Buffer.from(kind === 'link' ? '' : content)
  const records = listRecords(member)
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(data))
  const extra = records.length > 0 ? [3, records.length] : [2]
  const facts = [data.length, 4, data.length, kind === 'link' ? 0o120777 : 0o100644]
  const head = [2, ...extra, ...facts].flatMap(number)
  return Buffer.concat([buildBlock([...head, ...sum, ...number(0), ...number(1), ...text(name), ...records]), data])
}

function listRecords({ content = '', kind, isEncrypted }: RarMember): number[] {
  const encryption = isEncrypted ? buildRecord([...number(1), ...new Uint8Array(35)]) : []
  return kind === 'link' ? buildRecord([...[5, 1, 0].flatMap(number), ...text(content)]) : encryption
}

/** The same with RAR 4. */
export function buildRar4(members: readonly RarMember[], { isVolume = false } = {}): Buffer {
  const blocks = members.flatMap(({ name, content = '', isEncrypted }) => {
    const data = Buffer.from(content)
    const head = Buffer.alloc(25)
    head.writeUInt32LE(data.length, 0)
    head.writeUInt32LE(data.length, 4)
    head[8] = 3
    head.writeUInt32LE(crc32(data), 9)
    head.writeUInt32LE(0x21 << 16, 13)
    head[17] = 29
    head[18] = 0x30
    head.writeUInt16LE(Buffer.byteLength(name), 19)
    head.writeUInt32LE(0o100644, 21)
    return [buildBlock4(0x74, 0x8000 | (isEncrypted ? 4 : 0), Buffer.concat([head, Buffer.from(name)])), data]
  })
  const start = buildBlock4(0x73, isVolume ? 1 : 0, Buffer.alloc(6))
  const end = buildBlock4(0x7b, 0x4000, Buffer.alloc(0))
  return Buffer.concat([Buffer.from('Rar!\x1a\x07\0', 'latin1'), start, ...blocks, end])
}

function buildBlock4(type: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(7)
  head[2] = type
  head.writeUInt16LE(flags, 3)
  head.writeUInt16LE(7 + body.length, 5)
  const block = Buffer.concat([head, body])
  block.writeUInt16LE(crc32(block.subarray(2)) & 0xffff, 0)
  return block
}

function buildBlock(body: number[]): Buffer {
  const sized = Buffer.from([...number(body.length), ...body])
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(sized))
  return Buffer.concat([sum, sized])
}

function buildRecord(body: number[]): number[] {
  return [...number(body.length), ...body]
}

function text(value: string): number[] {
  const bytes = Buffer.from(value)
  return [...number(bytes.length), ...bytes]
}

/** Seven bits a byte, the lowest first. */
function number(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(Math.floor(value / 0x80))]
}
