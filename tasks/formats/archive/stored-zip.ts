import { crc32 } from 'node:zlib'

/** A file for an archive. It is read twice, because its checksum comes before its bytes. */
interface StoredMember {
  name: string
  sizeBytes: number
  read(): Promise<AsyncIterable<Uint8Array>>
}

/** Sizes and places have 32 bits in the plain format. */
const MAX_BYTES = 2 ** 32 - 1
const VERSION = 20
const UTF8_NAMES = 0x0800
/** The first day that the format knows. */
const NO_DATE = 0x0021

/** A zip archive in which nothing is compressed. The same files give the same bytes. */
export async function* writeStoredZip(members: readonly StoredMember[]): AsyncGenerator<Uint8Array> {
  const entries: Buffer[] = []
  let offset = 0
  for (const member of members) {
    const name = Buffer.from(member.name)
    const facts = describeMember(name, member.sizeBytes, await checksum(member))
    const head = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, name])
    yield head
    yield* await member.read()
    entries.push(centralEntry(facts, name, offset))
    offset += head.length + member.sizeBytes
    if (offset > MAX_BYTES) throw new RangeError('the archive is larger than the format allows')
  }
  const directory = Buffer.concat(entries)
  yield Buffer.concat([directory, endRecord(entries.length, directory.length, offset)])
}

async function checksum(member: StoredMember): Promise<number> {
  let sum = 0
  for await (const chunk of await member.read()) sum = crc32(chunk, sum)
  return sum
}

/** What the header of a member and its entry in the directory both say. */
function describeMember(name: Buffer, sizeBytes: number, sum: number): Buffer {
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(VERSION, 0)
  facts.writeUInt16LE(UTF8_NAMES, 2)
  facts.writeUInt16LE(NO_DATE, 8)
  facts.writeUInt32LE(sum, 10)
  facts.writeUInt32LE(sizeBytes, 14)
  facts.writeUInt32LE(sizeBytes, 18)
  facts.writeUInt16LE(name.length, 22)
  return facts
}

function centralEntry(facts: Buffer, name: Buffer, offset: number): Buffer {
  const head = Buffer.alloc(6, 'PK\x01\x02', 'latin1')
  head.writeUInt16LE(VERSION, 4)
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(offset, 10)
  return Buffer.concat([head, facts, tail, name])
}

function endRecord(count: number, sizeBytes: number, offset: number): Buffer {
  const record = Buffer.alloc(22)
  record.write('PK\x05\x06', 'latin1')
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(sizeBytes, 12)
  record.writeUInt32LE(offset, 16)
  return record
}
