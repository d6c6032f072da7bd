import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { extractText, listFonts, renderPage } from '../../support/pdf/inspect.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const stamp = (body: Record<string, unknown>) => runJob(pools, 'pdf.watermark', body)
const checkWithQpdf = (bytes: Uint8Array) => runQpdf(bytes, ['--check', 'IN']).toString()
const PLAIN_STYLE = { rotation: 0, fontSize: 20, opacity: 1, color: 'black', margin: 10 }

test('stamps text on every page and keeps the content', async () => {
  const file = readFileSync('tasks/samples/letter.pdf')
  const { bytes, result, units, warnings } = await stamp({ file, text: 'DRAFT' })
  expect(result.stampedPages).toBe(2)
  expect(result.stamps).toEqual([{ rotation: 45, opacity: 0.3 }])
  expect(units).toBe(2)
  expect(warnings).toEqual([])
  expect(checkWithQpdf(bytes)).toContain('No syntax')
  const before = extractText(file).split(/\s+/).filter(Boolean)
  const after = new Set(extractText(bytes).split(/\s+/))
  expect(before.filter(word => !after.has(word))).toEqual([])
  expect(listFonts(bytes)).toMatch(/NotoSans-Regular\s+CID TrueType\s+Identity-H\s+yes yes yes/)
})

test.each([
  ['south', 0],
  ['northeast', 0],
  ['center', 45],
  ['tile', 45],
])('a text at %s is turned by %i degrees unless told', async (position, rotation) => {
  const { result } = await stamp({ file: plainPdf(1), text: '{page} / {pages}', position, fontSize: 10 })
  expect(result.stamps).toEqual([{ rotation, opacity: 0.3 }])
})

const buildPage = (entries: string, content = '') =>
  buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /Contents 4 0 R ${entries} >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ])

/** The sizes in points that fonts are set to. */
function listFontSizes(bytes: Uint8Array): number[] {
  const text = runQpdf(bytes, ['--qdf', '--object-streams=disable', 'IN', 'OUT']).toString('latin1')
  return [...new Set([...text.matchAll(/\/\S+ ([\d.]+) Tf/g)].map(([, size]) => Number(size)))]
}

test.each([
  ['1', {}, 11.9],
  ['{page} / {pages}\n{date}', {}, 11.9],
  ['as long as the page is wide '.repeat(6), {}, 7.09],
  ['1', { scale: 0.1 }, 104.02],
])('sets %j at an edge with %j in a size of %d points', async (text, options, size) => {
  const { bytes } = await stamp({ file: buildPage('/MediaBox [0 0 595 842]'), text, position: 'south', ...options })
  expect(listFontSizes(bytes)).toEqual([size])
})

/** A page of 300 by 200 points with a crop box of 200 by 100 points at (50, 40). */
const buildRotatedPage = (rotate: number) =>
  buildPage(`/MediaBox [0 0 300 200] /CropBox [50 40 250 140] /Rotate ${rotate}`)

test.each([0, 90, 180, 270])('stamps upright on a page rotated by %s with a crop box', async rotate => {
  const { bytes } = await stamp({
    file: buildRotatedPage(rotate),
    text: 'iiiiiiiiii',
    position: 'northwest',
    ...PLAIN_STYLE,
  })
  const { width, height, inkBox } = renderPage(bytes)
  expect([width, height]).toEqual(rotate % 180 === 0 ? [200, 100] : [100, 200])
  const [left, top, right, bottom] = inkBox!
  expect(left).toBeGreaterThan(8)
  expect(left).toBeLessThan(14)
  expect(top).toBeGreaterThan(10)
  expect(top).toBeLessThan(20)
  expect(right - left).toBeGreaterThan(2 * (bottom - top))
  expect(extractText(bytes)).toContain('iiiiiiiiii')
})

test('fills in page numbers, Bates numbers and the date', async () => {
  const { bytes } = await stamp({
    file: plainPdf(3, { width: 400 }),
    pages: '2-',
    text: '{page} of {pages}\n{bates}\n{date}',
    bates: { prefix: 'AB-', start: 41, digits: 4 },
    ...PLAIN_STYLE,
  })
  const pages = extractText(bytes).split('\f')
  expect(pages[0]!.trim()).toBe('')
  const today = new Date().toISOString().slice(0, 7)
  expect(pages[1]).toMatch(new RegExp(`2 of 3\\s+AB-0041\\s+${today}`))
  expect(pages[2]).toMatch(/3 of 3\s+AB-0042/)
})

test('renders every script with embedded fonts', async () => {
  const words = ['Kadıköy', '日本', 'Привет', 'Ωμέγα', '안녕', 'สวัสดี']
  const { bytes } = await stamp({ file: plainPdf(1, { width: 500 }), text: words.join('\n'), ...PLAIN_STYLE })
  const text = extractText(bytes)
  for (const word of words) expect(text).toContain(word)
  expect(listFonts(bytes).match(/yes yes yes/g)!.length).toBeGreaterThanOrEqual(3)
  const hebrew = await stamp({ file: plainPdf(1, { width: 500 }), text: 'שלום עולם', ...PLAIN_STYLE })
  expect(extractText(hebrew.bytes)).toContain('שלום עולם')
})

test('stamps an image with its transparency', async () => {
  const dot = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="20"/></svg>'
  for (const image of [Buffer.from(dot), await sharp(Buffer.from(dot)).png().toBuffer()]) {
    const { bytes } = await stamp({ file: plainPdf(1), image, position: 'center', scale: 0.4, opacity: 1 })
    const rendering = renderPage(bytes)
    for (const [index, side] of [30, 80, 70, 120].entries()) expect(rendering.inkBox![index]).toBeCloseTo(side, -0.5)
    expect(rendering.grayAt(50, 100)).toBeLessThan(20)
    expect(rendering.grayAt(32, 82)).toBe(255)
  }
})

test('stamps a page of another document as it is displayed there', async () => {
  const bar = '0 0 0 rg 0 0 100 20 re f'
  const stampPage = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] /Resources << >> >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] /Rotate 90 /Contents 4 0 R >>',
    `<< /Length ${bar.length} >>\nstream\n${bar}\nendstream`,
  ])
  const { bytes } = await stamp({ file: buildPage('/MediaBox [0 0 400 400]'), pdf: stampPage, opacity: 1 })
  const rendering = renderPage(bytes)
  // The bar at the bottom of the page is at its left side once the page is rotated clockwise.
  expect(rendering.inkBox!.map(Math.round)).toEqual([100, 150, 120, 250])
})

test('warns of pages where a stamp below the content is hidden', async () => {
  const buildCovered = (content: string) => buildPage('/MediaBox [0 0 200 200]', content)
  const under = { text: 'DRAFT', layer: 'under' }
  const hidden = await stamp({ file: buildCovered('0.9 g 0 0 200 200 re f'), ...under })
  expect(hidden.warnings).toEqual(['HIDDEN_BY_CONTENT'])
  const seen = await stamp({ file: buildCovered('0.9 g 0 0 200 20 re f'), ...under })
  expect(seen.warnings).toEqual([])
})

test('survives content with unbalanced graphics states', async () => {
  const file = buildPage('/MediaBox [0 0 200 200]', 'q 0.1 0 0 0.1 0 0 cm q')
  const { inkBox } = renderPage((await stamp({ file, text: 'DRAFT', rotation: 0, opacity: 1, scale: 1 })).bytes)
  expect(inkBox![2] - inkBox![0]).toBeGreaterThan(100)
})

test('tiles the page and charges several stamps once', async () => {
  const tiled = await stamp({ file: plainPdf(2, { width: 300 }), text: 'no', position: 'tile', scale: 0.1, opacity: 1 })
  expect(extractText(tiled.bytes, ['-f', '1', '-l', '1']).match(/no/g)!.length).toBeGreaterThan(8)
  const { units, bytes } = await stamp({
    file: plainPdf(3, { width: 300 }),
    stamps: [
      { text: 'one', fontSize: 20, pages: '1-2', position: 'north', rotation: 0 },
      { text: 'two', fontSize: 20, pages: '2,2', position: 'south', rotation: 0 },
    ],
  })
  expect(units).toBe(2)
  expect(extractText(bytes, ['-f', '2', '-l', '2'])).toMatch(/one\s+two/)
})

test('keeps bookmarks and form fields', async () => {
  const { bytes } = await stamp({ file: readFileSync('tasks/samples/bookmarked.pdf'), text: 'x' })
  expect(new PdfReader(bytes).outline.length).toBeGreaterThan(0)
})

const SIGNED = buildPdf([
  '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> >>',
  '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
  '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
  '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Contents <00> /ByteRange [0 1 2 3] >>',
])

test.each([
  { title: 'nothing to stamp', body: {}, code: 'MISSING_FIELD' },
  { title: 'two things at once', body: { text: 'x', pdf: plainPdf(1) }, code: 'CONFLICTING_OPTIONS' },
  { title: 'a page that does not exist', body: { text: 'x', pages: '2' }, code: 'BAD_RANGE' },
  { title: 'an unknown font', body: { text: 'x', font: 'Comic Sans' }, code: 'FONT_UNAVAILABLE' },
  { title: 'characters no font has', body: { text: '\u{10FFFD}' }, code: 'FONT_UNAVAILABLE' },
  { title: 'an unknown colour', body: { text: 'x', color: 'nocolour' }, code: 'INVALID_PARAM' },
  { title: 'a broken image', body: { image: Buffer.from('GIF89a broken') }, code: 'IMAGE_DECODE_FAILED' },
  { title: 'a signed document', body: { text: 'x', file: SIGNED }, code: 'PDF_SIGNED' },
])('rejects $title', async ({ body, code }) => {
  await expect(stamp({ file: plainPdf(1), ...body })).rejects.toMatchObject({ code })
})

test('breaks a signature only on request', async () => {
  const { warnings } = await stamp({ file: SIGNED, text: 'x', allowBreakSignatures: true })
  expect(warnings).toEqual(['SIGNATURES_REMOVED'])
})

test('says of a stamp that lies outside of a page, and does not count it', async () => {
  const sizes = ['900 200', '200 900']
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
    ...sizes.map(size => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size}] >>`),
  ])
  const far = { text: 'x', ...PLAIN_STYLE, position: 'west', offset: { x: 400, y: 0 } }
  const partly = await stamp({ file, ...far })
  expect([partly.result.stampedPages, partly.units, partly.warnings]).toEqual([1, 1, ['OFF_PAGE']])
  const both = await stamp({ file, stamps: [far, { text: 'y', ...PLAIN_STYLE }] })
  expect([both.result.stampedPages, both.warnings]).toEqual([2, ['OFF_PAGE']])
  await expect(stamp({ file, ...far, offset: { x: 0, y: 2000 } })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'offset' },
  })
})
