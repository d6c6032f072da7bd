import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { orderForm } from '../../support/forms.ts'
import { PdfReader, pdfOf, plainPdf, qpdf } from '../../support/pdf.ts'
import { looksOf, textIn, withPdf } from '../../support/pdf-looks.ts'
import { runJob, testPools } from '../../support/pools.ts'
import { runProgram } from '../../support/programs.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const redact = (body: Record<string, unknown>) => runJob(pools, 'pdf.redact', body)
/** Everything a file holds, unpacked: what is not here is not in the file. */
const allOf = (bytes: Uint8Array) =>
  qpdf(bytes, ['--qdf', '--object-streams=disable', '--stream-data=uncompress', 'IN', 'OUT']).toString('latin1')

const stream = (content: string, entries = '') =>
  `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`
const page = (content: string, { entries = '', resources = '', catalog = '', more = [] as string[] } = {}) =>
  pdfOf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R ${entries} ` +
      `/Resources << /Font << /F 5 0 R >> ${resources} >> >>`,
    stream(content),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...more,
  ])
const LINE = 'BT /F 12 Tf 20 150 Td (Dear John Smith, pay 4711) Tj 0 -20 Td (to nobody else) Tj ET'

test('takes words out of the content and leaves the rest where it was', async () => {
  const file = page(LINE)
  const { bytes, result, warnings, units } = await redact({ file, texts: ['john  smith'], patterns: ['\\d{4}'] })
  expect(result).toMatchObject({ redactions: 3, pages: [1], pictures: [], verified: true })
  expect([units, warnings]).toEqual([1, []])
  expect(textIn(bytes).split(/\s+/).filter(Boolean).sort()).toEqual([',', 'Dear', 'else', 'nobody', 'pay', 'to'])
  expect(allOf(bytes)).not.toMatch(/John|Smith|4711|4a6f686e/i)
  const places = (pdf: Uint8Array) =>
    textIn(pdf, ['-bbox'])
      .match(/<word.*(pay|nobody)</g)!
      .sort()
  expect(places(bytes)).toEqual(places(file))
  expect(looksOf(bytes).at(70, 46)).toBe(0)
  expect(looksOf(bytes).at(30, 66)).not.toBe(0)
})

test.each([0, 90, 180, 270])('finds regions on a page turned by %s as it is seen', async rotate => {
  const file = page(LINE, { entries: `/Rotate ${rotate} /CropBox [10 20 290 190]` })
  const [, left, top, right, bottom] = /xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">nobody/
    .exec(textIn(file, ['-bbox', '-cropbox']))!
    .map(Number) as [number, number, number, number, number]
  const { bytes, result } = await redact({ file, regions: [{ page: 1, left, top, right, bottom }] })
  expect(result).toMatchObject({ redactions: 1, pictures: [] })
  expect(textIn(bytes)).not.toContain('nobody')
  expect(textIn(bytes)).toMatch(/else/)
  expect(looksOf(bytes).at((left + right) / 2, (top + bottom) / 2)).toBe(0)
})

test('reads every way of showing text, in forms too', async () => {
  const inner = stream(
    'BT /F 10 Tf 20 40 Td (inner secret) Tj ET',
    '/Type /XObject /Subtype /Form /BBox [0 0 300 100] /Resources << /Font << /F 5 0 R >> >>',
  )
  const content =
    'BT /F 12 Tf 14 TL 1 0 0 1 20 180 Tm [(sec) -20 (ret) 30 ( kept1)] TJ (secret kept2) \' 2 1 (secret kept3) " ' +
    '0 Tw 0 Tc 80 Tz T* <736563726574206b65707434> Tj ET q 1 0 0 1 0 20 cm /X Do Q'
  const { bytes, result } = await redact({
    file: page(content, { resources: '/XObject << /X 6 0 R >>', more: [inner] }),
    texts: ['secret'],
  })
  expect(result).toMatchObject({ redactions: 5, pictures: [] })
  for (const word of ['kept1', 'kept2', 'kept3', 'kept4', 'inner']) expect(textIn(bytes)).toContain(word)
  expect(allOf(bytes)).not.toMatch(/secret/)
})

test('takes composite fonts apart too', async () => {
  const { bytes: file } = await runJob(pools, 'pdf.watermark', {
    file: plainPdf(1, { width: 400 }),
    ...{ text: '東京 秘密 大阪', rotation: 0, fontSize: 30, opacity: 1 },
  })
  const { bytes, result } = await redact({ file, texts: ['秘密'] })
  expect(result).toMatchObject({ redactions: 1, pictures: [] })
  expect(textIn(bytes).replaceAll(/\s/g, '')).toBe('東京大阪')
})

test('a page with a picture below the text becomes a picture, and the rest can still be found', async () => {
  const pixels = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#ddeeff' } })
    .jpeg()
    .toBuffer()
  const image = `<< /Type /XObject /Subtype /Image /Width 30 /Height 20 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${pixels.length} >>\nstream\n${pixels.toString('latin1')}\nendstream`
  const file = page(`q 300 0 0 200 0 0 cm /Im Do Q 3 Tr ${LINE}`, {
    resources: '/XObject << /Im 6 0 R >>',
    more: [image],
  })
  const { bytes, result, warnings } = await redact({ file, texts: ['John Smith'] })
  expect(result).toMatchObject({ pictures: [1], verified: true })
  expect(warnings).toEqual(['PAGE_BECAME_PICTURE'])
  expect(textIn(bytes)).toMatch(/Dear[\s\S]*nobody/)
  expect(textIn(bytes)).not.toContain('John')
  const images = withPdf(bytes, path => runProgram('pdfimages', ['-list', path]))
  expect(images).not.toMatch(/jpeg/)
  expect(looksOf(bytes).at(70, 46)).toBe(0)
  expect(looksOf(bytes).at(200, 150)).toBeGreaterThan(200)
})

test('drawings inside go, letters drawn as curves make a picture, plain lines stay', async () => {
  const region = { page: 1, left: 20, top: 20, right: 120, bottom: 80 }
  const inside = await redact({ file: page('50 150 m 60 160 70 150 80 140 c S 0 0 10 10 re f'), regions: [region] })
  expect(inside.result.pictures).toEqual([])
  expect(allOf(inside.bytes)).not.toContain('60 160 70 150')
  const across = await redact({ file: page('50 150 m 60 160 170 150 180 140 c S'), regions: [region] })
  expect(across.result.pictures).toEqual([1])
  expect(allOf(across.bytes)).not.toContain('60 160 170 150')
  const line = await redact({ file: page('0 140 m 300 140 l S'), regions: [region] })
  expect(line.result.pictures).toEqual([])
  expect(looksOf(line.bytes).inked![2]).toBeGreaterThan(290)
})

test('empties notes, links, bookmarks, properties and what readers for the blind say', async () => {
  const catalog = '/Outlines 6 0 R /StructTreeRoot << /K << /S /P /ActualText (About John Smith) >> >> /Metadata 8 0 R'
  const more = [
    '<< /First 7 0 R /Last 7 0 R >>',
    '<< /Title (John Smith) /Parent 6 0 R /Dest [3 0 R /Fit] >>',
    stream('<x>John Smith</x>', '/Type /Metadata /Subtype /XML'),
    '<< /Type /Annot /Subtype /Text /Rect [250 10 270 30] /Contents (a note on John Smith) >>',
    '<< /Type /Annot /Subtype /Link /Rect [40 145 90 165] /A << /S /URI /URI (https://example.com/js) >> >>',
    '<< /Title (Letter to John Smith) /Author (Eve) >>',
  ]
  const content = `/Span << /ActualText (John Smith) >> BDC ${LINE} EMC`
  const built = page(content, { entries: '/Annots [9 0 R 10 0 R]', catalog, more }).toString('latin1')
  const file = Buffer.from(built.replace('/Root 1 0 R', '/Root 1 0 R /Info 11 0 R'), 'latin1')
  const { bytes, result } = await redact({ file, texts: ['John Smith'] })
  expect(result.wiped).toBe(5)
  expect(allOf(bytes)).not.toMatch(/John|Smith|example\.com/)
  expect(new PdfReader(bytes).info).toMatchObject({ '/Title': 'u:', '/Author': 'u:Eve' })
  const stripped = await redact({ file, texts: ['John Smith'], removeMetadata: true })
  expect(allOf(stripped.bytes)).not.toContain('Eve')
})

test('leaves no hidden note that still shows what is to go', async () => {
  const more = [
    '<< /Type /Annot /Subtype /FreeText /F 2 /Rect [200 10 270 30] /Contents (quiet) /AP << /N 7 0 R >> >>',
    stream('BT /F 9 Tf (John Smith) Tj ET', '/Type /XObject /Subtype /Form /BBox [0 0 70 20]'),
  ]
  const { bytes } = await redact({ file: page(LINE, { entries: '/Annots [6 0 R]', more }), texts: ['John Smith'] })
  expect(allOf(bytes)).not.toMatch(/John|Smith/)
  expect(allOf(bytes)).toContain('quiet')
})

test('empties fields that show or hold what is to go', async () => {
  const { bytes: file } = await runJob(pools, 'pdf.form', {
    file: orderForm(),
    action: 'fill',
    values: { name: 'Ada Lovelace', notes: 'call back', zip: '12345' },
  })
  const { bytes } = await redact({ file, texts: ['lovelace'] })
  expect(textIn(bytes)).not.toContain('Ada')
  expect(textIn(bytes)).toContain('call back')
  expect(allOf(bytes)).not.toMatch(/lovelace/i)
  expect(new PdfReader(bytes).fields.map(({ fullname }) => fullname)).toContain('name')
})

test('keeps bookmarks, links and the form of the document', async () => {
  const file = readFileSync('test/samples/bookmarked.pdf')
  const { bytes } = await redact({ file, regions: [{ page: 1, left: 0, top: 0, right: 50, bottom: 50 }] })
  const pagesOf = (pdf: Uint8Array) =>
    new PdfReader(pdf).outline.map(({ title, destpageposfrom1 }) => [title, destpageposfrom1])
  expect(pagesOf(bytes)).toEqual(pagesOf(file))
})

test('finds words in hidden layers, and takes letters beside the page along', async () => {
  const content = `/OC /L BDC ${LINE} EMC BT /F 12 Tf 400 150 Td (John Smith) Tj ET`
  const catalog = '/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>'
  const file = page(content, { resources: '/Properties << /L 6 0 R >>', catalog, more: ['<< /Type /OCG /Name (L) >>'] })
  expect(textIn(file).trim()).toBe('')
  const { bytes, result } = await redact({ file, texts: ['John Smith'] })
  expect(result).toMatchObject({ redactions: 2, pictures: [] })
  expect(allOf(bytes)).not.toMatch(/John|Smith/)
  expect(allOf(bytes)).toMatch(/OFF/)
})

test('comes to an end where forms hold themselves', async () => {
  const self = stream(
    '/X Do '.repeat(50),
    '/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /XObject << /X 6 0 R >> >>',
  )
  const file = page(`${LINE} /X Do`, { resources: '/XObject << /X 6 0 R >>', more: [self] })
  const { bytes, result } = await redact({ file, texts: ['John'] })
  expect(result).toMatchObject({ pictures: [1], verified: true })
  expect(textIn(bytes)).not.toContain('John')
})

test('reads what one reader gives up on as the others do', async () => {
  const broken = page(LINE).toString('latin1').replace('/Contents 4 0 R', '/Contents x 0 R')
  const ran = await redact({ file: Buffer.from(broken, 'latin1'), texts: ['John'] })
  expect(textIn(ran.bytes)).not.toContain('John')
})

test('says where it could not look, and what it left', async () => {
  const none = await redact({ file: readFileSync('test/samples/letter.pdf'), texts: ['no such word'] })
  expect(none.warnings).toEqual(['NOTHING_FOUND'])
  expect(none.result).toMatchObject({ redactions: 0, pages: [] })
  const blank = await redact({ file: plainPdf(2), texts: ['x'] })
  expect(blank.warnings).toEqual(['NOTHING_FOUND', 'PAGE_WITHOUT_TEXT', 'PAGE_WITHOUT_TEXT'])
})

test('takes attachments out when asked, and says so when not', async () => {
  const catalog = '/Names << /EmbeddedFiles << /Names [(a.txt) 6 0 R] >> >>'
  const more = ['<< /Type /Filespec /F (a.txt) /EF << /F 7 0 R >> >>', stream('hidden inside', '/Type /EmbeddedFile')]
  const file = page(LINE, { catalog, more })
  expect((await redact({ file, texts: ['4711'] })).warnings).toEqual(['ATTACHMENTS_KEPT'])
  const { bytes, warnings } = await redact({ file, texts: ['4711'], removeAttachments: true })
  expect(warnings).toEqual([])
  expect(allOf(bytes)).not.toContain('hidden inside')
})

test('looks only on the pages named, and only for whole words when asked', async () => {
  const file = readFileSync('test/samples/letter.pdf')
  const word = textIn(file, ['-f', '2', '-l', '2'])
    .split(/\s+/)
    .find(text => /^[a-z]{5,}$/.test(text))!
  const { bytes, result } = await redact({ file, texts: [word], pages: '2', wholeWords: true, caseSensitive: true })
  expect(result.pages).toEqual([2])
  expect(textIn(bytes, ['-f', '1', '-l', '1'])).toBe(textIn(file, ['-f', '1', '-l', '1']))
  expect((await redact({ file: page(LINE), texts: ['mith'], wholeWords: true })).result.redactions).toBe(0)
})

test.each([
  { title: 'to look for nothing', body: {}, code: 'MISSING_FIELD' },
  {
    title: 'a page that is not there',
    body: { regions: [{ page: 2, left: 0, top: 0, right: 9, bottom: 9 }] },
    code: 'BAD_RANGE',
  },
  {
    title: 'a region inside out',
    body: { regions: [{ page: 1, left: 9, top: 0, right: 0, bottom: 9 }] },
    code: 'INVALID_PARAM',
  },
  { title: 'a broken pattern', body: { patterns: ['('] }, code: 'REGEX_INVALID' },
  { title: 'a pattern that looks back', body: { patterns: ['(?<=a)b'] }, code: 'REGEX_UNSUPPORTED' },
])('refuses $title', async ({ body, code }) => {
  await expect(redact({ file: page(LINE), ...body })).rejects.toMatchObject({ code })
})
