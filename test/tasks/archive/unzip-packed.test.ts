import { execFileSync } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildRar4, buildRar5 } from '../../support/data/rar.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const unpack = (file: Uint8Array, body = {}) => runJob(pools, 'archive.unzip', { file, ...body })
const list = async (file: Uint8Array, body = {}) => (await unpack(file, { action: 'list', ...body })).result
const contents = async (file: Uint8Array, body = {}) =>
  (await unpack(file, body)).files.map(({ entry, bytes }) => [entry, bytes.toString().slice(0, 8), bytes.length])

const LONG = 'x'.repeat(100_000)
const FILES = { 'a.txt': 'hello', 'd/ü *.txt': LONG, empty: '' }

/** A 7z of the usual files, written by one of two programs. */
async function create7z(command: string, args: readonly string[], names = Object.keys(FILES)): Promise<Buffer> {
  await using folder = await freshFolder()
  await mkdir(join(folder.path, 'd'))
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder.path, name), content)
  await symlink('/etc/passwd', join(folder.path, 'link'))
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  execFileSync(command, [...args, 'made.7z', ...names], { cwd: folder.path, env })
  return readFile(join(folder.path, 'made.7z'))
}

const UNPACKED = [
  ['a.txt', 'hello', 5],
  ['d/ü *.txt', 'xxxxxxxx', 100_000],
  ['empty', '', 0],
]

test.each([
  ['7zz', ['a', '-bd', '-spd']],
  ['bsdtar', ['--format=7zip', '-cf']],
])('lists and unpacks a 7z that %s wrote', async (command, args) => {
  const file = await create7z(command, args)
  const { format, entries } = await list(file)
  expect(format).toBe('7z')
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'a.txt', kind: 'file', sizeBytes: 5, isEncrypted: false }),
      expect.objectContaining({ name: 'd/ü *.txt', sizeBytes: 100_000, modifiedAt: expect.any(String) }),
    ]),
  )
  expect((await contents(file)).toSorted()).toEqual(UNPACKED)
  const chosen = ['empty', 'd/ü *.txt', 'a.txt']
  expect((await contents(file, { entries: chosen })).map(([name]) => name)).toEqual(chosen)
  await expect(unpack(file, { entries: ['none'] })).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' })
})

test.each([['-mhe=off'], ['-mhe=on']])('opens an encrypted 7z with its password (%s)', async header => {
  const file = await create7z('7zz', ['a', '-bd', '-spd', '-pgeheim', header])
  expect((await contents(file, { password: 'geheim' })).toSorted()).toEqual(UNPACKED)
  await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_PASSWORD_REQUIRED' })
  await expect(unpack(file, { password: 'falsch' })).rejects.toMatchObject({ code: 'ARCHIVE_PASSWORD_INCORRECT' })
  const listing = list(file)
  if (header === '-mhe=on') await expect(listing).rejects.toMatchObject({ code: 'ARCHIVE_PASSWORD_REQUIRED' })
  else expect((await listing).entries).toContainEqual(expect.objectContaining({ name: 'a.txt', isEncrypted: true }))
})

test('rejects links and bombs in a 7z', async () => {
  const file = await create7z('7zz', ['a', '-bd', '-snl'], ['a.txt', 'link'])
  await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'link' } })
  expect(await contents(file, { skipUnsafe: true })).toEqual([UNPACKED[0]])
  await using folder = await freshFolder()
  execFileSync('sh', ['-c', 'head -c 60000000 /dev/zero | 7zz a -bd -mx=1 -si bomb.7z'], { cwd: folder.path })
  const bomb = await readFile(join(folder.path, 'bomb.7z'))
  await expect(unpack(bomb)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'ratio' } })
})

test.each([
  ['5', buildRar5],
  ['4', buildRar4],
])('lists and unpacks a RAR %s', async (_, build) => {
  const file = build(Object.entries(FILES).map(([name, content]) => ({ name, content })))
  expect(await list(file)).toMatchObject({
    format: 'rar',
    entries: [
      { name: 'a.txt', kind: 'file', sizeBytes: 5 },
      { name: 'd/ü *.txt', sizeBytes: 100_000 },
      { name: 'empty' },
    ],
  })
  expect(await contents(file, { entries: ['d/ü *.txt'] })).toEqual([UNPACKED[1]])
  expect(await contents(file)).toEqual(UNPACKED)
  const encrypted = build([{ name: 'a', content: 'x', isEncrypted: true }])
  const part = build([{ name: 'a', content: 'x' }], { isVolume: true })
  for (const odd of [encrypted, part])
    await expect(unpack(odd)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT', hints: { detected: /RAR/ } })
})

test('rejects links and names that lead out of the folder in a RAR', async () => {
  const link = buildRar5([{ name: 'l', content: '/etc/passwd', kind: 'link' }])
  await expect(unpack(link)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'link' } })
  const outside = buildRar5([
    { name: 'ok', content: 'x' },
    { name: '../up', content: 'x' },
  ])
  await expect(unpack(outside)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'path' } })
  expect(await contents(outside, { skipUnsafe: true })).toEqual([['ok', 'x', 1]])
})

test('answers with a problem for damaged archives', async () => {
  const codes = /^(?:ARCHIVE_|UNSUPPORTED_FORMAT|MEMORY_LIMIT)/
  const endless = Buffer.alloc(80, 0xff)
  endless.write('Rar!\x1a\x07\0\0\0\x74\0\x81\x28\0', 'latin1')
  await expect(unpack(endless)).rejects.toMatchObject({ code: expect.stringMatching(codes) })
  const rar = buildRar5(Object.entries(FILES).map(([name, content]) => ({ name, content: content.slice(0, 50) })))
  for (const whole of [await create7z('7zz', ['a', '-bd', '-spd']), rar]) {
    const places = Array.from({ length: 8 }, (_, at) => 7 + Math.floor(((whole.length - 8) * at) / 8))
    for (const at of places) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 0xff
      for (const file of [damaged, whole.subarray(0, at)]) {
        const code = await unpack(file).then(
          () => 'ARCHIVE_OK',
          error => error.code ?? `${error}`,
        )
        expect(code).toMatch(codes)
      }
    }
  }
})
