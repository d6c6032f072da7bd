import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const rotate = (body: Record<string, unknown>) => runJob(pools, 'pdf.rotate', body)
const readRotations = (bytes: Uint8Array) => new PdfReader(bytes).pages.map(page => page['/Rotate'] ?? 0)

test.each([
  { degrees: '90', pages: '1', rotated: 1, now: [90, 0, 0] },
  { degrees: '180', pages: 'all', rotated: 3, now: [180, 180, 180] },
  { degrees: 270, pages: 'last', rotated: 1, now: [0, 0, 270] },
  { degrees: '90', pages: '2,2,1-2', rotated: 2, now: [90, 90, 0] },
  { degrees: '90', pages: 'odd', rotated: 2, now: [90, 0, 90] },
])('rotates the pages $pages by $degrees', async ({ degrees, pages, rotated, now }) => {
  const answer = await rotate({ file: plainPdf(3), degrees, pages })
  expect(answer.result.rotatedPages).toBe(rotated)
  expect(answer.units).toBe(rotated)
  expect(readRotations(answer.bytes)).toEqual(now)
  expect(answer.warnings).toEqual([])
})

test('rotates relative to the current rotation, also an inherited one', async () => {
  const direct = await rotate({ file: plainPdf(1, { page: '/Rotate 270' }), degrees: '180' })
  expect(readRotations(direct.bytes)).toEqual([90])
  const inherited = await rotate({ file: plainPdf(2, { tree: '/Rotate 90' }), degrees: '90', pages: '2' })
  const { pages } = new PdfReader(inherited.bytes)
  expect(pages[1]!['/Rotate']).toBe(180)
  expect(pages[0]!['/Rotate'] ?? 90).toBe(90)
})

test.each([
  { kind: 'an xref table', args: ['--object-streams=disable'] },
  { kind: 'an xref stream', args: ['--object-streams=generate'] },
  { kind: 'linearized pages', args: ['--linearize'] },
])('appends the rotation to a document with $kind and keeps the rest byte for byte', async ({ args }) => {
  const file = runQpdf(plainPdf(3, { tree: '/Rotate -90' }), [...args, 'IN', 'OUT'])
  const { bytes } = await rotate({ file, degrees: '180' })
  expect(Buffer.from(bytes).subarray(0, file.length).equals(file)).toBe(true)
  expect(readRotations(bytes)).toEqual([90, 90, 90])
  expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
})

test('keeps the outline', async () => {
  const answer = await rotate({ file: readFileSync('tasks/samples/bookmarked.pdf'), degrees: '90' })
  expect(new PdfReader(answer.bytes).outline.length).toBeGreaterThan(0)
})

test.each([
  { pages: '3', segment: '3' },
  { pages: '0', segment: '0' },
  { pages: '2-1', segment: '2-1' },
  { pages: '', segment: '' },
])('rejects the range "$pages" of a document of two pages', async ({ pages, segment }) => {
  await expect(rotate({ file: plainPdf(2), degrees: '90', pages })).rejects.toMatchObject({
    code: 'BAD_RANGE',
    hints: { segment, pageCount: 2 },
  })
})

test('opens an encrypted document with its password and distinguishes a missing from a wrong one', async () => {
  const file = runQpdf(plainPdf(2), ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const answer = await rotate({ file, degrees: '90', password: 'geheim' })
  expect(readRotations(answer.bytes)).toEqual([90, 90])
  expect(answer.warnings).toEqual(['ENCRYPTION_REMOVED'])
  await expect(rotate({ file, degrees: '90' })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
  await expect(rotate({ file, degrees: '90', password: 'x' })).rejects.toMatchObject({ code: 'PDF_PASSWORD_INCORRECT' })
})

test('processes a document restricted by its owner with a warning', async () => {
  const file = runQpdf(plainPdf(1), ['--encrypt', '', 'owner', '256', '--', 'IN', 'OUT'])
  const answer = await rotate({ file, degrees: '90' })
  expect(answer.warnings).toEqual(['OWNER_RESTRICTED', 'ENCRYPTION_REMOVED'])
})

test('repairs a document without a valid xref table with a warning', async () => {
  const whole = plainPdf(2)
  const answer = await rotate({ file: whole.subarray(0, whole.indexOf('xref')), degrees: '90' }).catch(error => error)
  expect(answer).toMatchObject({ code: 'PDF_PARSE_FAILED' })
  const shifted = Buffer.concat([Buffer.from('junk before the header\n'), whole])
  const wrongTable = Buffer.from(whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1')
  for (const file of [shifted, wrongTable]) {
    const repaired = await rotate({ file, degrees: '90' })
    expect(readRotations(repaired.bytes)).toEqual([90, 90])
  }
  expect((await rotate({ file: wrongTable, degrees: '90' })).warnings).toEqual(['PDF_REPAIRED'])
})

const SIGNED = buildPdf([
  '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> >>',
  '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
  '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
  '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Contents <00> /ByteRange [0 1 2 3] >>',
])

test('refuses to break a signature unless told to and then removes it', async () => {
  await expect(rotate({ file: SIGNED, degrees: '90' })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  const answer = await rotate({ file: SIGNED, degrees: '90', allowBreakSignatures: true })
  expect(answer.warnings).toEqual(['SIGNATURES_REMOVED'])
  const { fields } = new PdfReader(answer.bytes)
  expect(fields).toMatchObject([{ fullname: 'Sign', value: null }])
  expect(readRotations(answer.bytes)).toEqual([90])
})

test.each([
  { title: 'an image', file: readFileSync('tasks/samples/gradient.png'), hints: { detected: 'image/png' } },
  { title: 'garbage', file: Buffer.from('not a document at all'), hints: {} },
  { title: 'PostScript', file: Buffer.from('%!PS\n(/etc/passwd) (r) file'), hints: {} },
  { title: 'a header without a body', file: Buffer.from('%PDF-1.7\n'), hints: {} },
  { title: 'a document without pages', file: plainPdf(0), hints: {} },
])('rejects $title', async ({ file, hints }) => {
  await expect(rotate({ file, degrees: '90' })).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED', hints })
})
