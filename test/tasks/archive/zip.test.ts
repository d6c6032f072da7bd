import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { assignNames, findNameFault } from '../../../tasks/formats/archive/names.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { hasProgram, PYTHON } from '../../support/machine/programs.ts'
import { computePrice } from '../../support/operations/run.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const pack = (files: Uint8Array[], options = {}) => runJob(pools, 'archive.zip', { files, ...options })

/** The entries of an archive as Python reads them. */
async function readWithPython(
  bytes: Uint8Array,
): Promise<{ name: string; sha: string; date: number[]; method: number; comment: string }[]> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'a.zip')
  await writeFile(path, bytes)
  const program =
    'import sys,zipfile,hashlib,json\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n' +
    'print(json.dumps([dict(name=i.filename,sha=hashlib.sha1(z.read(i)).hexdigest(),date=i.date_time,method=i.compress_type,comment=z.comment.decode()) for i in z.infolist()]))'
  execFileSync('unzip', ['-tq', path])
  return JSON.parse(execFileSync(PYTHON, ['-c', program, path], { encoding: 'utf8' }))
}

test('packs archives that unzip and Python open, in the given order', async () => {
  const files = [
    Buffer.from('hello '.repeat(10_000)),
    Buffer.alloc(0),
    randomBytes(700_000),
    await readFile('tasks/samples/gradient.png'),
  ]
  const { bytes, result } = await pack(files, { comment: 'grüße' })
  const entries = await readWithPython(bytes)
  expect(entries.map(({ name }) => name)).toEqual(['file-1.txt', 'file-2.txt', 'file-3.bin', 'file-4.png'])
  expect(entries.map(({ method }) => method)).toEqual([8, 8, 8, 0])
  expect(entries[0]).toMatchObject({ date: [1980, 1, 1, 0, 0, 0], comment: 'grüße' })
  expect(result).toMatchObject({
    totalBytes: bytes.length,
    entries: [{ sizeBytes: 60_000 }, { sizeBytes: 0, crc32: '00000000' }, {}, {}],
  })
})

test('produces the same bytes for the same files', async () => {
  const [one, two] = [await pack([Buffer.from('a')]), await pack([Buffer.from('a')])]
  expect(one.bytes.equals(two.bytes)).toBe(true)
  const { bytes } = await pack([Buffer.from('a')], { timestamps: '2026-01-31T12:30:10' })
  expect((await readWithPython(bytes))[0]!.date).toEqual([2026, 1, 31, 12, 30, 10])
  const stored = await pack([Buffer.from('aaaaaaaaaaaaaaaaaaaaaaaa')], { level: 0 })
  expect((await readWithPython(stored.bytes))[0]!.method).toBe(0)
})

test.each([
  ['1980-01-01', [1980, 1, 1, 0, 0, 0]],
  ['2107-12-31T23:59:58Z', [2107, 12, 31, 23, 59, 58]],
  ['2028-02-29', [2028, 2, 29, 0, 0, 0]],
])('writes the timestamp %s', async (timestamps, date) => {
  const { bytes } = await pack([Buffer.from('a')], { timestamps })
  expect((await readWithPython(bytes))[0]!.date).toEqual(date)
})

test.each([
  '1970-01-01',
  '1979-12-31T23:59:59Z',
  '2108-01-01',
  '2200-01-01',
  '2026-02-30',
  '2027-02-29T10:00',
  '2026-13-01',
  '2026-01-31T25:00',
])('rejects the timestamp %s, which zip cannot hold', async timestamps => {
  await expect(pack([Buffer.from('a')], { timestamps })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'timestamps' },
  })
})

test('encrypts with a password that opens the archive again', async () => {
  const content = Buffer.from('secret '.repeat(100_000))
  const { bytes } = await pack([content, Buffer.alloc(0)], { password: 'gehéim' })
  expect(bytes.includes('secret')).toBe(false)
  await using folder = await freshFolder()
  await writeFile(join(folder.path, 'a.zip'), bytes)
  const program =
    'import sys,zipfile\nprint([ (i.flag_bits&1, i.compress_type, i.CRC) for i in zipfile.ZipFile(sys.argv[1]).infolist()])'
  expect(execFileSync(PYTHON, ['-c', program, join(folder.path, 'a.zip')], { encoding: 'utf8' }).trim()).toBe(
    '[(1, 99, 0), (1, 99, 0)]',
  )
  if (hasProgram('7zz')) {
    const unpacked = execFileSync('7zz', ['x', '-so', '-pgehéim', join(folder.path, 'a.zip')])
    expect(unpacked.equals(content)).toBe(true)
    expect(() => execFileSync('7zz', ['t', '-pwrong', join(folder.path, 'a.zip')], { stdio: 'ignore' })).toThrow()
  }
  const opened = await runJob(pools, 'archive.unzip', { file: bytes, password: 'gehéim', action: 'list' })
  expect(opened.result.entries).toMatchObject([{ isEncrypted: true, sizeBytes: 700_000 }, { sizeBytes: 0 }])
})

const fileNamed = (name: string | undefined) => ({ name, type: 'text/plain' }) as never
const KEEP_NAMES = { flatten: false, dedupe: false }

test.each([
  '../a',
  '/a',
  'a/../../b',
  'C:\\a',
  'c:a',
  'a\\b',
  'a\0',
  'con',
  'lpt1.txt',
  'a//b',
  'a/',
  '.',
  'a/.',
  'a.',
  'x'.repeat(1025),
])('rejects the name %j', name => {
  expect(findNameFault(name)).toBeDefined()
  expect(() => assignNames([fileNamed(name)], KEEP_NAMES)).toThrow()
})

test('rejects names that are equal on some systems, or numbers them', () => {
  for (const other of ['a.txt', 'A.TXT', 'a.txt/b'])
    expect(() => assignNames([fileNamed('a.txt'), fileNamed(other)], KEEP_NAMES)).toThrow()
  expect(
    assignNames([fileNamed('a.txt'), fileNamed('a.txt'), fileNamed('A.txt')], { flatten: false, dedupe: true }),
  ).toEqual(['a.txt', 'a (2).txt', 'A (3).txt'])
  expect(assignNames([fileNamed('x/größe.txt'), fileNamed(undefined)], { flatten: true, dedupe: false })).toEqual([
    'größe.txt',
    'file-2.txt',
  ])
})

test('rejects too many files', async () => {
  await expect(pack(Array.from({ length: 101 }, () => Buffer.from('a')))).rejects.toMatchObject({
    code: 'TOO_MANY_INPUTS',
    hints: { limit: 100 },
  })
})

test('is priced by started 20 MiB', async () => {
  expect(await computePrice('archive.zip', { files: [{ text: 'a', name: 'a' }] })).toBe(2_000n)
})
