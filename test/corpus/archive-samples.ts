import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { patterned } from '../support/bytes.ts'
import { type Sample, samplesOf } from './sample.ts'

const MEGABYTE = 1_000_000

interface Packed {
  name: string | Buffer
  data?: Uint8Array
  method?: number
  flags?: number
  /** Unix mode. */
  mode?: number
  /** What the central directory says instead of the truth. */
  lies?: { size?: number; crc?: number; offset?: number; compressed?: number }
}

/** A zip as it is told to be, right or wrong. */
function zipOf(entries: readonly Packed[], { count = entries.length, comment = '' } = {}): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const { local, central } = entryOf(entry, at)
    locals.push(local)
    directory.push(central)
    at += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count & 0xffff, 8)
  end.writeUInt16LE(count & 0xffff, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(at, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...locals, central, end, Buffer.from(comment)])
}

function entryOf(
  { name, data = Buffer.from('hello'), method = 8, flags = 0x800, mode = 0o100644, lies = {} }: Packed,
  at: number,
) {
  const title = Buffer.from(name)
  const packed = method === 8 ? deflateRawSync(data) : Buffer.from(data)
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(20, 0)
  facts.writeUInt16LE(flags, 2)
  facts.writeUInt16LE(method, 4)
  facts.writeUInt32LE(0x58210000, 6)
  facts.writeUInt32LE(lies.crc ?? crc32(data), 10)
  facts.writeUInt32LE(lies.compressed ?? packed.length, 14)
  facts.writeUInt32LE(lies.size ?? data.length, 18)
  facts.writeUInt16LE(title.length, 22)
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE((mode * 65_536) >>> 0, 6)
  tail.writeUInt32LE(lies.offset ?? at, 10)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, title, packed])
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), facts, tail, title])
  return { local, central }
}

/** One file of a tar, whose head may say anything. */
function tarEntry(
  name: string,
  data: Uint8Array = Buffer.from('hello'),
  { type = '0', link = '', size = data.length.toString(8).padStart(11, '0'), sum = true } = {},
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
  const total = sum ? head.reduce((all, byte) => all + byte, 0) : 7
  head.write(`${total.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([head, data, Buffer.alloc((512 - (data.length % 512)) % 512)])
}

const TAR_END = Buffer.alloc(1024)

/** A zip that Info-ZIP writes. */
function byZip(args: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-corpus-zip-'))
  try {
    writeFileSync(join(folder, 'a.txt'), 'hello')
    execFileSync('zip', ['-q', ...args, 'out.zip', 'a.txt'], { cwd: folder })
    return readFileSync(join(folder, 'out.zip'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Many entries that all unpack the same bytes. */
function overlapping(): Buffer {
  const data = Buffer.alloc(20 * MEGABYTE)
  const first: Packed = { name: 'a', data }
  const size = deflateRawSync(data).length
  const others = Array.from({ length: 200 }, (_, at) => ({
    name: `b${at}`,
    data: Buffer.alloc(0),
    lies: { offset: 0, size: data.length, compressed: size, crc: crc32(data) },
  }))
  return zipOf([first, ...others])
}

const good = [{ name: 'a.txt' }, { name: 'folder/b.txt', data: patterned(9000) }]

const zips = {
  'good.zip': () => zipOf(good),
  'stored.zip': () => zipOf(good.map(entry => ({ ...entry, method: 0 }))),
  'empty.zip': () => zipOf([]),
  'bomb.zip': () => zipOf([{ name: 'a', data: Buffer.alloc(400 * MEGABYTE) }]),
  'bomb-many.zip': () =>
    zipOf(Array.from({ length: 60 }, (_, at) => ({ name: `a${at}`, data: Buffer.alloc(10 * MEGABYTE) }))),
  'bomb-size-lies.zip': () => zipOf([{ name: 'a', data: Buffer.alloc(200 * MEGABYTE), lies: { size: 10 } }]),
  'bomb-overlapping.zip': overlapping,
  'bomb-nested.zip': () => {
    let inner = zipOf([{ name: 'z', data: Buffer.alloc(20 * MEGABYTE) }])
    for (let depth = 0; depth < 6; depth++)
      inner = zipOf(Array.from({ length: 10 }, (_, at) => ({ name: `${at}.zip`, data: inner })))
    return inner
  },
  'many-entries.zip': () =>
    zipOf(Array.from({ length: 30_000 }, (_, at) => ({ name: `${at}`, data: Buffer.alloc(0), method: 0 }))),
  '150-entries.zip': () => zipOf(Array.from({ length: 150 }, (_, at) => ({ name: `${at}.txt` }))),
  'escape-up.zip': () => zipOf([{ name: '../../evil.txt' }]),
  'escape-root.zip': () => zipOf([{ name: '/etc/evil' }]),
  'escape-backslash.zip': () => zipOf([{ name: '..\\..\\evil.txt' }]),
  'escape-drive.zip': () => zipOf([{ name: 'C:\\evil.txt' }]),
  'escape-nul.zip': () => zipOf([{ name: 'a\0/../../b' }]),
  'link.zip': () => zipOf([{ name: 'link', data: Buffer.from('/etc/passwd'), mode: 0o120777 }, { name: 'link/x' }]),
  'device.zip': () => zipOf([{ name: 'device', mode: 0o060644 }]),
  'names-same.zip': () => zipOf([{ name: 'a' }, { name: 'a' }, { name: 'A' }]),
  'names-empty.zip': () => zipOf([{ name: '' }, { name: '/' }, { name: '.' }]),
  'names-cp437.zip': () => zipOf([{ name: Buffer.from([0x81, 0x84, 0x2e, 0x74]), flags: 0 }]),
  'names-not-utf-8.zip': () => zipOf([{ name: Buffer.from([0xff, 0xfe, 0xc3]) }]),
  'name-long.zip': () => zipOf([{ name: 'a'.repeat(60_000) }]),
  'folders-deep.zip': () => zipOf([{ name: `${'d/'.repeat(2000)}x` }]),
  'crc-wrong.zip': () => zipOf([{ name: 'a', lies: { crc: 1 } }]),
  'count-lies.zip': () => zipOf(good, { count: 60_000 }),
  'offset-far.zip': () => zipOf([{ name: 'a', lies: { offset: 4_000_000_000 } }]),
  'method-unknown.zip': () => zipOf([{ name: 'a', method: 98 }]),
  'method-bzip2.zip': () => byZip(['-Z', 'bzip2']),
  'locked.zip': () => byZip(['-P', 'secret']),
  'locked-in-name-only.zip': () => zipOf([{ name: 'a', flags: 0x801 }]),
  'comment-end.zip': () => zipOf(good, { comment: 'PK\x05\x06'.repeat(20) }),
  'stub-before.zip': () => Buffer.concat([patterned(3000), zipOf(good)]),
  'head-only.zip': () => 'PK\x03\x04',
  'end-only.zip': () => Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]),
  'zip64-lies.zip': () => {
    const bytes = zipOf(good)
    bytes.writeUInt32LE(0xffffffff, bytes.length - 6)
    bytes.writeUInt16LE(0xffff, bytes.length - 12)
    return bytes
  },
}

const tars = {
  'good.tar': () => Buffer.concat([tarEntry('a.txt'), tarEntry('folder/b.txt'), TAR_END]),
  'good.tar.gz': () => gzipSync(Buffer.concat([tarEntry('a.txt'), TAR_END])),
  'escape.tar': () => Buffer.concat([tarEntry('../../evil'), tarEntry('/etc/evil'), TAR_END]),
  'link.tar': () =>
    Buffer.concat([tarEntry('l', Buffer.alloc(0), { type: '2', link: '/etc' }), tarEntry('l/x'), TAR_END]),
  'hard-link.tar': () => Buffer.concat([tarEntry('h', Buffer.alloc(0), { type: '1', link: '/etc/passwd' }), TAR_END]),
  'device.tar': () => Buffer.concat([tarEntry('d', Buffer.alloc(0), { type: '3' }), TAR_END]),
  'sum-wrong.tar': () => Buffer.concat([tarEntry('a', undefined, { sum: false }), TAR_END]),
  'size-lies.tar': () => Buffer.concat([tarEntry('a', undefined, { size: '77777777777' }), TAR_END]),
  'size-of-words.tar': () => Buffer.concat([tarEntry('a', undefined, { size: 'xxxxxxxxxxx' }), TAR_END]),
  'no-end.tar': () => tarEntry('a', patterned(3000)).subarray(0, 1500),
  'long-name.tar': () =>
    Buffer.concat([tarEntry('././@LongLink', Buffer.from('a/'.repeat(900)), { type: 'L' }), tarEntry('a'), TAR_END]),
  'long-name-bomb.tar': () =>
    Buffer.concat([tarEntry('././@LongLink', Buffer.alloc(20 * MEGABYTE, 97), { type: 'L' }), tarEntry('a'), TAR_END]),
  'pax-odd.tar': () =>
    Buffer.concat([tarEntry('p', Buffer.from('99999 size=-1\n7 path=\n'), { type: 'x' }), tarEntry('a'), TAR_END]),
  'bomb.tar.gz': () => gzipSync(Buffer.concat([tarEntry('a', Buffer.alloc(300 * MEGABYTE)), TAR_END])),
  'bomb.gz': () => gzipSync(Buffer.alloc(600 * MEGABYTE)),
  'good.txt.gz': () => gzipSync('hello'.repeat(300)),
  'two-members.gz': () => Buffer.concat([gzipSync('one'), gzipSync('two')]),
  'rubbish-behind.gz': () => Buffer.concat([gzipSync('one'), patterned(99)]),
  'crc-wrong.gz': () => {
    const bytes = gzipSync('hello'.repeat(50))
    bytes.writeUInt32LE(7, bytes.length - 8)
    return bytes
  },
  'head-only.gz': () => Buffer.from('1f8b08', 'hex'),
  'seven.7z': () => Buffer.concat([Buffer.from('377abcaf271c0004', 'hex'), patterned(300)]),
  'rar.rar': () => Buffer.concat([Buffer.from('526172211a0701', 'hex'), patterned(300)]),
}

export function archiveSamples(): Sample[] {
  return samplesOf('archive', { ...zips, ...tars })
}
