import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { PYTHON, runProgram } from '../../support/machine/programs.ts'
import { buildPdf, PdfReader, pdfStream, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LETTER = readFileSync('tasks/samples/letter.pdf')
const runAttachments = (body: Record<string, unknown>) => runJob(pools, 'pdf.attachments', body)
const listAttachments = async (file: Uint8Array) =>
  (await runAttachments({ file })).result.attachments as { name: string; [fact: string]: unknown }[]

/** Names and contents of the attachments that Poppler finds. */
async function extractWithPoppler(file: Uint8Array): Promise<[string, string][]> {
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

test('adds files that Poppler can extract', async () => {
  const { bytes, chargedMicros, warnings } = await runAttachments({
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
  expect([chargedMicros, warnings]).toEqual([2_000n, []])
  expect(await extractWithPoppler(bytes)).toEqual([
    ['stores.csv', 'oil,40\n'.repeat(50)],
    ['港 plan.txt', 'x'],
  ])
  const [stores, plan] = await listAttachments(bytes)
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

const attachmentOf = (name: string, text = name) => ({ file: Buffer.from(text), name })
const attachFiles = async (...names: string[]) =>
  (await runAttachments({ file: LETTER, action: 'add', attachments: names.map(name => attachmentOf(name)) })).bytes

test('rejects an existing name, or replaces the file on request', async () => {
  const file = await attachFiles('a.txt', 'b.txt')
  const again = { file, action: 'add', attachments: [attachmentOf('a.txt', 'new')] }
  await expect(runAttachments(again)).rejects.toMatchObject({ code: 'ATTACHMENT_EXISTS', hints: { names: ['a.txt'] } })
  expect(await extractWithPoppler((await runAttachments({ ...again, replace: true })).bytes)).toEqual([
    ['a.txt', 'new'],
    ['b.txt', 'b.txt'],
  ])
  const twice = { file: LETTER, action: 'add', attachments: [attachmentOf('a.txt'), attachmentOf('a.txt')] }
  await expect(runAttachments(twice)).rejects.toMatchObject({ code: 'ATTACHMENT_EXISTS' })
})

test('removes files with their bytes', async () => {
  const file = await attachFiles('keep.txt', 'secret-words-of-old.txt')
  const { bytes } = await runAttachments({ file, action: 'remove', names: ['secret-words-of-old.txt'] })
  expect(await extractWithPoppler(bytes)).toEqual([['keep.txt', 'keep.txt']])
  expect(runQpdf(bytes, ['--qdf', '--object-streams=disable', 'IN', 'OUT']).includes('secret-words')).toBe(false)
})

test('extracts named files, all files, or a zip', async () => {
  const file = await attachFiles('a.txt', 'b.txt', 'c.txt')
  const some = await runAttachments({ file, action: 'extract', names: ['c.txt', 'a.txt'] })
  expect(some.files.map(part => [part.name, part.attachment, part.bytes.toString()])).toEqual([
    ['a.txt', 'a.txt', 'a.txt'],
    ['c.txt', 'c.txt', 'c.txt'],
  ])
  expect((await runAttachments({ file, action: 'extract' })).files).toHaveLength(3)
  const zipped = await runAttachments({ file, action: 'extract', zip: true })
  expect(runProgram(PYTHON, ['-c', LIST_ZIP_SCRIPT], zipped.bytes).trim()).toBe('a.txt b.txt c.txt')
  await expect(runAttachments({ file, action: 'extract', names: ['d.txt'] })).rejects.toMatchObject({
    code: 'ATTACHMENT_NOT_FOUND',
    hints: { names: ['d.txt'], available: ['a.txt', 'b.txt', 'c.txt'] },
  })
})
const LIST_ZIP_SCRIPT =
  'import sys,io,zipfile\nz=zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\nz.testzip()\nprint(*z.namelist())'

/** Attachments in every place where a document may hold them; the name tree is cyclic. */
function buildAllPlaces(
  stream = pdfStream('hello', "/Type /EmbeddedFile /Params << /Size 5 /ModDate (D:20260131093000+01'00') >>"),
): Buffer {
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles 6 0 R >> /Collection << /View /T >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /FileAttachment /Rect [0 0 10 10] /FS << /Type /Filespec /F (note.txt) /EF << /F 8 0 R >> >> >>',
    stream,
    '<< /Kids [7 0 R 6 0 R] >>',
    '<< /Names [(1) 9 0 R (2) 10 0 R (3) (no file)] /Kids [6 0 R] >>',
    pdfStream('noted', '/Type /EmbeddedFile'),
    '<< /Type /Filespec /UF <FEFF00E4002E007400780074> /F (a.txt) /EF << /F 5 0 R >> >>',
    '<< /Type /Filespec /F (..\\\\..\\\\etc/passwd) /EF << /F 11 0 R >> >>',
    pdfStream('root', '/Type /EmbeddedFile'),
  ])
}

test('finds files in portfolios and annotations under unsafe names', async () => {
  expect(await listAttachments(buildAllPlaces())).toMatchObject([
    { name: 'ä.txt', sizeBytes: 5, modified: '2026-01-31T09:30:00+01:00' },
    { name: '..\\..\\etc/passwd' },
    { name: 'note.txt', page: 1 },
  ])
  const { files } = await runAttachments({ file: buildAllPlaces(), action: 'extract' })
  expect(files.map(part => [part.name, part.bytes.toString()])).toEqual([
    ['ä.txt', 'hello'],
    ['passwd', 'root'],
    ['note.txt', 'noted'],
  ])
  const { bytes } = await runAttachments({ file: buildAllPlaces(), action: 'remove', names: ['note.txt', 'ä.txt'] })
  expect((await listAttachments(bytes)).map(({ name }) => name)).toEqual(['..\\..\\etc/passwd'])
  expect(new PdfReader(bytes).pages[0]!['/Annots']).toEqual([])
})

test('does not unpack a decompression bomb', async () => {
  const deflated = deflateSync(Buffer.alloc(60 * 2 ** 20)).toString('latin1')
  const bomb = buildAllPlaces(
    `<< /Type /EmbeddedFile /Filter /FlateDecode /Length ${deflated.length} >>\nstream\n${deflated}\nendstream`,
  )
  expect(await listAttachments(bomb)).toHaveLength(3)
  await expect(runAttachments({ file: bomb, action: 'extract' })).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
})

test('keeps a signature when files are added and refuses to break one', async () => {
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> /Names << /EmbeddedFiles << /Names [(a) 6 0 R] >> >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
    '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Contents <00> /ByteRange [0 1 2 3] >>',
    '<< /Type /Filespec /F (a) /EF << /F 7 0 R >> >>',
    pdfStream('hello', '/Type /EmbeddedFile'),
  ])
  const added = await runAttachments({ file, action: 'add', attachments: [attachmentOf('b.txt')] })
  expect(added.bytes.subarray(0, file.length).equals(file)).toBe(true)
  expect(added.warnings).toEqual([])
  expect(await listAttachments(added.bytes)).toHaveLength(2)
  await expect(runAttachments({ file, action: 'remove', names: ['a'] })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  const broken = await runAttachments({ file, action: 'remove', names: ['a'], allowBreakSignatures: true })
  expect(broken.warnings).toEqual(['SIGNATURES_REMOVED'])
  expect(new PdfReader(broken.bytes).fields).toMatchObject([{ fullname: 'Sign', value: null }])
})

test('removes the PDF/A claim where that level forbids the attachment', async () => {
  const buildPdfa = (part: number) => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="${part}" pdfaid:conformance="B"/></rdf:RDF></x:xmpmeta>`
    return buildPdf([
      '<< /Type /Catalog /Pages 2 0 R /Metadata 4 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
      pdfStream(xmp, '/Type /Metadata /Subtype /XML'),
    ])
  }
  const add = (part: number) =>
    runAttachments({ file: buildPdfa(part), action: 'add', attachments: [attachmentOf('a.xml')] })
  expect((await add(2)).warnings).toEqual(['PDFA_LOST'])
  expect((await add(3)).warnings).toEqual([])
})

test('opens an encrypted document with its password', async () => {
  const file = runQpdf(await attachFiles('a.txt'), ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const { files, warnings } = await runAttachments({ file, password: 'geheim', action: 'extract' })
  expect([files[0]!.bytes.toString(), warnings]).toEqual(['a.txt', []])
  await expect(runAttachments({ file })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test.each([
  { body: { names: ['a'] }, problem: { code: 'CONFLICTING_OPTIONS', hints: { fields: ['action', 'names'] } } },
  { body: { action: 'extract', replace: true }, problem: { code: 'CONFLICTING_OPTIONS' } },
  { body: { action: 'add' }, problem: { code: 'MISSING_FIELD', hints: { field: 'attachments' } } },
  { body: { action: 'remove' }, problem: { code: 'MISSING_FIELD', hints: { field: 'names' } } },
  { body: { file: readFileSync('tasks/samples/gradient.png') }, problem: { code: 'PDF_PARSE_FAILED' } },
])('rejects $body', async ({ body, problem }) => {
  await expect(runAttachments({ file: LETTER, ...body })).rejects.toMatchObject(problem)
})
