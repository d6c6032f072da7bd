import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { ZipCrypto } from '../../../pools/tools/zip/legacy-cipher.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { PYTHON, runProgram } from '../../support/machine/programs.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const unpack = async (file: Uint8Array, body = {}) => (await runJob(pools, 'archive.unzip', { file, ...body })).result
const names = async (file: Uint8Array, body = {}) =>
  ((await unpack(file, body)).files as unknown as { entry: string }[]).map(({ entry }) => entry)

/** An archive created by a Python program, which writes it to `path`. */
async function createArchive(program: string): Promise<Buffer> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'archive')
  runProgram(PYTHON, ['-c', `import sys,zipfile,tarfile,io,os\npath=sys.argv[1]\n${program}`, path])
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
  const file = await createArchive(program)
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

test('unpacks a long name in a tar, and a single compressed file', async () => {
  const long = `${'deep/'.repeat(40)}file.txt`
  for (const kind of ['GNU', 'PAX', 'USTAR']) {
    const name = kind === 'USTAR' ? long.slice(-150) : long
    const file = await createArchive(
      `${TAR}t=tarfile.open(path,'w',format=tarfile.${kind}_FORMAT)\nadd(t,'${name}')\nt.close()`,
    )
    expect(await names(file)).toEqual([name])
  }
  expect(await unpack(gzipSync('hello'), { action: 'list' })).toMatchObject({
    format: 'gzip',
    entries: [{ sizeBytes: 5, name: 'file' }],
  })
})

test('opens archives with the old zip encryption', async () => {
  await using folder = await freshFolder()
  await writeFile(join(folder.path, 'a.txt'), 'hello hello hello')
  runProgram('zip', ['-q', '-P', 'geheim', 'a.zip', 'a.txt'], '', folder.path)
  const file = await readFile(join(folder.path, 'a.zip'))
  expect(await names(file, { password: 'geheim' })).toEqual(['a.txt'])
  await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_PASSWORD_REQUIRED' })
  await expect(unpack(file, { password: 'falsch' })).rejects.toMatchObject({
    code: expect.stringMatching(/^ARCHIVE_PA/),
  })
})

test('opens what it encrypted itself, and recognises a wrong password', async () => {
  const { bytes } = await runJob(pools, 'archive.zip', {
    files: [Buffer.from('hello'.repeat(1000))],
    password: 'geheim',
  })
  expect(await names(bytes, { password: 'geheim' })).toEqual(['file-1.txt'])
  await expect(unpack(bytes, { password: 'x' })).rejects.toMatchObject({ code: 'ARCHIVE_PASSWORD_INCORRECT' })
  const corrupted = Buffer.from(bytes)
  corrupted[80]! ^= 1
  await expect(unpack(corrupted, { password: 'geheim' })).rejects.toMatchObject({ code: 'ARCHIVE_PARSE_FAILED' })
})

test.each(['../x', '/etc/x', 'a/../../x', 'C:x', 'a\\\\..\\\\x'])(
  'rejects a name that leads out of the folder: %s',
  async name => {
    const zip = await createArchive(`${ZIP}z.writestr('ok','1')\nz.writestr('${name}','x')\nz.close()`)
    const tar = await createArchive(`${TAR}t=tarfile.open(path,'w')\nadd(t,'ok')\nadd(t,'${name}')\nt.close()`)
    for (const file of [zip, tar]) {
      await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'path' } })
      expect((await unpack(file, { action: 'list' })).entries).toMatchObject([{ name: 'ok' }, { unsafe: 'path' }])
      const skipped = await runJob(pools, 'archive.unzip', { file, skipUnsafe: true })
      expect(skipped.warnings).toEqual(['ENTRIES_SKIPPED'])
    }
  },
)

test('rejects links', async () => {
  const zip = await createArchive(
    `${ZIP}i=zipfile.ZipInfo('l')\ni.create_system=3\ni.external_attr=0o120777<<16\nz.writestr(i,'/etc/passwd')\nz.close()`,
  )
  const tar = await createArchive(
    `${TAR}t=tarfile.open(path,'w')\nadd(t,'l',kind=tarfile.SYMTYPE,link='/etc/passwd')\nadd(t,'h',kind=tarfile.LNKTYPE,link='/etc/passwd')\nadd(t,'c',kind=tarfile.CHRTYPE)\nt.close()`,
  )
  for (const file of [zip, tar])
    await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'link' } })
})

test('rejects zip bombs without unpacking them', async () => {
  const large = await createArchive(
    `${ZIP}for n in range(6): z.writestr(str(n), b'\\0'*(100<<20), compresslevel=1)\nz.close()`,
  )
  await expect(unpack(large)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'size' } })
  await expect(unpack(large, { entries: ['1'] })).rejects.toMatchObject({
    code: 'ARCHIVE_UNSAFE',
    hints: { reason: 'ratio' },
  })
  await expect(unpack(gzipSync(Buffer.alloc(60 << 20)))).rejects.toMatchObject({
    code: 'ARCHIVE_UNSAFE',
    hints: { reason: 'ratio' },
  })
  const small = await createArchive(`${ZIP}z.writestr('a','x'*1000)\nz.close()`)
  const falsified = Buffer.from(small)
  falsified.writeUInt32LE(5, falsified.indexOf('PK\x01\x02', 0, 'latin1') + 24)
  await expect(unpack(falsified)).rejects.toMatchObject({ code: 'ARCHIVE_PARSE_FAILED' })
})

test('rejects entries that share bytes', async () => {
  const file = await createArchive(`${ZIP}z.writestr('a','x'*50)\nz.writestr('b','y'*50)\nz.close()`)
  file.writeUInt32LE(0, file.lastIndexOf('PK\x01\x02', undefined, 'latin1') + 42)
  await expect(unpack(file)).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE', hints: { reason: 'overlap' } })
})

test('rejects more than a hundred files at once', async () => {
  const file = await createArchive(`${ZIP}for n in range(101): z.writestr(str(n),'x')\nz.close()`)
  await expect(unpack(file)).rejects.toMatchObject({ code: 'TOO_MANY_OUTPUTS', hints: { outputs: 101, max: 100 } })
})

test('answers with a problem for every truncated or corrupted archive', async () => {
  const whole = await createArchive(`${ZIP}z.writestr('a.txt','hello'*100)\nz.writestr('b.txt','x')\nz.close()`)
  const codes = /^(?:ARCHIVE_|UNSUPPORTED_FORMAT|ENTRY_)/
  for (let at = 0; at < whole.length; at += 7) {
    const corrupted = Buffer.from(whole)
    corrupted[at]! ^= 0xff
    for (const file of [corrupted, whole.subarray(0, at)]) {
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
  ['an image', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
])('rejects %s', async (_, file) => {
  await expect(unpack(file)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
})

/** Writes names of the same length in other bytes, as programs do that use a code page. */
const renameBytes = (file: Buffer, from: string, to: Buffer) =>
  Buffer.from(file.toString('latin1').replaceAll(from, to.toString('latin1')), 'latin1')

test('reads names in code page 437', async () => {
  const file = await createArchive(`${ZIP}z.writestr('d/gr_n_.txt','x')\nz.close()`)
  // Python's codec is the reference: ü is 0x81 and ß is 0xe1.
  const name = Buffer.from([0x64, 0x2f, 0x67, 0x72, 0x81, 0x6e, 0xe1, 0x2e, 0x74, 0x78, 0x74])
  expect(await names(renameBytes(file, 'd/gr_n_.txt', name))).toEqual(['d/grünß.txt'])
})

test.each([
  ['of the header', 0, 'Ж.txt'],
  ['of another name', 1, '_.txt'],
])('reads a name in a Unicode Path field with the checksum %s', async (_, change, name) => {
  const file = await createArchive(
    `import zlib,struct\n${ZIP}i=zipfile.ZipInfo('_.txt')\nu='Ж.txt'.encode()\n` +
      `i.extra=struct.pack('<HHBI',0x7075,5+len(u),1,zlib.crc32(b'_.txt')^${change})+u\nz.writestr(i,'x')\nz.close()`,
  )
  expect(await names(file)).toEqual([name])
})

test('reads backslashes in a zip as slashes, and still rejects names that lead out of the folder', async () => {
  const program = (name: string) => `${ZIP}i=zipfile.ZipInfo('x')\ni.filename='${name}'\nz.writestr(i,'x')\nz.close()`
  expect(await names(await createArchive(program('d\\\\e\\\\f.txt')))).toEqual(['d/e/f.txt'])
  for (const name of ['..\\\\x', '\\\\\\\\host\\\\x', 'C:\\\\x']) {
    await expect(unpack(await createArchive(program(name)))).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE' })
  }
})

test.each([
  ['which byte checks the password', Buffer.from('geheim'), 'geheim', true],
  ['that the password is in Latin-1', Buffer.from('pässwörd', 'latin1'), 'pässwörd', false],
  ['that the password is in code page 437', Buffer.from([0x70, 0x84, 0x73]), 'päs', false],
  ['that the password is in code page 850', Buffer.from([0xc6, 0xb7]), 'ãÀ', false],
  ['that the password is in windows-1252', Buffer.from([0x80, 0x31]), '€1', false],
  ['that the password is in windows-1251', Buffer.from('efe0f0eeebfc', 'hex'), 'пароль', false],
  ['that the password is in code page 866', Buffer.from('afa0e0aeabec', 'hex'), 'пароль', false],
  ['that the password is in Shift_JIS', Buffer.from('94e996a7', 'hex'), '秘密', false],
])('opens the old zip encryption whatever it assumes: %s', async (_, given, password, clearsFlag) => {
  await using folder = await freshFolder()
  await writeFile(join(folder.path, 'a.txt'), 'hello hello hello')
  const program = `import subprocess,sys\nsubprocess.run([b'zip',b'-q',b'-P',bytes.fromhex(sys.argv[1]),b'a.zip',b'a.txt'])`
  runProgram(PYTHON, ['-c', program, given.toString('hex')], '', folder.path)
  const file = await readFile(join(folder.path, 'a.zip'))
  const flags = file.indexOf('PK\x01\x02', 0, 'latin1') + 8
  // Without this flag a reader expects the byte of the checksum, but some programs still write that of the time.
  if (clearsFlag) file.writeUInt16LE(file.readUInt16LE(flags) & ~8, flags)
  expect(await names(file, { password })).toEqual(['a.txt'])
  for (let attempt = 0; attempt < 40; attempt++) {
    const wrong = unpack(file, { password: `wrong ${attempt}` })
    await expect(wrong).rejects.toMatchObject({ code: 'ARCHIVE_PASSWORD_INCORRECT' })
  }
})

test('takes the code page that fits the content, where the byte of check lets two of them pass', async () => {
  await using folder = await freshFolder()
  await writeFile(join(folder.path, 'a.txt'), 'hello')
  runProgram('zip', ['-q', '-0', '-X', '-P', 'x', 'a.zip', 'a.txt'], '', folder.path)
  const file = await readFile(join(folder.path, 'a.zip'))
  const [right, wrong] = [Buffer.from('pä', 'latin1'), Buffer.from('pä')]
  const check = file[file.indexOf('PK\x01\x02', 0, 'latin1') + 19]!
  const start = file.indexOf('a.txt') + 'a.txt'.length
  const encrypt = (plain: Buffer) => {
    const bytes = Buffer.alloc(plain.length)
    for (const [at, byte] of plain.entries()) {
      bytes[at] = byte ^ new ZipCrypto(right).decrypt(bytes.subarray(0, at + 1)).at(-1)!
    }
    return bytes
  }
  const tries = Array.from({ length: 4096 }, (_, salt) => {
    return encrypt(Buffer.from([...Array(9).fill(7), salt >> 8, salt & 255, check, ...Buffer.from('hello')]))
  })
  tries.find(bytes => new ZipCrypto(wrong).decrypt(bytes)[11] === check)!.copy(file, start)
  expect(await names(file, { password: 'pä' })).toEqual(['a.txt'])
})

/** An archive with a zip64 end, which Python writes if it is made to take any count for too large. */
const createZip64 = () =>
  createArchive(`zipfile.ZIP_FILECOUNT_LIMIT=0\n${ZIP}z.writestr('a.txt','hello')\nz.writestr('b.txt','x')\nz.close()`)

test('reads a zip64 end, and rejects one that is broken', async () => {
  const whole = await createZip64()
  expect(await names(whole)).toEqual(['a.txt', 'b.txt'])
  const record = whole.indexOf('PK\x06\x06', 0, 'latin1')
  const breakings: ((file: Buffer) => void)[] = [
    file => file.fill(0, record, record + 56),
    file => file.fill(0, record + 24, record + 48),
    file => file.writeBigUInt64LE(0n, file.indexOf('PK\x06\x07', 0, 'latin1') + 8),
    file => {
      for (const at of [24, 32]) file.writeBigUInt64LE(1n, record + at)
    },
  ]
  for (const damage of breakings) {
    const file = Buffer.from(whole)
    damage(file)
    await expect(unpack(file, { action: 'list' })).rejects.toMatchObject({ code: 'ARCHIVE_PARSE_FAILED' })
  }
})

test('rejects an end that counts fewer entries than there are', async () => {
  const file = await createArchive(`${ZIP}z.writestr('a','x')\nz.close()`)
  const end = file.indexOf('PK\x05\x06', 0, 'latin1')
  file.fill(0, end + 8, end + 16)
  await expect(unpack(file, { action: 'list' })).rejects.toMatchObject({ code: 'ARCHIVE_PARSE_FAILED' })
})

test('says of one part of several what to do', async () => {
  const whole = await createArchive(`${ZIP}z.writestr('a','x')\nz.close()`)
  const [end, entry] = ['PK\x05\x06', 'PK\x01\x02'].map(mark => whole.indexOf(mark, 0, 'latin1')) as [number, number]
  const zip64 = await createZip64()
  const cases: [Buffer, number][] = [
    [whole, end + 4],
    [whole, end + 6],
    [whole, end + 8],
    [whole, entry + 34],
    [zip64, zip64.indexOf('PK\x06\x06', 0, 'latin1') + 16],
    [zip64, zip64.indexOf('PK\x06\x07', 0, 'latin1') + 16],
  ]
  for (const [archive, at] of cases) {
    const file = Buffer.from(archive)
    file.writeUInt16LE(3, at)
    const rejected = expect(unpack(file, { action: 'list' })).rejects
    await rejected.toMatchObject({ code: 'UNSUPPORTED_FORMAT', hints: { detected: expect.stringContaining('part') } })
  }
})
