import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { loadOperation } from '../../../tasks/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

interface Entry {
  name: string
  text?: string
  localName?: string
  localExtra?: Buffer
  centralExtra?: Buffer
  localMethod?: number
  /** After the content, instead of sizes in the local header. */
  descriptor?: 'signed' | 'plain'
  mode?: number
  host?: number
  /** Instead of that of the entry's own local header. */
  offset?: number
}

interface Archive {
  comment?: Buffer
  prefix?: Buffer
  /** Whether offsets count the prefix. */
  isAdjusted?: boolean
  suffix?: Buffer
  zip64?: { count?: bigint }
}

const numbers = (format: string, ...values: (number | bigint)[]) =>
  Buffer.concat(
    values.map((value, index) => {
      const bytes = Buffer.alloc({ H: 2, I: 4, Q: 8 }[format[index]!]!)
      for (let at = 0, rest = BigInt(value); at < bytes.length; at++, rest >>= 8n) bytes[at] = Number(rest & 255n)
      return bytes
    }),
  )

function writeEntry({ name, text = 'hello', localName = name, localExtra, localMethod = 0, descriptor }: Entry) {
  const content = Buffer.from(text)
  const [nameBytes, extra] = [Buffer.from(localName), localExtra ?? Buffer.alloc(0)]
  const sums = [crc32(content), content.length, content.length] as const
  const flags = 0x800 | (descriptor ? 8 : 0)
  const head = numbers(
    'IHHHIIIIHH',
    0x04034b50,
    20,
    flags,
    localMethod,
    0x21 << 16,
    ...(descriptor ? [0, 0, 0] : sums),
    nameBytes.length,
    extra.length,
  )
  const after = [
    ...(descriptor === 'signed' ? [numbers('I', 0x08074b50)] : []),
    ...(descriptor ? [numbers('III', ...sums)] : []),
  ]
  return Buffer.concat([head, nameBytes, extra, content, ...after])
}

function writeRecord({ name, text = 'hello', centralExtra, descriptor, mode = 0o100644, host = 3 }: Entry, at: number) {
  const content = Buffer.from(text)
  const [nameBytes, extra] = [Buffer.from(name), centralExtra ?? Buffer.alloc(0)]
  const flags = 0x800 | (descriptor ? 8 : 0)
  const head = numbers(
    'IHHHHIIIIHHHHHII',
    0x02014b50,
    (host << 8) | 20,
    20,
    flags,
    0,
    0x21 << 16,
    crc32(content),
    content.length,
    content.length,
    nameBytes.length,
    extra.length,
    0,
    0,
    0,
    mode * 65_536,
    at,
  )
  return Buffer.concat([head, nameBytes, extra])
}

function writeZip(
  entries: readonly Entry[],
  { comment = Buffer.alloc(0), prefix = Buffer.alloc(0), isAdjusted, suffix, zip64 }: Archive = {},
) {
  const base = isAdjusted ? prefix.length : 0
  const locals: Buffer[] = []
  const records: Buffer[] = []
  let at = base
  for (const entry of entries) {
    records.push(writeRecord(entry, entry.offset ?? at))
    locals.push(writeEntry(entry))
    at += locals.at(-1)!.length
  }
  const directory = Buffer.concat(records)
  const count = entries.length
  const record64 = zip64 && [
    numbers(
      'IQHHIIQQQQ',
      0x06064b50,
      44,
      45,
      45,
      0,
      0,
      zip64.count ?? count,
      zip64.count ?? count,
      directory.length,
      at,
    ),
    numbers('IIQI', 0x07064b50, 0, at + directory.length, 1),
  ]
  const end = numbers('IHHHHIIH', 0x06054b50, 0, 0, count, count, directory.length, at, comment.length)
  return Buffer.concat([prefix, ...locals, directory, ...(record64 ?? []), end, comment, suffix ?? Buffer.alloc(0)])
}

const unpack = async (file: Uint8Array) =>
  ((await runJob(pools, 'archive.unzip', { file })).result.files as unknown as { entry: string }[]).map(
    ({ entry }) => entry,
  )

const A = { name: 'a.txt' }
const B = { name: 'b.txt', text: 'other' }
const END = numbers('IHHHHIIH', 0x06054b50, 0, 0, 0, 0, 0, 0, 0)

const GOOD: [what: string, file: Buffer, count: number][] = [
  ['a program before it, which its offsets do not count', writeZip([A, B], { prefix: Buffer.alloc(3000, 'MZ') }), 2],
  [
    'a program before it, which its offsets count',
    writeZip([A, B], { prefix: Buffer.alloc(300, 'MZ'), isAdjusted: true }),
    2,
  ],
  ['a program before a zip64 end', writeZip([A], { prefix: Buffer.alloc(300, 'MZ'), zip64: {} }), 1],
  [
    'a program before it and a comment',
    writeZip([A], { prefix: Buffer.alloc(300, 'MZ'), comment: Buffer.from('note') }),
    1,
  ],
  ['the longest comment', writeZip([A, B], { comment: Buffer.alloc(65_535, 'c') }), 2],
  ['the mark of an end in its comment', writeZip([A], { comment: Buffer.concat([END, Buffer.from('more')]) }), 1],
  ['a byte after its end', writeZip([A], { suffix: Buffer.from('\n') }), 1],
  [
    'signed data descriptors',
    writeZip([
      { ...A, descriptor: 'signed' },
      { ...B, descriptor: 'signed' },
    ]),
    2,
  ],
  [
    'data descriptors without a mark',
    writeZip([
      { ...A, descriptor: 'plain' },
      { ...B, descriptor: 'plain' },
    ]),
    2,
  ],
  ['a zip64 end where it needs none', writeZip([A, B], { zip64: {} }), 2],
  ['longer extra fields in its local headers', writeZip([{ ...A, localExtra: numbers('HHI', 0x9999, 4, 0) }, B]), 2],
  ['names that begin with ./', writeZip([{ name: './a.txt' }, { name: './d//b.txt' }]), 2],
  ['names that Windows does not like', writeZip([{ name: 'drivers/aux.c' }, { name: 'Dr. Who./b.txt' }]), 2],
  ['one name twice', writeZip([A, { ...A, text: 'newer' }]), 2],
  ['no entry', END, 0],
]

test.each(GOOD)('opens a zip with %s', async (_, file, count) => {
  expect(await unpack(file)).toHaveLength(count)
})

test('another program agrees that these are whole', async () => {
  await using folder = await freshFolder()
  for (const [index, [, file]] of GOOD.entries()) await writeFile(join(folder.path, `${index}.zip`), file)
  const count = (index: number) => {
    const { stdout } = spawnSync('7zz', ['l', '-ba', '-tzip', `${index}.zip`], { cwd: folder.path, encoding: 'utf8' })
    return stdout.split('\n').filter(line => line.includes(' 5 ')).length
  }
  expect(GOOD.map(([what], index) => [what, count(index)])).toEqual(GOOD.map(([what, , entries]) => [what, entries]))
})

const LINK = { name: 'l', text: '/etc/passwd', mode: 0o120777 }

test.each([
  ['a local header that names another file', writeZip([{ ...A, localName: 'x.exe' }]), 'ARCHIVE_UNSAFE', 'name'],
  ['an extra field that reaches into the next entry', overlapByExtra(), 'ARCHIVE_UNSAFE', 'overlap'],
  [
    'two entries of the same bytes',
    writeZip([A, { ...A, name: 'b.txt', localName: 'b.txt', offset: 0 }]),
    'ARCHIVE_UNSAFE',
    'overlap',
  ],
  ['a link made on Darwin', writeZip([{ ...LINK, host: 19 }]), 'ARCHIVE_UNSAFE', 'link'],
  ['a link made by a program of DOS', writeZip([{ ...LINK, host: 0 }]), 'ARCHIVE_UNSAFE', 'link'],
  ['a name that Windows takes for ..', writeZip([{ name: 'a/.. /x' }]), 'ARCHIVE_UNSAFE', 'path'],
  ['a drive', writeZip([{ name: 'c:/x' }]), 'ARCHIVE_UNSAFE', 'path'],
  ['backslashes to a parent', writeZip([{ name: 'a\\..\\..\\x' }]), 'ARCHIVE_UNSAFE', 'path'],
  ['an absolute name', writeZip([{ name: '/x' }]), 'ARCHIVE_UNSAFE', 'path'],
  ['a zero byte in a name', writeZip([{ name: 'a.txt\0.exe' }]), 'ARCHIVE_UNSAFE', 'path'],
  ['another method in the local header', writeZip([{ ...A, localMethod: 8 }]), 'ARCHIVE_PARSE_FAILED', undefined],
  ['two directories', Buffer.concat([writeZip([A]), writeZip([B])]), 'ARCHIVE_PARSE_FAILED', undefined],
  ['two ends that both fit', writeZip([A], { comment: END }), 'ARCHIVE_PARSE_FAILED', undefined],
  ['a zip64 end that counts otherwise', writeZip([A, B], { zip64: { count: 1n } }), 'ARCHIVE_PARSE_FAILED', undefined],
])('refuses a zip with %s', async (_, file, code, reason) => {
  await expect(unpack(file)).rejects.toMatchObject({ code, ...(reason && { hints: { reason } }) })
})

/** By the directory alone the entries stand side by side; the first local header moves its content into the second. */
function overlapByExtra(): Buffer {
  const file = writeZip([A, B])
  file.writeUInt16LE(30, 28)
  return file
}

test('unpacks up to 50 MiB whatever the ratio, as its page says', async () => {
  const { files } = await runJob(pools, 'archive.unzip', { file: gzipSync(Buffer.alloc(50 << 20)) })
  expect(files[0]!.bytes).toHaveLength(50 << 20)
  const { description } = await loadOperation('archive.unzip')
  expect(description).toContain('beyond 50 MiB to more than 200 times their size')
})
