import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { createBytes } from '../../support/data/bytes.ts'
import { createSamples, type Sample } from './kinds.ts'

const MEGABYTE = 1_000_000

interface ZipEntry {
  name: string | Buffer
  data?: Uint8Array
  method?: number
  flags?: number
  /** Unix mode. */
  mode?: number
  /** False values for the headers. */
  overrides?: { size?: number; crc?: number; offset?: number; compressed?: number }
}

/** A zip with the given entries, valid or not. */
function buildZip(entries: readonly ZipEntry[], { count = entries.length, comment = '' } = {}): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { local, central } = encodeEntry(entry, offset)
    locals.push(local)
    directory.push(central)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count & 0xffff, 8)
  end.writeUInt16LE(count & 0xffff, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...locals, central, end, Buffer.from(comment)])
}

function encodeEntry(
  { name, data = Buffer.from('hello'), method = 8, flags = 0x800, mode = 0o100644, overrides = {} }: ZipEntry,
  offset: number,
) {
  const nameBytes = Buffer.from(name)
  const packed = method === 8 ? deflateRawSync(data) : Buffer.from(data)
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(flags, 2)
  fields.writeUInt16LE(method, 4)
  fields.writeUInt32LE(0x58210000, 6)
  fields.writeUInt32LE(overrides.crc ?? crc32(data), 10)
  fields.writeUInt32LE(overrides.compressed ?? packed.length, 14)
  fields.writeUInt32LE(overrides.size ?? data.length, 18)
  fields.writeUInt16LE(nameBytes.length, 22)
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE((mode * 65_536) >>> 0, 6)
  tail.writeUInt32LE(overrides.offset ?? offset, 10)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, nameBytes, packed])
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), fields, tail, nameBytes])
  return { local, central }
}

/** One file of a tar, whose header may have false values. */
function encodeTarEntry(
  name: string,
  data: Uint8Array = Buffer.from('hello'),
  { type = '0', link = '', size = data.length.toString(8).padStart(11, '0'), hasValidChecksum = true } = {},
) {
  const head = Buffer.alloc(512)
  head.write(name, 0, 100)
  head.write('0000644\0', 100)
  head.write(`${size}\0`, 124)
  head.write('00000000000\0', 136)
  head.write('        ', 148)
  head.write(type, 156)
  head.write(link, 157, 100)
  head.write('ustar\x0000', 257)
  const total = hasValidChecksum ? head.reduce((sum, byte) => sum + byte, 0) : 7
  head.write(`${total.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([head, data, Buffer.alloc((512 - (data.length % 512)) % 512)])
}

const TAR_END = Buffer.alloc(1024)

/** A zip written by Info-ZIP. */
function buildWithInfoZip(args: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-corpus-zip-'))
  try {
    writeFileSync(join(folder, 'a.txt'), 'hello')
    execFileSync('zip', ['-q', ...args, 'out.zip', 'a.txt'], { cwd: folder })
    return readFileSync(join(folder, 'out.zip'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Many entries that all point to the same compressed data. */
function buildOverlappingZip(): Buffer {
  const data = Buffer.alloc(20 * MEGABYTE)
  const first: ZipEntry = { name: 'a', data }
  const size = deflateRawSync(data).length
  const others = Array.from({ length: 200 }, (_, index) => ({
    name: `b${index}`,
    data: Buffer.alloc(0),
    overrides: { offset: 0, size: data.length, compressed: size, crc: crc32(data) },
  }))
  return buildZip([first, ...others])
}

const good = [{ name: 'a.txt' }, { name: 'folder/b.txt', data: createBytes(9000) }]

const zips = {
  'good.zip': () => buildZip(good),
  'stored.zip': () => buildZip(good.map(entry => ({ ...entry, method: 0 }))),
  'empty.zip': () => buildZip([]),
  'bomb.zip': () => buildZip([{ name: 'a', data: Buffer.alloc(400 * MEGABYTE) }]),
  'bomb-many.zip': () =>
    buildZip(Array.from({ length: 60 }, (_, index) => ({ name: `a${index}`, data: Buffer.alloc(10 * MEGABYTE) }))),
  'bomb-size-lies.zip': () => buildZip([{ name: 'a', data: Buffer.alloc(200 * MEGABYTE), overrides: { size: 10 } }]),
  'bomb-overlapping.zip': buildOverlappingZip,
  'bomb-nested.zip': () => {
    let inner = buildZip([{ name: 'z', data: Buffer.alloc(20 * MEGABYTE) }])
    for (let depth = 0; depth < 6; depth++)
      inner = buildZip(Array.from({ length: 10 }, (_, index) => ({ name: `${index}.zip`, data: inner })))
    return inner
  },
  'many-entries.zip': () =>
    buildZip(Array.from({ length: 30_000 }, (_, index) => ({ name: `${index}`, data: Buffer.alloc(0), method: 0 }))),
  '150-entries.zip': () => buildZip(Array.from({ length: 150 }, (_, index) => ({ name: `${index}.txt` }))),
  'escape-up.zip': () => buildZip([{ name: '../../evil.txt' }]),
  'escape-root.zip': () => buildZip([{ name: '/etc/evil' }]),
  'escape-backslash.zip': () => buildZip([{ name: '..\\..\\evil.txt' }]),
  'escape-drive.zip': () => buildZip([{ name: 'C:\\evil.txt' }]),
  'escape-nul.zip': () => buildZip([{ name: 'a\0/../../b' }]),
  'link.zip': () => buildZip([{ name: 'link', data: Buffer.from('/etc/passwd'), mode: 0o120777 }, { name: 'link/x' }]),
  'device.zip': () => buildZip([{ name: 'device', mode: 0o060644 }]),
  'names-same.zip': () => buildZip([{ name: 'a' }, { name: 'a' }, { name: 'A' }]),
  'names-empty.zip': () => buildZip([{ name: '' }, { name: '/' }, { name: '.' }]),
  'names-cp437.zip': () => buildZip([{ name: Buffer.from([0x81, 0x84, 0x2e, 0x74]), flags: 0 }]),
  'names-not-utf-8.zip': () => buildZip([{ name: Buffer.from([0xff, 0xfe, 0xc3]) }]),
  'name-long.zip': () => buildZip([{ name: 'a'.repeat(60_000) }]),
  'folders-deep.zip': () => buildZip([{ name: `${'d/'.repeat(2000)}x` }]),
  'crc-wrong.zip': () => buildZip([{ name: 'a', overrides: { crc: 1 } }]),
  'count-lies.zip': () => buildZip(good, { count: 60_000 }),
  'offset-far.zip': () => buildZip([{ name: 'a', overrides: { offset: 4_000_000_000 } }]),
  'method-unknown.zip': () => buildZip([{ name: 'a', method: 98 }]),
  'method-bzip2.zip': () => buildWithInfoZip(['-Z', 'bzip2']),
  'locked.zip': () => buildWithInfoZip(['-P', 'secret']),
  'locked-in-name-only.zip': () => buildZip([{ name: 'a', flags: 0x801 }]),
  'comment-end.zip': () => buildZip(good, { comment: 'PK\x05\x06'.repeat(20) }),
  'stub-before.zip': () => Buffer.concat([createBytes(3000), buildZip(good)]),
  'head-only.zip': () => 'PK\x03\x04',
  'end-only.zip': () => Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]),
  'zip64-lies.zip': () => {
    const bytes = buildZip(good)
    bytes.writeUInt32LE(0xffffffff, bytes.length - 6)
    bytes.writeUInt16LE(0xffff, bytes.length - 12)
    return bytes
  },
}

const tars = {
  'good.tar': () => Buffer.concat([encodeTarEntry('a.txt'), encodeTarEntry('folder/b.txt'), TAR_END]),
  'good.tar.gz': () => gzipSync(Buffer.concat([encodeTarEntry('a.txt'), TAR_END])),
  'escape.tar': () => Buffer.concat([encodeTarEntry('../../evil'), encodeTarEntry('/etc/evil'), TAR_END]),
  'link.tar': () =>
    Buffer.concat([encodeTarEntry('l', Buffer.alloc(0), { type: '2', link: '/etc' }), encodeTarEntry('l/x'), TAR_END]),
  'hard-link.tar': () =>
    Buffer.concat([encodeTarEntry('h', Buffer.alloc(0), { type: '1', link: '/etc/passwd' }), TAR_END]),
  'device.tar': () => Buffer.concat([encodeTarEntry('d', Buffer.alloc(0), { type: '3' }), TAR_END]),
  'sum-wrong.tar': () => Buffer.concat([encodeTarEntry('a', undefined, { hasValidChecksum: false }), TAR_END]),
  'size-lies.tar': () => Buffer.concat([encodeTarEntry('a', undefined, { size: '77777777777' }), TAR_END]),
  'size-of-words.tar': () => Buffer.concat([encodeTarEntry('a', undefined, { size: 'xxxxxxxxxxx' }), TAR_END]),
  'no-end.tar': () => encodeTarEntry('a', createBytes(3000)).subarray(0, 1500),
  'long-name.tar': () =>
    Buffer.concat([
      encodeTarEntry('././@LongLink', Buffer.from('a/'.repeat(900)), { type: 'L' }),
      encodeTarEntry('a'),
      TAR_END,
    ]),
  'long-name-bomb.tar': () =>
    Buffer.concat([
      encodeTarEntry('././@LongLink', Buffer.alloc(20 * MEGABYTE, 97), { type: 'L' }),
      encodeTarEntry('a'),
      TAR_END,
    ]),
  'pax-odd.tar': () =>
    Buffer.concat([
      encodeTarEntry('p', Buffer.from('99999 size=-1\n7 path=\n'), { type: 'x' }),
      encodeTarEntry('a'),
      TAR_END,
    ]),
  'bomb.tar.gz': () => gzipSync(Buffer.concat([encodeTarEntry('a', Buffer.alloc(300 * MEGABYTE)), TAR_END])),
  'bomb.gz': () => gzipSync(Buffer.alloc(600 * MEGABYTE)),
  'good.txt.gz': () => gzipSync('hello'.repeat(300)),
  'two-members.gz': () => Buffer.concat([gzipSync('one'), gzipSync('two')]),
  'rubbish-behind.gz': () => Buffer.concat([gzipSync('one'), createBytes(99)]),
  'crc-wrong.gz': () => {
    const bytes = gzipSync('hello'.repeat(50))
    bytes.writeUInt32LE(7, bytes.length - 8)
    return bytes
  },
  'head-only.gz': () => Buffer.from('1f8b08', 'hex'),
  'seven.7z': () => Buffer.concat([Buffer.from('377abcaf271c0004', 'hex'), createBytes(300)]),
  'rar.rar': () => Buffer.concat([Buffer.from('526172211a0701', 'hex'), createBytes(300)]),
}

export function buildArchiveSamples(): Sample[] {
  return createSamples('archive', { ...zips, ...tars })
}
