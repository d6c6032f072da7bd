import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { buildPdf, PdfReader, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { orderForm } from '../../support/pdf/forms.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const CUT_OFF = readFileSync('tasks/samples/cut-off.pdf')
const BOOKMARKED = readFileSync('tasks/samples/bookmarked.pdf')
const repair = (body: Record<string, unknown>) => runJob(pools, 'pdf.repair', body)
const readText = (bytes: Uint8Array) => runProgram('pdftotext', ['-', '-'], bytes)
const isSound = (bytes: Uint8Array) => runQpdf(bytes, ['--check', 'IN']).includes('No syntax or stream encoding errors')

test('returns a sound document unchanged, also an encrypted and a signed one', async () => {
  const encrypted = runQpdf(plainPdf(2), ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  for (const [file, password] of [[plainPdf(2)], [encrypted, 'geheim']] as const) {
    const { result, bytes, warnings } = await repair({ file, password })
    expect(result).toMatchObject({ healthy: true, fixed: [], engine: 'none', lossy: false, pages: 2 })
    expect(bytes.equals(file)).toBe(true)
    expect(warnings).toEqual([])
  }
  await expect(repair({ file: encrypted })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
  await expect(repair({ file: encrypted, password: 'x' })).rejects.toMatchObject({ code: 'PDF_PASSWORD_INCORRECT' })
})

test('recovers the whole pages of a download that broke off', async () => {
  const { result, bytes } = await repair({ file: CUT_OFF })
  expect(result).toMatchObject({ engine: 'rebuild', lossy: true, pages: 2, pagesDeclared: 3, healthy: false })
  expect(result.fixed).toEqual(expect.arrayContaining(['CUT_OFF', 'PAGE_TREE']))
  expect(readText(bytes)).toMatch(/Page 1 of the report\s+Page 2 of the report/)
  expect(new PdfReader(bytes).pages[0]!['/MediaBox']).toEqual([0, 0, 300, 200])
  expect(isSound(bytes)).toBe(true)
})

test('recovers pages from the object streams of a modern file that broke off', async () => {
  const whole = runQpdf(BOOKMARKED, ['--object-streams=generate', 'IN', 'OUT'])
  const cut = whole.subarray(0, whole.lastIndexOf('/XRef'))
  const { result, bytes } = await repair({ file: cut })
  const reader = new PdfReader(bytes)
  expect([result.engine, result.pages]).toEqual(['rebuild', new PdfReader(BOOKMARKED).pages.length])
  expect(reader.outline.length).toBeGreaterThan(0)
})

const text = '(stream of a page) Tj'
const withContent = (content: string) =>
  buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    content,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ])
const SOUND = withContent(pdfStream(`BT /F 20 Tf 20 50 Td ${text} ET`))
const replace = (from: RegExp, to: string) => Buffer.from(SOUND.toString('latin1').replace(from, to), 'latin1')

test.each([
  { title: 'no table', file: replace(/xref[\s\S]*(?=trailer)/, ''), code: 'CROSS_REFERENCES' },
  { title: 'a wrong offset of the table', file: replace(/startxref\n\d+/, 'startxref\n7'), code: 'CROSS_REFERENCES' },
  { title: 'a wrong length', file: replace(/\/Length \d+/, '/Length 5'), code: 'STREAM_LENGTH' },
  {
    title: 'bytes before the header',
    file: Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), SOUND]),
    code: 'JUNK',
  },
  { title: 'zeros before the header', file: Buffer.concat([Buffer.alloc(4096), SOUND]), code: 'JUNK' },
  { title: 'zeros after the end', file: Buffer.concat([SOUND, Buffer.alloc(5000)]), code: 'JUNK' },
  { title: 'a wrong count of pages', file: replace(/\/Count 1/, '/Count 9'), code: 'PAGE_TREE' },
  {
    title: 'no page tree',
    file: replace(/\/Type \/Pages \/Count 1 \/Kids \[3 0 R\]/, '/Type /Lost'),
    code: 'PAGE_TREE',
  },
])('repairs a document with $title without loss', async ({ file, code }) => {
  const { result, bytes, units } = await repair({ file })
  expect(result).toMatchObject({ healthy: false, pages: 1 })
  expect(result.fixed).toContain(code)
  expect(['qpdf', 'rebuild']).toContain(result.engine)
  expect(readText(bytes)).toContain('stream of a page')
  expect(isSound(bytes)).toBe(true)
  expect(units).toBe(1)
})

test('keeps forms, and loses them only when told to write the pages anew', async () => {
  const file = Buffer.concat([Buffer.from('junk\n'), orderForm()])
  const kept = await repair({ file })
  expect(new PdfReader(kept.bytes).fields.length).toBe(new PdfReader(orderForm()).fields.length)
  const rewritten = await repair({ file, strategy: 'rewrite' })
  expect(rewritten.result).toMatchObject({
    engine: 'ghostscript',
    lossy: true,
    pages: 2,
    healthy: false,
    fixed: ['JUNK'],
  })
  expect(readText(rewritten.bytes)).toContain('Payment')
})

test('keeps letters beyond Latin of pages that are written anew', async () => {
  const html = `<p style="font-family:'DejaVu Sans'">привет Καλημέρα</p>`
  const { bytes: file } = await runJob(pools, 'pdf.from-html', { html }, { limitSeconds: 60 })
  const { bytes, result } = await repair({ file, strategy: 'rewrite' })
  expect(result).toMatchObject({ engine: 'ghostscript', healthy: true, fixed: [] })
  expect(readText(bytes).trim()).toBe('привет Καλημέρα')
})

test('refuses to rewrite a signed document unless told to', async () => {
  const signed = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
    '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Contents <00> /ByteRange [0 1 2 3] >>',
  ])
  const file = Buffer.from(signed.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1')
  await expect(repair({ file })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  const { warnings, bytes } = await repair({ file, allowBreakSignatures: true })
  expect(warnings).toEqual(['SIGNATURES_REMOVED'])
  expect(new PdfReader(bytes).fields).toMatchObject([{ fullname: 'Sign', value: null }])
})

test('says which content is beyond repair', async () => {
  const data = deflateSync(Buffer.from(`BT /F 20 Tf 20 50 Td ${text} ET `.repeat(50))).fill(7, 60)
  const { result, warnings } = await repair({
    file: withContent(pdfStream(data.toString('latin1'), '/Filter /FlateDecode')),
  })
  expect(result).toMatchObject({ healthy: false, pages: 1 })
  expect(result.fixed).toContain('STREAM_DATA')
  expect(warnings).toEqual(['STREAMS_DAMAGED'])
})

test.each([
  { title: 'an image', file: readFileSync('tasks/samples/gradient.png'), code: 'PDF_PARSE_FAILED' },
  { title: 'prose', file: Buffer.from('not a document at all'), code: 'PDF_PARSE_FAILED' },
  { title: 'PostScript', file: Buffer.from('%!PS\n(/etc/passwd) (r) file'), code: 'PDF_PARSE_FAILED' },
  { title: 'a header alone', file: Buffer.from('%PDF-1.7\n'), code: 'PDF_UNREPAIRABLE' },
  { title: 'a header before PostScript', file: Buffer.from('%PDF-1.7\n%!PS\nshowpage\n'), code: 'PDF_UNREPAIRABLE' },
  { title: 'a document without pages', file: plainPdf(0), code: 'PDF_UNREPAIRABLE' },
])('cannot repair $title', async ({ file, code }) => {
  await expect(repair({ file })).rejects.toMatchObject({ code })
})

test('does not write pages anew that may only be rebuilt', async () => {
  const file = Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n')
  await expect(repair({ file, strategy: 'structure' })).rejects.toMatchObject({ code: 'PDF_UNREPAIRABLE' })
})
