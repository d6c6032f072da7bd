import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import type { Rect } from '../../../tasks/formats/geometry/rect.ts'
import { findFailedPages } from '../../../tasks/pdf/redact/regions.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { buildPdf, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { orderForm } from '../../support/pdf/forms.ts'
import { extractText, renderPage, withPdfFile } from '../../support/pdf/inspect.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const redact = (body: Record<string, unknown>) => runJob(pools, 'pdf.redact', body)
/** The uncompressed content of the whole file: text that is missing here is not in the file. */
const unpackAll = (bytes: Uint8Array) =>
  runQpdf(bytes, ['--qdf', '--object-streams=disable', '--stream-data=uncompress', 'IN', 'OUT']).toString('latin1')

const buildStream = (content: string, entries = '') =>
  `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`
const buildPage = (content: string, { entries = '', resources = '', catalog = '', more = [] as string[] } = {}) =>
  buildPdf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R ${entries} ` +
      `/Resources << /Font << /F 5 0 R >> ${resources} >> >>`,
    buildStream(content),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...more,
  ])
const SAMPLE_TEXT = 'BT /F 12 Tf 20 150 Td (Dear John Smith, pay 4711) Tj 0 -20 Td (to nobody else) Tj ET'

test('removes words from the content and keeps the rest in place', async () => {
  const file = buildPage(SAMPLE_TEXT)
  const { bytes, result, warnings, units } = await redact({ file, texts: ['john  smith'], patterns: ['\\d{4}'] })
  expect(result).toMatchObject({ redactions: 2, pages: [1], pictures: [], verified: true })
  expect([units, warnings]).toEqual([1, []])
  expect(extractText(bytes).split(/\s+/).filter(Boolean).sort()).toEqual([',', 'Dear', 'else', 'nobody', 'pay', 'to'])
  expect(unpackAll(bytes)).not.toMatch(/John|Smith|4711|4a6f686e/i)
  const places = (pdf: Uint8Array) =>
    extractText(pdf, ['-bbox'])
      .match(/<word.*(pay|nobody)</g)!
      .sort()
  expect(places(bytes)).toEqual(places(file))
  expect(renderPage(bytes).grayAt(70, 46)).toBe(0)
  expect(renderPage(bytes).grayAt(30, 66)).not.toBe(0)
})

test('redacts a match without gaps, and counts one area on each of its lines', async () => {
  const number = 'BT /F 12 Tf 20 150 Td (IBAN DE89 3704 0044 end) Tj 0 -20 Td (John) Tj 0 -20 Td (Smith) Tj ET'
  const { bytes, result } = await redact({ file: buildPage(number), texts: ['DE89 3704 0044', 'John Smith'] })
  expect(result.redactions).toBe(3)
  expect(extractText(bytes).split(/\s+/).filter(Boolean)).toEqual(['IBAN', 'end'])
  for (let x = 53; x < 140; x += 3) expect(renderPage(bytes).grayAt(x, 46)).toBe(0)
})

test.each([0, 90, 180, 270])('redacts regions of a page rotated by %s as displayed', async rotate => {
  const file = buildPage(SAMPLE_TEXT, { entries: `/Rotate ${rotate} /CropBox [10 20 290 190]` })
  const [, left, top, right, bottom] = /xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">nobody/
    .exec(extractText(file, ['-bbox', '-cropbox']))!
    .map(Number) as [number, number, number, number, number]
  const { bytes, result } = await redact({ file, regions: [{ page: 1, left, top, right, bottom }] })
  expect(result).toMatchObject({ redactions: 1, pictures: [] })
  expect(extractText(bytes)).not.toContain('nobody')
  expect(extractText(bytes)).toMatch(/else/)
  expect(renderPage(bytes).grayAt((left + right) / 2, (top + bottom) / 2)).toBe(0)
})

test('handles every text operator, also in form XObjects', async () => {
  const inner = buildStream(
    'BT /F 10 Tf 20 40 Td (inner secret) Tj ET',
    '/Type /XObject /Subtype /Form /BBox [0 0 300 100] /Resources << /Font << /F 5 0 R >> >>',
  )
  const content =
    'BT /F 12 Tf 14 TL 1 0 0 1 20 180 Tm [(sec) -20 (ret) 30 ( kept1)] TJ (secret kept2) \' 2 1 (secret kept3) " ' +
    '0 Tw 0 Tc 80 Tz T* <736563726574206b65707434> Tj ET q 1 0 0 1 0 20 cm /X Do Q'
  const { bytes, result } = await redact({
    file: buildPage(content, { resources: '/XObject << /X 6 0 R >>', more: [inner] }),
    texts: ['secret'],
  })
  expect(result).toMatchObject({ redactions: 5, pictures: [] })
  for (const word of ['kept1', 'kept2', 'kept3', 'kept4', 'inner']) expect(extractText(bytes)).toContain(word)
  expect(unpackAll(bytes)).not.toMatch(/secret/)
})

test('redacts text in composite fonts', async () => {
  const { bytes: file } = await runJob(pools, 'pdf.watermark', {
    file: plainPdf(1, { width: 400 }),
    ...{ text: '東京 秘密 大阪', rotation: 0, fontSize: 30, opacity: 1 },
  })
  const { bytes, result } = await redact({ file, texts: ['秘密'] })
  expect(result).toMatchObject({ redactions: 1, pictures: [] })
  expect(extractText(bytes).replaceAll(/\s/g, '')).toBe('東京大阪')
})

test('turns a scanned page into an image and keeps the rest searchable', async () => {
  const pixels = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#ddeeff' } })
    .jpeg()
    .toBuffer()
  const image = `<< /Type /XObject /Subtype /Image /Width 30 /Height 20 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${pixels.length} >>\nstream\n${pixels.toString('latin1')}\nendstream`
  const file = buildPage(`q 300 0 0 200 0 0 cm /Im Do Q 3 Tr ${SAMPLE_TEXT}`, {
    resources: '/XObject << /Im 6 0 R >>',
    more: [image],
  })
  const { bytes, result, warnings } = await redact({ file, texts: ['John Smith'] })
  expect(result).toMatchObject({ pictures: [1], verified: true })
  expect(warnings).toEqual(['PAGE_BECAME_PICTURE'])
  expect(extractText(bytes)).toMatch(/Dear[\s\S]*nobody/)
  expect(extractText(bytes)).not.toContain('John')
  const images = withPdfFile(bytes, path => runProgram('pdfimages', ['-list', path]))
  expect(images).not.toMatch(/jpeg/)
  expect(renderPage(bytes).grayAt(70, 46)).toBe(0)
  expect(renderPage(bytes).grayAt(200, 150)).toBeGreaterThan(200)
})

test('removes drawings inside a region, rasterizes curves across it, and keeps straight lines', async () => {
  const region = { page: 1, left: 20, top: 20, right: 120, bottom: 80 }
  const inside = await redact({
    file: buildPage('50 150 m 60 160 70 150 80 140 c S 0 0 10 10 re f'),
    regions: [region],
  })
  expect(inside.result.pictures).toEqual([])
  expect(unpackAll(inside.bytes)).not.toContain('60 160 70 150')
  const across = await redact({ file: buildPage('50 150 m 60 160 170 150 180 140 c S'), regions: [region] })
  expect(across.result.pictures).toEqual([1])
  expect(unpackAll(across.bytes)).not.toContain('60 160 170 150')
  const line = await redact({ file: buildPage('0 140 m 300 140 l S'), regions: [region] })
  expect(line.result.pictures).toEqual([])
  expect(renderPage(line.bytes).inkBox![2]).toBeGreaterThan(290)
})

test('empties notes, links, bookmarks, properties and alternative text', async () => {
  const catalog = '/Outlines 6 0 R /StructTreeRoot << /K << /S /P /ActualText (About John Smith) >> >> /Metadata 8 0 R'
  const more = [
    '<< /First 7 0 R /Last 7 0 R >>',
    '<< /Title (John Smith) /Parent 6 0 R /Dest [3 0 R /Fit] >>',
    buildStream('<x>John Smith</x>', '/Type /Metadata /Subtype /XML'),
    '<< /Type /Annot /Subtype /Text /Rect [250 10 270 30] /Contents (a note on John Smith) >>',
    '<< /Type /Annot /Subtype /Link /Rect [40 145 90 165] /A << /S /URI /URI (https://example.com/js) >> >>',
    '<< /Title (Letter to John Smith) /Author (Eve) >>',
  ]
  const content = `/Span << /ActualText (John Smith) >> BDC ${SAMPLE_TEXT} EMC`
  const built = buildPage(content, { entries: '/Annots [9 0 R 10 0 R]', catalog, more }).toString('latin1')
  const file = Buffer.from(built.replace('/Root 1 0 R', '/Root 1 0 R /Info 11 0 R'), 'latin1')
  const { bytes, result } = await redact({ file, texts: ['John Smith'] })
  expect(result.wiped).toBe(5)
  expect(unpackAll(bytes)).not.toMatch(/John|Smith|example\.com/)
  expect(new PdfReader(bytes).info).toMatchObject({ '/Title': 'u:', '/Author': 'u:Eve' })
  const stripped = await redact({ file, texts: ['John Smith'], removeMetadata: true })
  expect(unpackAll(stripped.bytes)).not.toContain('Eve')
})

test('removes the appearance of hidden notes with the redacted text', async () => {
  const more = [
    '<< /Type /Annot /Subtype /FreeText /F 2 /Rect [200 10 270 30] /Contents (quiet) /AP << /N 7 0 R >> >>',
    buildStream('BT /F 9 Tf (John Smith) Tj ET', '/Type /XObject /Subtype /Form /BBox [0 0 70 20]'),
  ]
  const { bytes } = await redact({
    file: buildPage(SAMPLE_TEXT, { entries: '/Annots [6 0 R]', more }),
    texts: ['John Smith'],
  })
  expect(unpackAll(bytes)).not.toMatch(/John|Smith/)
  expect(unpackAll(bytes)).toContain('quiet')
})

test('empties fields with the redacted text', async () => {
  const { bytes: file } = await runJob(pools, 'pdf.form', {
    file: orderForm(),
    action: 'fill',
    values: { name: 'Ada Lovelace', notes: 'call back', zip: '12345' },
  })
  const { bytes } = await redact({ file, texts: ['lovelace'] })
  expect(extractText(bytes)).not.toContain('Ada')
  expect(extractText(bytes)).toContain('call back')
  expect(unpackAll(bytes)).not.toMatch(/lovelace/i)
  expect(new PdfReader(bytes).fields.map(({ fullname }) => fullname)).toContain('name')
})

test('keeps the bookmarks of the document', async () => {
  const file = readFileSync('tasks/samples/bookmarked.pdf')
  const { bytes } = await redact({ file, regions: [{ page: 1, left: 0, top: 0, right: 50, bottom: 50 }] })
  const pagesOf = (pdf: Uint8Array) =>
    new PdfReader(pdf).outline.map(({ title, destpageposfrom1 }) => [title, destpageposfrom1])
  expect(pagesOf(bytes)).toEqual(pagesOf(file))
})

test('redacts text in hidden layers and outside the page', async () => {
  const content = `/OC /L BDC ${SAMPLE_TEXT} EMC BT /F 12 Tf 400 150 Td (John Smith) Tj ET`
  const catalog = '/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>'
  const file = buildPage(content, {
    resources: '/Properties << /L 6 0 R >>',
    catalog,
    more: ['<< /Type /OCG /Name (L) >>'],
  })
  expect(extractText(file).trim()).toBe('')
  const { bytes, result } = await redact({ file, texts: ['John Smith'] })
  expect(result).toMatchObject({ redactions: 1, pictures: [] })
  expect(unpackAll(bytes)).not.toMatch(/John|Smith/)
  expect(unpackAll(bytes)).toMatch(/OFF/)
})

test('misses no text of a page that is an image, and always sees what is left in a region', () => {
  const readPage = (...texts: string[]) => {
    const words = texts.map((text, index) => ({ text, box: [index * 50, 0, index * 50 + 40, 10] as Rect }))
    return { width: 300, height: 200, lines: [{ text: '', words, box: [0, 0, 300, 10] as Rect }] }
  }
  const regions = [{ page: 1, box: [0, 0, 45, 12] as Rect }]
  const check = (after: string[], rasterized: number[]) =>
    findFailedPages([readPage('name', 'lamp', '🇩🇪')], [readPage(...after)], {
      regions,
      cleared: [],
      rasterized,
      matches: [],
    })
  expect(check(['', 'lamp', ''], [])).toEqual([1])
  expect(check(['', 'lamp', ''], [1])).toEqual([])
  expect(check(['name', 'lamp', ''], [1])).toEqual([1])
})

test('terminates on form XObjects that draw themselves', async () => {
  const self = buildStream(
    '/X Do '.repeat(50),
    '/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /XObject << /X 6 0 R >> >>',
  )
  const file = buildPage(`${SAMPLE_TEXT} /X Do`, { resources: '/XObject << /X 6 0 R >>', more: [self] })
  const { bytes, result } = await redact({ file, texts: ['John'] })
  expect(result).toMatchObject({ pictures: [1], verified: true })
  expect(extractText(bytes)).not.toContain('John')
})

test('repairs a file that one reader rejects', async () => {
  const broken = buildPage(SAMPLE_TEXT).toString('latin1').replace('/Contents 4 0 R', '/Contents x 0 R')
  const answer = await redact({ file: Buffer.from(broken, 'latin1'), texts: ['John'] })
  expect(extractText(answer.bytes)).not.toContain('John')
})

test('warns when nothing was found and about pages without text', async () => {
  const none = await redact({ file: readFileSync('tasks/samples/letter.pdf'), texts: ['no such word'] })
  expect(none.warnings).toEqual(['NOTHING_FOUND'])
  expect(none.result).toMatchObject({ redactions: 0, pages: [] })
  const blank = await redact({ file: plainPdf(2), texts: ['x'] })
  expect(blank.warnings).toEqual(['NOTHING_FOUND', 'PAGE_WITHOUT_TEXT', 'PAGE_WITHOUT_TEXT'])
})

test('removes attachments on request and otherwise warns', async () => {
  const catalog = '/Names << /EmbeddedFiles << /Names [(a.txt) 6 0 R] >> >>'
  const more = [
    '<< /Type /Filespec /F (a.txt) /EF << /F 7 0 R >> >>',
    buildStream('hidden inside', '/Type /EmbeddedFile'),
  ]
  const file = buildPage(SAMPLE_TEXT, { catalog, more })
  expect((await redact({ file, texts: ['4711'] })).warnings).toEqual(['ATTACHMENTS_KEPT'])
  const { bytes, warnings } = await redact({ file, texts: ['4711'], removeAttachments: true })
  expect(warnings).toEqual([])
  expect(unpackAll(bytes)).not.toContain('hidden inside')
})

test('searches only the selected pages, and whole words on request', async () => {
  const file = readFileSync('tasks/samples/letter.pdf')
  const word = extractText(file, ['-f', '2', '-l', '2'])
    .split(/\s+/)
    .find(text => /^[a-z]{5,}$/.test(text))!
  const { bytes, result } = await redact({ file, texts: [word], pages: '2', wholeWords: true, caseSensitive: true })
  expect(result.pages).toEqual([2])
  expect(extractText(bytes, ['-f', '1', '-l', '1'])).toBe(extractText(file, ['-f', '1', '-l', '1']))
  expect((await redact({ file: buildPage(SAMPLE_TEXT), texts: ['mith'], wholeWords: true })).result.redactions).toBe(0)
})

test.each([
  { title: 'a call without texts, patterns or regions', body: {}, code: 'MISSING_FIELD' },
  {
    title: 'a page that does not exist',
    body: { regions: [{ page: 2, left: 0, top: 0, right: 9, bottom: 9 }] },
    code: 'BAD_RANGE',
  },
  {
    title: 'an inverted region',
    body: { regions: [{ page: 1, left: 9, top: 0, right: 0, bottom: 9 }] },
    code: 'INVALID_PARAM',
  },
  { title: 'an invalid pattern', body: { patterns: ['('] }, code: 'REGEX_INVALID' },
  { title: 'a pattern with lookbehind', body: { patterns: ['(?<=a)b'] }, code: 'REGEX_UNSUPPORTED' },
])('rejects $title', async ({ body, code }) => {
  await expect(redact({ file: buildPage(SAMPLE_TEXT), ...body })).rejects.toMatchObject({ code })
})

test('charges nothing when names were given as patterns and nothing was found', async () => {
  const file = buildPage(SAMPLE_TEXT)
  await expect(redact({ file, patterns: ['\\d{9}', 'email'] })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'patterns.1' },
  })
  expect((await redact({ file, patterns: ['Smith'] })).result.redactions).toBe(1)
  expect((await redact({ file, patterns: ['\\d{9}'] })).warnings).toEqual(['NOTHING_FOUND'])
})
