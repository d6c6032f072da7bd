import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/folder.ts'
import { PdfReader, pdfOf, qpdf, streamOf } from '../../support/pdf.ts'
import { runJob, testPools } from '../../support/pools.ts'
import { runProgram } from '../../support/programs.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LETTER = readFileSync('test/samples/letter.pdf')
const attach = (body: Record<string, unknown>) => runJob(pools, 'pdf.attachments', body)
const list = async (file: Uint8Array) =>
  (await attach({ file })).result.attachments as { name: string; [fact: string]: unknown }[]

/** What poppler finds attached, name and content. */
async function detached(file: Uint8Array): Promise<[string, string][]> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'in.pdf')
  await writeFile(path, file)
  execFileSync('pdfdetach', ['-saveall', '-o', folder.path, path])
  const listing = execFileSync('pdfdetach', ['-list', path]).toString().split('\n').slice(1)
  const names = listing.flatMap(line => /^\d+: (.*)$/.exec(line)?.[1] ?? [])
  return Promise.all(
    names.map(async name => [name, await readFile(join(folder.path, name), 'utf8')] as [string, string]),
  )
}

test('adds files that another reader takes out again', async () => {
  const { bytes, units, warnings } = await attach({
    file: LETTER,
    action: 'add',
    attachments: [
      {
        file: Buffer.from('oil,40\n'.repeat(50)),
        name: 'stores.csv',
        mimeType: 'text/csv',
        description: 'Stores',
        relationship: 'Data',
      },
      { file: Buffer.from('x'), name: '../../港 plan.txt' },
    ],
  })
  expect([units, warnings]).toEqual([2, []])
  expect(await detached(bytes)).toEqual([
    ['stores.csv', 'oil,40\n'.repeat(50)],
    ['港 plan.txt', 'x'],
  ])
  const [stores, plan] = await list(bytes)
  expect(stores).toMatchObject({
    name: 'stores.csv',
    sizeBytes: 350,
    mimeType: 'text/csv',
    description: 'Stores',
    relationship: 'Data',
    modified: expect.stringMatching(/^20\d\d-.*Z$/),
    checksum: createHash('md5').update('oil,40\n'.repeat(50)).digest('hex'),
  })
  expect(plan).toMatchObject({ name: '港 plan.txt', relationship: 'Unspecified', mimeType: 'text/plain' })
  expect(new PdfReader(bytes).catalog['/AF']).toHaveLength(1)
})

const named = (name: string, text = name) => ({ file: Buffer.from(text), name })
const withFiles = async (...names: string[]) =>
  (await attach({ file: LETTER, action: 'add', attachments: names.map(name => named(name)) })).bytes

test('refuses a name that is taken, and puts a file in its place where that is asked for', async () => {
  const file = await withFiles('a.txt', 'b.txt')
  const again = { file, action: 'add', attachments: [named('a.txt', 'new')] }
  await expect(attach(again)).rejects.toMatchObject({ code: 'ATTACHMENT_EXISTS', hints: { names: ['a.txt'] } })
  expect(await detached((await attach({ ...again, replace: true })).bytes)).toEqual([
    ['a.txt', 'new'],
    ['b.txt', 'b.txt'],
  ])
  const twice = { file: LETTER, action: 'add', attachments: [named('a.txt'), named('a.txt')] }
  await expect(attach(twice)).rejects.toMatchObject({ code: 'ATTACHMENT_EXISTS' })
})

test('takes files away, with their bytes', async () => {
  const file = await withFiles('keep.txt', 'secret-words-of-old.txt')
  const { bytes } = await attach({ file, action: 'remove', names: ['secret-words-of-old.txt'] })
  expect(await detached(bytes)).toEqual([['keep.txt', 'keep.txt']])
  expect(qpdf(bytes, ['--qdf', '--object-streams=disable', 'IN', 'OUT']).includes('secret-words')).toBe(false)
})

test('takes out those that are named, or all of them, or a zip', async () => {
  const file = await withFiles('a.txt', 'b.txt', 'c.txt')
  const some = await attach({ file, action: 'extract', names: ['c.txt', 'a.txt'] })
  expect(some.files.map(part => [part.name, part.attachment, part.bytes.toString()])).toEqual([
    ['a.txt', 'a.txt', 'a.txt'],
    ['c.txt', 'c.txt', 'c.txt'],
  ])
  expect((await attach({ file, action: 'extract' })).files).toHaveLength(3)
  const zipped = await attach({ file, action: 'extract', zip: true })
  expect(runProgram('python3', ['-c', LISTING], zipped.bytes).trim()).toBe('a.txt b.txt c.txt')
  await expect(attach({ file, action: 'extract', names: ['d.txt'] })).rejects.toMatchObject({
    code: 'ATTACHMENT_NOT_FOUND',
    hints: { names: ['d.txt'], available: ['a.txt', 'b.txt', 'c.txt'] },
  })
})
const LISTING =
  'import sys,io,zipfile\nz=zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\nz.testzip()\nprint(*z.namelist())'

/** Files in every place a document may have them; the last spec is cyclic. */
function strewn(
  stream = streamOf('hello', "/Type /EmbeddedFile /Params << /Size 5 /ModDate (D:20260131093000+01'00') >>"),
): Buffer {
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles 6 0 R >> /Collection << /View /T >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /FileAttachment /Rect [0 0 10 10] /FS << /Type /Filespec /F (note.txt) /EF << /F 8 0 R >> >> >>',
    stream,
    '<< /Kids [7 0 R 6 0 R] >>',
    '<< /Names [(1) 9 0 R (2) 10 0 R (3) (no file)] /Kids [6 0 R] >>',
    streamOf('noted', '/Type /EmbeddedFile'),
    '<< /Type /Filespec /UF <FEFF00E4002E007400780074> /F (a.txt) /EF << /F 5 0 R >> >>',
    '<< /Type /Filespec /F (..\\\\..\\\\etc/passwd) /EF << /F 11 0 R >> >>',
    streamOf('root', '/Type /EmbeddedFile'),
  ])
}

test('finds files in portfolios and notes, whatever they are called', async () => {
  expect(await list(strewn())).toMatchObject([
    { name: 'ä.txt', sizeBytes: 5, modified: '2026-01-31T09:30:00+01:00' },
    { name: '..\\..\\etc/passwd' },
    { name: 'note.txt', page: 1 },
  ])
  const { files } = await attach({ file: strewn(), action: 'extract' })
  expect(files.map(part => [part.name, part.bytes.toString()])).toEqual([
    ['ä.txt', 'hello'],
    ['passwd', 'root'],
    ['note.txt', 'noted'],
  ])
  const { bytes } = await attach({ file: strewn(), action: 'remove', names: ['note.txt', 'ä.txt'] })
  expect((await list(bytes)).map(({ name }) => name)).toEqual(['..\\..\\etc/passwd'])
  expect(new PdfReader(bytes).pages[0]!['/Annots']).toEqual([])
})

test('does not unpack a file without end', async () => {
  const packed = deflateSync(Buffer.alloc(60 * 2 ** 20)).toString('latin1')
  const bomb = strewn(
    `<< /Type /EmbeddedFile /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed}\nendstream`,
  )
  expect(await list(bomb)).toHaveLength(3)
  await expect(attach({ file: bomb, action: 'extract' })).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
})

test('keeps a signature that only has files added to it, and refuses to break one', async () => {
  const file = pdfOf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> /Names << /EmbeddedFiles << /Names [(a) 6 0 R] >> >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
    '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Contents <00> /ByteRange [0 1 2 3] >>',
    '<< /Type /Filespec /F (a) /EF << /F 7 0 R >> >>',
    streamOf('hello', '/Type /EmbeddedFile'),
  ])
  const added = await attach({ file, action: 'add', attachments: [named('b.txt')] })
  expect(added.bytes.subarray(0, file.length).equals(file)).toBe(true)
  expect(added.warnings).toEqual([])
  expect(await list(added.bytes)).toHaveLength(2)
  await expect(attach({ file, action: 'remove', names: ['a'] })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  const broken = await attach({ file, action: 'remove', names: ['a'], allowBreakSignatures: true })
  expect(broken.warnings).toEqual(['SIGNATURES_REMOVED'])
  expect(new PdfReader(broken.bytes).fields).toMatchObject([{ fullname: 'Sign', value: null }])
})

test('drops the claim to be PDF/A where that allows no such files', async () => {
  const claiming = (part: number) => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="${part}" pdfaid:conformance="B"/></rdf:RDF></x:xmpmeta>`
    return pdfOf([
      '<< /Type /Catalog /Pages 2 0 R /Metadata 4 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
      streamOf(xmp, '/Type /Metadata /Subtype /XML'),
    ])
  }
  const add = (part: number) => attach({ file: claiming(part), action: 'add', attachments: [named('a.xml')] })
  expect((await add(2)).warnings).toEqual(['PDFA_LOST'])
  expect((await add(3)).warnings).toEqual([])
})

test('opens an encrypted document with its password', async () => {
  const file = qpdf(await withFiles('a.txt'), ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const { files, warnings } = await attach({ file, password: 'geheim', action: 'extract' })
  expect([files[0]!.bytes.toString(), warnings]).toEqual(['a.txt', []])
  await expect(attach({ file })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test.each([
  { body: { names: ['a'] }, problem: { code: 'CONFLICTING_OPTIONS', hints: { fields: ['action', 'names'] } } },
  { body: { action: 'extract', replace: true }, problem: { code: 'CONFLICTING_OPTIONS' } },
  { body: { action: 'add' }, problem: { code: 'MISSING_FIELD', hints: { field: 'attachments' } } },
  { body: { action: 'remove' }, problem: { code: 'MISSING_FIELD', hints: { field: 'names' } } },
  { body: { file: readFileSync('test/samples/gradient.png') }, problem: { code: 'PDF_PARSE_FAILED' } },
])('refuses $body', async ({ body, problem }) => {
  await expect(attach({ file: LETTER, ...body })).rejects.toMatchObject(problem)
})
