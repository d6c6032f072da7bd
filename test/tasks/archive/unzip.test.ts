import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/folder.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const unpack = async (file: Uint8Array, body = {}) => (await runJob(pools, 'archive.unzip', { file, ...body })).result
const names = async (file: Uint8Array, body = {}) =>
  ((await unpack(file, body)).files as unknown as { entry: string }[]).map(({ entry }) => entry)

/** An archive made by Python, whose program finds `path` to write to. */
async function made(program: string): Promise<Buffer> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'archive')
  execFileSync('python3', ['-c', `import sys,zipfile,tarfile,io,os\npath=sys.argv[1]\n${program}`, path])
  return readFile(path)
}

const ZIP = "z=zipfile.ZipFile(path,'w',zipfile.ZIP_DEFLATED)\n"
const TAR =
  "def add(t,name,data=b'x',kind=None,link=''):\n i=tarfile.TarInfo(name)\n i.size=len(data)\n if kind: i.type=kind; i.linkname=link; i.size=0\n t.addfile(i,io.BytesIO(data))\n"

test.each([
  ['zip', `${ZIP}z.writestr('a.txt','hello')\nz.writestr('d/ü.txt','x'*100000)\nz.writestr('e/','')\nz.close()`],
  [
    'tar',
    `${TAR}t=tarfile.open(path,'w',format=tarfile.GNU_FORMAT)\nadd(t,'a.txt',b'hello')\nadd(t,'d/ü.txt',b'x'*100000)\nadd(t,'e',kind=tarfile.DIRTYPE)\nt.close()`,
  ],
  [
    'tar',
    `${TAR}t=tarfile.open(path,'w:gz',format=tarfile.PAX_FORMAT)\nadd(t,'a.txt',b'hello')\nadd(t,'d/ü.txt',b'x'*100000)\nadd(t,'e',kind=tarfile.DIRTYPE)\nt.close()`,
  ],
])('lists and unpacks a %s', async (format, program) => {
  const file = await made(program)
  const { entries, format: found } = await unpack(file, { action: 'list' })
  expect(found).toBe(format)
  expect(entries).toMatchObject([
    { name: 'a.txt', kind: 'file', sizeBytes: 5 },
    { name: 'd/ü.txt', sizeBytes: 100_000 },
    { kind: 'folder' },
  ])
  expect(await names(file)).toEqual(['a.txt', 'd/ü.txt'])
  expect(await names(file, { entries: ['d/ü.txt'] })).toEqual(['d/ü.txt'])
  await expect(unpack(file, { entries: ['none'] })).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' })
})

test('unpacks a long name of a tar, and a file that is only compressed', async () => {
  const long = `${'deep/'.repeat(40)}file.txt`
  for (const kind of ['GNU', 'PAX', 'USTAR']) {
    const name = kind === 'USTAR' ? long.slice(-150) : long
    const file = await made(`${TAR}t=tarfile.open(path,'w',format=tarfile.${kind}_FORMAT)\nadd(t,'${name}')\nt.close()`)
    expect(await names(file)).toEqual([name])
  }
  expect(await unpack(gzipSync('hello'), { action: 'list' })).toMatchObject({
    format: 'gzip',
    entries: [{ sizeBytes: 5, name: 'file' }],
  })
})

test('opens what old programs sealed', async () => {
  await using folder = await freshFolder()
  await writeFile(join(folder.path, 'a.txt'), 'hello hello hello')
  execFileSync('zip', ['-q', '-P', 'geheim', 'a.zip', 'a.txt'], { cwd: folder.path })
  const file = await readFile(join(folder.path, 'a.zip'))
  expect(await names(file, { password: 'geheim' })).toEqual(['a.txt'])
  await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_PASSWORD_REQUIRED' })
  await expect(unpack(file, { password: 'falsch' })).rejects.toMatchObject({
    code: expect.stringMatching(/^ARCHIVE_PA/),
  })
})

test('opens what it sealed itself, and tells a wrong password', async () => {
  const { bytes } = await runJob(pools, 'archive.zip', {
    files: [Buffer.from('hello'.repeat(1000))],
    password: 'geheim',
  })
  expect(await names(bytes, { password: 'geheim' })).toEqual(['file-1.txt'])
  await expect(unpack(bytes, { password: 'x' })).rejects.toMatchObject({ code: 'ARCHIVE_PASSWORD_INCORRECT' })
  const bent = Buffer.from(bytes)
  bent[80]! ^= 1
  await expect(unpack(bent, { password: 'geheim' })).rejects.toMatchObject({ code: 'ARCHIVE_PARSE_FAILED' })
})

test.each(['../x', '/etc/x', 'a/../../x', 'C:x', 'a\\\\..\\\\x'])(
  'refuses a name that leads elsewhere: %s',
  async name => {
    const zip = await made(`${ZIP}z.writestr('ok','1')\nz.writestr('${name}','x')\nz.close()`)
    const tar = await made(`${TAR}t=tarfile.open(path,'w')\nadd(t,'ok')\nadd(t,'${name}')\nt.close()`)
    for (const file of [zip, tar]) {
      await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'path' } })
      expect((await unpack(file, { action: 'list' })).entries).toMatchObject([{ name: 'ok' }, { unsafe: 'path' }])
      const skipped = await runJob(pools, 'archive.unzip', { file, skipUnsafe: true })
      expect(skipped.warnings).toEqual(['ENTRIES_SKIPPED'])
    }
  },
)

test('refuses links', async () => {
  const zip = await made(
    `${ZIP}i=zipfile.ZipInfo('l')\ni.create_system=3\ni.external_attr=0o120777<<16\nz.writestr(i,'/etc/passwd')\nz.close()`,
  )
  const tar = await made(
    `${TAR}t=tarfile.open(path,'w')\nadd(t,'l',kind=tarfile.SYMTYPE,link='/etc/passwd')\nadd(t,'h',kind=tarfile.LNKTYPE,link='/etc/passwd')\nadd(t,'c',kind=tarfile.CHRTYPE)\nt.close()`,
  )
  for (const file of [zip, tar])
    await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'link' } })
})

test('refuses bombs before they go off', async () => {
  const large = await made(`${ZIP}for n in range(6): z.writestr(str(n), b'\\0'*(100<<20))\nz.close()`)
  await expect(unpack(large)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'size' } })
  await expect(unpack(large, { entries: ['1'] })).rejects.toMatchObject({
    code: 'ARCHIVE_UNSAFE',
    hints: { reason: 'ratio' },
  })
  await expect(unpack(gzipSync(Buffer.alloc(60 << 20)))).rejects.toMatchObject({
    code: 'ARCHIVE_UNSAFE',
    hints: { reason: 'ratio' },
  })
  const small = await made(`${ZIP}z.writestr('a','x'*1000)\nz.close()`)
  const liar = Buffer.from(small)
  liar.writeUInt32LE(5, liar.indexOf('PK\x01\x02', 0, 'latin1') + 24)
  await expect(unpack(liar)).rejects.toMatchObject({ code: 'ARCHIVE_PARSE_FAILED' })
})

test('refuses entries that share bytes', async () => {
  const file = await made(`${ZIP}z.writestr('a','x'*50)\nz.writestr('b','y'*50)\nz.close()`)
  file.writeUInt32LE(0, file.lastIndexOf('PK\x01\x02', undefined, 'latin1') + 42)
  await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'overlap' } })
})

test('refuses more than a hundred files at once', async () => {
  const file = await made(`${ZIP}for n in range(101): z.writestr(str(n),'x')\nz.close()`)
  await expect(unpack(file)).rejects.toMatchObject({ code: 'TOO_MANY_OUTPUTS', hints: { outputs: 101, max: 100 } })
})

test('answers its problem for every cut and bent archive', async () => {
  const whole = await made(`${ZIP}z.writestr('a.txt','hello'*100)\nz.writestr('b.txt','x')\nz.close()`)
  const codes = /^(?:ARCHIVE_|UNSUPPORTED_FORMAT|ENTRY_)/
  for (let at = 0; at < whole.length; at += 7) {
    const bent = Buffer.from(whole)
    bent[at]! ^= 0xff
    for (const file of [bent, whole.subarray(0, at)]) {
      if (file.length === 0) continue
      const code = await unpack(file).then(
        () => 'ARCHIVE_OK',
        error => error.code ?? `${error}`,
      )
      expect(code).toMatch(codes)
    }
  }
})

test.each([
  ['garbage', Buffer.from('no archive')],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['seven zip', Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1')],
])('refuses %s', async (_, file) => {
  await expect(unpack(file)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
})
