import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkPdfa } from '../../../pools/tools/libpdf/structure/pdfa-check.ts'
import { expandUnicodeRanges } from '../../../pools/tools/libpdf/structure/unicode-ranges.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { buildPdf, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { extractText, listFonts, renderPage, withPdfFile } from '../../support/pdf/inspect.ts'
import { typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
afterAll(() => pools[Symbol.asyncDispose]())

const toPdfa = (body: Record<string, unknown>) => runJob(pools, 'pdf.to-pdfa', body)

async function withFile<Value>(bytes: Uint8Array, read: (path: string) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-pdfa-'))
  const path = join(folder, 'in.pdf')
  writeFileSync(path, bytes)
  return read(path).finally(() => rmSync(folder, { recursive: true }))
}

function listFaults(bytes: Uint8Array, level: string): Promise<string[]> {
  return withFile(bytes, path => checkPdfa([path], { level }))
}

const readTags = (bytes: Uint8Array) =>
  withPdfFile(bytes, file => (JSON.parse(runProgram('exiftool', ['-j', '-G1', file])) as Record<string, unknown>[])[0]!)

test.each(['1b', '2b', '3b'])('makes PDF/A-%s of a document whose fonts are not embedded', async level => {
  const file = typesetPages([[[40, 60, 'Harbour report']], [[40, 60, 'Second page', { font: 'B' }]]])
  expect(listFonts(file)).toMatch(/Helvetica +Type 1 +\S+ +no /)
  const { bytes, result, units, warnings } = await toPdfa({ file, level })
  expect([result.pages, result.conformance, units, warnings]).toEqual([2, 'claimed', 2, []])
  expect(await listFaults(bytes, level)).toEqual([])
  expect(readTags(bytes)).toMatchObject({ 'XMP-pdfaid:Part': Number(level[0]), 'XMP-pdfaid:Conformance': 'B' })
  const fonts = listFonts(bytes).trim().split('\n').slice(2)
  expect(fonts.every(line => / yes +yes +(?:yes|no) +\d+ +0$/.test(line))).toBe(true)
  expect(
    extractText(bytes)
      .split('\f')
      .map(text => text.trim()),
  ).toEqual(['Harbour report', 'Second page', ''])
  expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
  expect(bytes.toString('latin1').slice(0, 8)).toBe(level === '1b' ? '%PDF-1.4' : '%PDF-1.7')
})

test.each(['1b', '2b', '3b'])('removes attached files that ghostscript would copy for PDF/A-%s', async level => {
  const args = ['--add-attachment', 'tasks/samples/invoice.xml', '--', 'IN', 'OUT']
  const { bytes, warnings } = await toPdfa({ file: runQpdf(readFileSync('tasks/samples/letter.pdf'), args), level })
  expect(warnings).toEqual(['ATTACHMENTS_REMOVED'])
  expect(new PdfReader(bytes).json.attachments).toEqual({})
})

test('keeps title, bookmarks and links, and drops what the archive may not hold', async () => {
  const file = runQpdf(readFileSync('tasks/samples/bookmarked.pdf'), [
    ...['--add-attachment', 'tasks/samples/invoice.xml', '--', 'IN', 'OUT'],
  ])
  const { bytes, warnings } = await toPdfa({ file })
  const [before, after] = [new PdfReader(file), new PdfReader(bytes)]
  const titles = (reader: PdfReader) => reader.outline.map(({ title, destpageposfrom1 }) => [title, destpageposfrom1])
  expect(titles(before).length).toBeGreaterThan(0)
  expect(titles(after)).toEqual(titles(before))
  expect(warnings).toEqual(['ATTACHMENTS_REMOVED'])
  expect(after.json.attachments).toEqual({})
  const scripted = plainPdf(1, { catalog: '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>' })
  const clean = await toPdfa({ file: scripted })
  expect(await listFaults(clean.bytes, '2b')).toEqual([])
})

test('draws form values into the pages', async () => {
  const file = readFileSync('tasks/samples/order-form.pdf')
  const filled = await runJob(pools, 'pdf.form', { action: 'fill', file, values: { name: 'Ada Lovelace' } })
  const { bytes } = await toPdfa({ file: filled.bytes, level: '1b' })
  expect(new PdfReader(bytes).fields).toEqual([])
  expect(extractText(bytes)).toContain('Ada Lovelace')
  expect(await listFaults(bytes, '1b')).toEqual([])
})

/** A page in CMYK, half of it transparent. */
const COLORED = (() => {
  const content = '0 1 1 0 k 0 0 100 200 re f /Half gs 1 0 0 0 k 100 0 100 200 re f'
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 200 200] >>',
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /ExtGState << /Half << /ca .5 >> >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ])
})()

test.each(['1b', '2b'])(
  'brings CMYK to the colours of a screen, and transparency to what PDF/A-%s allows',
  async level => {
    const { bytes } = await toPdfa({ file: COLORED, level })
    const plain = runQpdf(bytes, ['--qdf', '--object-streams=disable', 'IN', 'OUT']).toString('latin1')
    expect(plain).not.toMatch(/DeviceCMYK|^[\d. ]+ k$/m)
    if (level === '1b') expect(plain).not.toMatch(/\/ca |\/CA |\/SMask \d/)
    const [before, after] = [renderPage(COLORED), renderPage(bytes)]
    for (const x of [50, 150]) expect(Math.abs(before.grayAt(x, 100) - after.grayAt(x, 100))).toBeLessThan(40)
  },
)

test('says which pages with text became images', async () => {
  const content = (text: string, state: string) => `BT /F 12 Tf 20 20 Td (${text}) Tj ET ${state} 0 0 50 50 re f`
  const stream = (text: string) => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`
  const page = (contents: string, states = '') =>
    `<< /Type /Page /Parent 2 0 R /Contents ${contents} /Resources << /Font << /F 7 0 R >> ${states} >> >>`
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] /MediaBox [0 0 200 200] >>',
    page('5 0 R'),
    page('6 0 R', '/ExtGState << /Half << /ca .5 >> >>'),
    stream(content('opaque', '')),
    stream(content('shaded', '/Half gs')),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ])
  const { bytes, warnings } = await toPdfa({ file, level: '1b' })
  expect(extractText(bytes).trim()).toBe('opaque')
  expect(warnings).toEqual(['TEXT_BECAME_IMAGE'])
  expect((await toPdfa({ file, level: '2b' })).warnings).toEqual([])
})

test('opens what is encrypted, and breaks a signature only if it may', async () => {
  const file = runQpdf(plainPdf(1), ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const answer = await toPdfa({ file, password: 'geheim' })
  expect(answer.warnings).toEqual(['ENCRYPTION_REMOVED'])
  const signed = readFileSync('tasks/samples/signed.pdf')
  await expect(toPdfa({ file: signed })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  expect((await toPdfa({ file: signed, allowBreakSignatures: true })).warnings).toEqual(['SIGNATURES_REMOVED'])
})

test('keeps the letters of fonts with many characters', async () => {
  const html = '<p style="font-family:\'Liberation Serif\'">Grüße für 5 € aus Łódź</p>'
  const { bytes: file } = await runJob(pools, 'pdf.from-html', { html }, { limitSeconds: 60 })
  const { bytes } = await toPdfa({ file })
  expect(extractText(bytes).trim()).toBe('Grüße für 5 € aus Łódź')
  const { bytes: rewritten } = await runJob(pools, 'pdf.compress', { file, grayscale: true })
  expect(extractText(rewritten).trim()).toBe('Grüße für 5 € aus Łódź')
})

test('keeps letters beyond Latin, of which neighbours are listed as a range', async () => {
  const text = 'привет Καλημέρα'
  const html = `<p style="font-family:'DejaVu Sans'">${text}</p>`
  const { bytes: file } = await runJob(pools, 'pdf.from-html', { html }, { limitSeconds: 60 })
  expect(runQpdf(file, ['--qdf', 'IN', 'OUT']).toString('latin1')).toContain('beginbfrange')
  const { bytes } = await toPdfa({ file })
  expect(extractText(bytes).trim()).toBe(text)
  const { bytes: rewritten } = await runJob(pools, 'pdf.compress', { file, grayscale: true })
  expect(extractText(rewritten).trim()).toBe(text)
})

test('every code of a range is read as before', async () => {
  const map =
    '2 beginbfrange\n<01> <03> <042F>\n<04> <06> [<0041> <00420043> <D83DDE00>]\nendbfrange\n1 beginbfchar\n<07> <20AC>\nendbfchar'
  const content = 'BT /F 12 Tf 20 20 Td <01020304050607> Tj ET'
  const stream = (text: string) => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 200 200] >>',
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    stream(content),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
    stream(
      `/CIDInit /ProcSet findresource begin begincmap\n1 begincodespacerange <00> <FF> endcodespacerange\n${map}\nendcmap end`,
    ),
  ])
  const { bytes } = await withFile(file, path => expandUnicodeRanges([path]))
  expect(Buffer.from(bytes!).toString('latin1')).not.toMatch(/beginbfrange\b/)
  expect(extractText(Buffer.from(bytes!)).trim()).toBe(extractText(file).trim())
  expect(extractText(file).trim()).toBe('ЯабABC😀€')
  const without = await withFile(plainPdf(1), path => expandUnicodeRanges([path]))
  expect(without).toEqual({})
})
