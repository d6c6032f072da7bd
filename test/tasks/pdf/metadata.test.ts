import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { hasProgram, runProgram } from '../../support/machine/programs.ts'
import { buildPdf, PdfReader, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LETTER = readFileSync('tasks/samples/letter.pdf')
const runMetadata = (body: Record<string, unknown>) => runJob(pools, 'pdf.metadata', body)
const readMetadata = async (file: Uint8Array, more = {}) => (await runMetadata({ file, ...more })).result

/** What ExifTool reads, separately from the information dictionary and the XMP. */
function readWithExiftool(bytes: Uint8Array): Record<string, unknown> {
  const [found] = JSON.parse(runProgram('exiftool', ['-j', '-G1', '-struct', '-'], bytes)) as Record<string, unknown>[]
  return found!
}

const buildXmpPacket = (more: string, head = '') =>
  '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  `<rdf:Description rdf:about="uuid:1" ${head}>${more}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

const PDFA = 'xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="1" pdfaid:conformance="B"'
const DC = 'xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:o="http://own.example/"'

function buildWithXmp(xmp: string, info = '/Title (old)', page = ''): Buffer {
  return buildPdf(
    [
      '<< /Type /Catalog /Pages 2 0 R /Metadata 4 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] ${page} >>`,
      pdfStream(xmp, '/Type /Metadata /Subtype /XML'),
      `<< ${info} >>`,
    ],
    '/Info 5 0 R',
  )
}

test('reads all properties of a document', async () => {
  const found = await readMetadata(LETTER)
  expect(found).toMatchObject({
    pageCount: 2,
    encrypted: false,
    tagged: false,
    hasForm: false,
    xfa: false,
    hasSignatures: false,
    hasJavaScript: false,
    attachments: 0,
    claims: {},
    hasTextLayer: true,
    pageSizes: [{ pages: '1-2', widthPt: 595, heightPt: 842, rotate: 0 }],
  })
  expect(found.fonts).not.toEqual([])
  expect(await readMetadata(runQpdf(LETTER, ['--linearize', 'IN', 'OUT']))).toMatchObject({ linearized: true })
  expect(await readMetadata(readFileSync('tasks/samples/bookmarked.pdf'))).toMatchObject({
    linearized: false,
    bookmarks: expect.any(Number),
  })
})

test('reads fonts, page sizes, scripts and forms', async () => {
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /Lang (de) /MarkInfo << /Marked true >> /OpenAction << /S /JavaScript /JS (app.beep\\(\\)) >> /AcroForm << /Fields [7 0 R] /XFA [] >> /Version /1.6 >>',
    '<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] /MediaBox [0 0 100 200] >>',
    '<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 6 0 R >> >> >>',
    '<< /Type /Page /Parent 2 0 R /Rotate -90 /CropBox [10 10 60 60] /UserUnit 2 >>',
    '<< /Type /Page /Parent 2 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>',
    '<< /FT /Tx /T (a) >>',
  ])
  expect(await readMetadata(file)).toMatchObject({
    info: { language: 'de' },
    xmp: null,
    tagged: true,
    hasJavaScript: true,
    hasForm: true,
    xfa: true,
    hasTextLayer: false,
    fonts: [{ name: 'Helvetica-Bold', type: 'Type 1', embedded: false, subset: false }],
    pageSizes: [
      { pages: '1,3', widthPt: 100, heightPt: 200, rotate: 0 },
      { pages: '2', widthPt: 100, heightPt: 100, rotate: 270 },
    ],
  })
})

test('reads the permissions of an encrypted document', async () => {
  const file = runQpdf(LETTER, ['--encrypt', '', 'owner', '256', '--print=low', '--extract=n', '--', 'IN', 'OUT'])
  const { result, warnings } = await runMetadata({ file })
  expect(result).toMatchObject({
    encrypted: true,
    permissions: { print: 'low', copy: false, modify: true, annotate: true, fillForms: true, assemble: true },
  })
  expect(warnings).toEqual(['OWNER_RESTRICTED'])
  const locked = runQpdf(LETTER, ['--encrypt', 'u', 'o', '256', '--', 'IN', 'OUT'])
  await expect(runMetadata({ file: locked })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
  expect(await readMetadata(locked, { password: 'u' })).toMatchObject({
    encrypted: true,
    permissions: { print: 'full' },
  })
})

const CHANGES = {
  title: 'Zwölf Schiffe 十二',
  author: 'R. Oduya & <Sons>',
  subject: 'Stores',
  keywords: ['oil', 'rope, thick'],
  creator: 'Pen',
  language: 'de-CH',
  creationDate: '2026-01-31T09:30:00+01:00',
  custom: { Ship: 'Ada', Sailors: 12, Lost: false },
}

test.skipIf(!hasProgram('exiftool'))('writes metadata that ExifTool finds in both places', async () => {
  const { bytes, chargedMicros } = await runMetadata({ file: LETTER, action: 'write', set: CHANGES })
  expect(chargedMicros).toBe(2_000n)
  expect(readWithExiftool(bytes)).toMatchObject({
    'PDF:Title': CHANGES.title,
    'XMP-dc:Title': CHANGES.title,
    'PDF:Author': CHANGES.author,
    'XMP-dc:Creator': [CHANGES.author],
    'PDF:Subject': 'Stores',
    'XMP-dc:Description': 'Stores',
    'XMP-dc:Subject': CHANGES.keywords,
    'XMP-pdf:Keywords': 'oil; rope, thick',
    'PDF:Language': 'de-CH',
    'XMP-dc:Language': ['de-CH'],
    'PDF:CreateDate': '2026:01:31 09:30:00+01:00',
    'XMP-xmp:CreateDate': '2026:01:31 09:30:00+01:00',
    'XMP-xmp:CreatorTool': 'Pen',
    'XMP-pdfx:Ship': 'Ada',
  })
  expect(readWithExiftool(bytes)['PDF:ModifyDate']).toBe(String(readWithExiftool(bytes)['XMP-xmp:ModifyDate']))
})

test('reads what it wrote and removes properties set to null', async () => {
  const { bytes } = await runMetadata({ file: LETTER, action: 'write', set: CHANGES })
  const { info } = (await readMetadata(bytes)) as { info: Record<string, unknown> }
  expect(info).toMatchObject({ ...CHANGES, custom: { Ship: 'Ada', Sailors: '12', Lost: 'false' } })
  const less = await runMetadata({
    file: bytes,
    action: 'write',
    set: { author: null, keywords: null, language: null, custom: { Ship: null } },
  })
  const left = (await readMetadata(less.bytes)) as { info: Record<string, unknown>; xmp: string }
  expect(left.info).toMatchObject({ title: CHANGES.title, custom: { Sailors: '12', Lost: 'false' } })
  expect(Object.keys(left.info)).not.toEqual(expect.arrayContaining(['author']))
  expect(left.info).not.toHaveProperty('language')
  expect(left.xmp).not.toMatch(/Oduya|rope|de-CH|pdfx:Ship/)
  expect(new PdfReader(less.bytes).catalog).not.toHaveProperty('/Lang')
})

test('keeps other XMP properties under any prefix', async () => {
  const xmp = buildXmpPacket(
    '<d:title><rdf:Alt><rdf:li xml:lang="x-default">of old</rdf:li></rdf:Alt></d:title><o:mine>kept &amp; well</o:mine>',
    DC,
  )
  const { bytes } = await runMetadata({ file: buildWithXmp(xmp), action: 'write', set: { title: 'new' } })
  const { xmp: after } = (await readMetadata(bytes)) as { xmp: string }
  expect(after).toContain('<o:mine>kept &amp; well</o:mine>')
  expect(after).not.toContain('of old')
  expect(after.match(/rdf:about="uuid:1"/g)).toHaveLength(2)
  if (hasProgram('exiftool'))
    expect(readWithExiftool(bytes)).toMatchObject({ 'XMP-dc:Title': 'new', 'PDF:Title': 'new' })
})

test.each([
  { title: 'that is not XML', xmp: 'rubbish' },
  { title: 'with unclosed elements', xmp: buildXmpPacket('<d:title><rdf:Alt>', DC) },
  { title: 'with two packets', xmp: `${buildXmpPacket('', DC)}${buildXmpPacket('', DC)}` },
])('replaces an XMP packet $title', async ({ xmp }) => {
  const { bytes } = await runMetadata({ file: buildWithXmp(xmp), action: 'write', set: { title: 'new' } })
  const { xmp: after } = (await readMetadata(bytes)) as { xmp: string }
  expect(after).not.toContain('rubbish')
  expect(after.match(/<rdf:RDF/g)).toHaveLength(1)
})

test('keeps the PDF/A claim when writing and warns when stripping removes it', async () => {
  const file = buildWithXmp(buildXmpPacket('', PDFA))
  const written = await runMetadata({ file, action: 'write', set: { title: 'new', custom: { Own: 'x' } } })
  expect(written.warnings).toEqual([])
  const after = (await readMetadata(written.bytes)) as { xmp: string }
  expect(after).toMatchObject({ claims: { pdfa: '1b' }, info: { custom: { Own: 'x' } } })
  expect(after.xmp).not.toContain('pdfx:Own')
  expect(written.bytes.includes('/ObjStm')).toBe(false)
  expect(written.bytes.includes('pdfaid:part="1"')).toBe(true)
  const stripped = await runMetadata({ file, action: 'strip' })
  expect(stripped.warnings).toEqual(['PDFA_LOST'])
  expect(await readMetadata(stripped.bytes)).toMatchObject({ info: {}, xmp: null, claims: {} })
})

test('strips all data that programs left behind', async () => {
  const imageObject = pdfStream(
    'x',
    '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Metadata 4 0 R',
  )
  const xmp = buildXmpPacket('<o:mine>camera of Ada</o:mine>', DC)
  const file = buildPdf(
    [
      '<< /Type /Catalog /Pages 2 0 R /Metadata 4 0 R /PieceInfo << /Own << /LastModified (D:2026) >> >> >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Thumb 6 0 R /LastModified (D:2026) /Resources << /XObject << /I 6 0 R >> >> >>',
      pdfStream(xmp, '/Type /Metadata /Subtype /XML'),
      '<< /Title (secret) /Own (mine) >>',
      imageObject,
    ],
    '/Info 5 0 R',
  )
  const { bytes } = await runMetadata({ file, action: 'strip' })
  const plain = runQpdf(bytes, ['--qdf', '--object-streams=disable', 'IN', 'OUT']).toString('latin1')
  expect(plain).not.toMatch(/camera|secret|mine|PieceInfo|LastModified|Thumb|Metadata|\/Info/)
  expect(plain).toContain('/Image')
  if (hasProgram('exiftool'))
    expect(Object.keys(readWithExiftool(bytes)).join(' ')).not.toMatch(/Title|Author|Producer|Creator/)
})

test('keeps a signature when writing and refuses to strip it', async () => {
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
    '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Contents <00> /ByteRange [0 1 2 3] >>',
  ])
  const { bytes, warnings } = await runMetadata({ file, action: 'write', set: { title: 'new' } })
  expect(bytes.subarray(0, file.length).equals(file)).toBe(true)
  expect(warnings).toEqual([])
  expect(await readMetadata(bytes)).toMatchObject({ info: { title: 'new' }, hasSignatures: true })
  await expect(runMetadata({ file, action: 'strip' })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  expect((await runMetadata({ file, action: 'strip', allowBreakSignatures: true })).warnings).toEqual([
    'SIGNATURES_REMOVED',
  ])
})

test.each([
  { set: { creationDate: '2026-02-30' }, field: 'set.creationDate' },
  { set: { modDate: 'yesterday' }, field: 'set.modDate' },
  { set: { language: 'not a language' }, field: 'set.language' },
  { set: { custom: { Title: 'x' } }, field: 'set.custom' },
  { set: { custom: { 'a b': 'x' } }, field: 'set.custom' },
])('rejects $set', async ({ set, field }) => {
  await expect(runMetadata({ file: plainPdf(1), action: 'write', set })).rejects.toMatchObject({
    code: 'METADATA_INVALID',
    hints: { field },
  })
})

test.each([
  { body: { action: 'write' }, problem: { code: 'MISSING_FIELD', hints: { field: 'set' } } },
  { body: { set: {} }, problem: { code: 'CONFLICTING_OPTIONS', hints: { fields: ['action', 'set'] } } },
  { body: { file: readFileSync('tasks/samples/gradient.png') }, problem: { code: 'PDF_PARSE_FAILED' } },
])('rejects $body', async ({ body, problem }) => {
  await expect(runMetadata({ file: LETTER, ...body })).rejects.toMatchObject(problem)
})

test('leaves the page tree alone where the trailer names it as the properties', async () => {
  const pages = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>'
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>'
  const file = buildPdf(['<< /Type /Catalog /Pages 2 0 R >>', pages, page], '/Info 2 0 R')
  const { bytes } = await runMetadata({ file, action: 'write', set: { title: 'New', author: 'Ada' } })
  expect(runProgram('pdfinfo', ['-'], bytes)).toMatch(/Title: +New\n.*Pages: +1\n/s)
})
