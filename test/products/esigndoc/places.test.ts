import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FoundPlaces, PlaceSearch } from '../../../tasks/products/esigndoc/document.ts'
import { buildPdf, PdfReader, pdfStream, plainPdf } from '../../support/pdf/document.ts'
import { typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'
import { NEVER, openEngine } from '../../support/signing/engine.ts'

let engine: Awaited<ReturnType<typeof openEngine>>
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(() => engine[Symbol.asyncDispose]())

const TAGS: PlaceSearch = { tags: true, anchors: [], automatic: false }
const ANCHOR = { occurrence: 'first', remove: false } as const

async function find(files: readonly Uint8Array[], search: PlaceSearch): Promise<FoundPlaces> {
  const stored = []
  for (const bytes of files) stored.push(await engine.put(bytes))
  return engine.documents.findPlaces(stored, search, NEVER)
}

function writeFile(bytes: Uint8Array): string {
  const path = engine.path('read.pdf')
  writeFileSync(path, bytes)
  return path
}

function readText(bytes: Uint8Array): string {
  return execFileSync('pdftotext', ['-layout', writeFile(bytes), '-'], { encoding: 'utf8' })
}

/** The lower left corner of each place, in points of the page as displayed, to compare with where the tag was written. */
function describe({ type, recipient, label, x, y, h }: FoundPlaces['places'][number], width: number, height: number) {
  return { type, recipient, label, left: Math.round((x / 100) * width), bottom: Math.round(((y + h) / 100) * height) }
}

/** Tags cut into several show operators, one glued to other words, one in a form of its own. */
function taggedPage(page: string): Buffer {
  const content =
    'BT /F 12 Tf 50 700 Td (Name: {{si) Tj (g:1}}rest) Tj ET BT /F 12 Tf 50 650 Td [({{da) -20 (te:1}}) 30 ( end)] TJ ET ' +
    'BT /F 10 Tf 300 650 Td ({{text:2:Your town}}) Tj ET BT /F 10 Tf 300 600 Td (plain {{nothing}}) Tj ET /X Do'
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 612 792] >>',
    `<< /Type /Page /Parent 2 0 R ${page} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>`,
    pdfStream(content),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    pdfStream(
      'BT /F 10 Tf 10 10 Td ({{init:2}}) Tj ET',
      '/Type /XObject /Subtype /Form /BBox [0 0 100 40] /Matrix [1 0 0 1 300 500] /Resources << /Font << /F 5 0 R >> >>',
    ),
  ])
}

test('finds tags however they are written, and takes them out of the content', async () => {
  const { places, changed, missing } = await find([taggedPage('')], TAGS)
  expect(missing).toEqual([])
  expect(places.map(place => describe(place, 612, 792))).toEqual([
    {
      type: 'signature',
      recipient: 1,
      label: undefined,
      left: expect.closeTo(89, -0.5),
      bottom: expect.closeTo(95, -0.5),
    },
    { type: 'date', recipient: 1, label: undefined, left: 50, bottom: expect.closeTo(145, -0.5) },
    { type: 'text', recipient: 2, label: 'Your town', left: 300, bottom: expect.closeTo(144, -0.5) },
    { type: 'initials', recipient: 2, label: undefined, left: 310, bottom: expect.closeTo(284, -0.5) },
  ])
  const [{ bytes, pages }] = changed as [FoundPlaces['changed'][number]]
  expect(pages).toHaveLength(1)
  const left = readText(bytes).replaceAll(/\s+/g, ' ')
  expect(left).toContain('Name: rest')
  expect(left).toContain('end')
  expect(left).toContain('plain {{nothing}}')
  expect(left).not.toMatch(/sig:1|date:1|init:2|Your town/)
  // Nothing of them is left in the file, nor a box over the place.
  expect(JSON.stringify(new PdfReader(bytes).json)).not.toContain('init')
})

test.each([
  ['/Rotate 90', 792, 612, 700, 89],
  ['/Rotate 180', 612, 792, 523, 700],
  ['/Rotate 270', 792, 612, 92, 523],
  ['/CropBox [20 100 420 760]', 400, 660, 69, 63],
])('finds tags on a page with %s where they are seen', async (page, width, height, x, y) => {
  const { places } = await find([taggedPage(page)], TAGS)
  const sign = places.find(({ type }) => type === 'signature')!
  const [left, top] = [(sign.x / 100) * width, (sign.y / 100) * height]
  const [right, bottom] = [left + (sign.w / 100) * width, top + (sign.h / 100) * height]
  expect(left - 2 <= x && x <= right + 2, `${left} to ${right} has ${x}`).toBe(true)
  expect(top - 2 <= y && y <= bottom + 2, `${top} to ${bottom} has ${y}`).toBe(true)
})

test('finds anchors by their occurrence over all files, and says which are nowhere', async () => {
  const files = [
    typesetPages([[[40, 100, 'Sign  here: and sign here: too']], [[40, 200, 'SIGN HERE:']]]),
    typesetPages([[[60, 300, 'Sign here:']]]),
  ]
  const search = (id: string, occurrence: 'first' | 'last' | 'all' | number, more: object = {}) => ({
    id,
    search: { ...ANCHOR, text: 'sign here:', occurrence, ...more },
  })
  const found = await find(files, {
    ...TAGS,
    anchors: [
      search('first', 'first'),
      search('third', 3, { dx: 10, dy: 5, w: 20, h: 4 }),
      search('last', 'last', { remove: true }),
      search('none', 9),
      { id: 'absent', search: { ...ANCHOR, text: 'Stamp' } },
    ],
  })
  const where = found.places.map(({ anchorId, file, page }) => [anchorId, file, page])
  expect(where).toEqual([
    ['first', 0, 1],
    ['third', 0, 2],
    ['last', 1, 1],
  ])
  expect(found.places[1]).toMatchObject({ w: 20, h: 4 })
  expect(found.missing.map(({ id }) => id)).toEqual(['none', 'absent'])
  expect(found.changed.map(({ file }) => file)).toEqual([1])
  expect(readText(found.changed[0]!.bytes)).not.toMatch(/sign here/i)
  const all = await find(files, { ...TAGS, anchors: [search('all', 'all')] })
  expect(all.places).toHaveLength(4)
})

test('places a field to the left of a label that is read from right to left', async () => {
  const pools = await sharedPools()
  const options = { text: 'חתימה:', position: 'east', rotation: 0, opacity: 1, fontSize: 14, color: 'black' }
  const { bytes } = await runJob(pools, 'pdf.watermark', { file: plainPdf(1, { width: 400 }), ...options })
  const anchors = [{ id: 'a', search: { ...ANCHOR, text: 'חתימה:' } }]
  const { places, missing } = await find([bytes], { ...TAGS, anchors })
  expect(missing).toEqual([])
  const [label] = execFileSync('pdftotext', ['-bbox', writeFile(bytes), '-'], { encoding: 'utf8' }).match(
    /xMin="[\d.]+/,
  )!
  expect(((places[0]!.x + places[0]!.w) / 100) * 400).toBeLessThanOrEqual(Number(label.slice(6)) + 1)
})

test('takes a tag off a letterhead, whose image and links stay', async () => {
  const letter = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 400 300] >>',
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Annots [7 0 R] /Resources << /Font << /F 5 0 R >> /XObject << /I 6 0 R >> >> >>',
    pdfStream('q 400 0 0 300 0 0 cm /I Do Q BT /F 12 Tf 50 100 Td (Agreed {{sig:1}} by) Tj ET'),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    pdfStream('\xaa', '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8'),
    '<< /Type /Annot /Subtype /Link /Rect [40 90 200 120] /A << /S /URI /URI (https://example.com/) >> >>',
  ])
  const { places, changed } = await find([letter], TAGS)
  expect(places).toHaveLength(1)
  const { bytes } = changed[0]!
  expect(readText(bytes)).toMatch(/Agreed\s+by/)
  expect(JSON.stringify(new PdfReader(bytes).json)).toContain('https://example.com/')
  execFileSync('pdftoppm', ['-r', '72', '-gray', '-png', '-singlefile', writeFile(bytes), engine.path('letterhead')])
  const area = { left: 98, top: 190, width: 30, height: 8 }
  const pixels = await sharp(await sharp(engine.path('letterhead.png')).extract(area).toBuffer()).stats()
  expect(pixels.channels[0]).toMatchObject({ min: 0xaa, max: 0xaa })
})

test('looks for an anchor in the file that is named, else in all', async () => {
  const file = typesetPages([[[40, 100, 'Signature:']]])
  const anchors = [{}, { file: 1 }, { file: 2 }].map((where, index) => ({
    id: String(index),
    search: { ...ANCHOR, text: 'Signature:', ...where },
  }))
  const { places, missing } = await find([file, file], { tags: false, anchors, automatic: false })
  expect(places.map(({ anchorId, file: index }) => [anchorId, index])).toEqual([
    ['0', 0],
    ['1', 1],
  ])
  expect(missing).toEqual([{ id: '2', text: 'Signature:' }])
})

test('finds what is printed for signatures where there are no tags', async () => {
  const letter = typesetPages([
    [
      [40, 400, 'Signature: ______________'],
      [40, 440, 'Date: ________'],
      [220, 400, 'By:'],
    ],
  ])
  const { places, changed } = await find([letter], { ...TAGS, automatic: true })
  expect(changed).toEqual([])
  expect(places.map(({ type, recipient, from }) => [type, recipient, from])).toEqual([
    ['signature', 1, 'automatic'],
    ['signature', 2, 'automatic'],
    ['date', 2, 'automatic'],
  ])
  const [onLine] = places
  expect((onLine!.x / 100) * 400).toBeGreaterThan(80)
  const bare = typesetPages([
    [
      [40, 500, 'Yours'],
      [40, 560, '__________________'],
    ],
  ])
  expect((await find([bare], { ...TAGS, automatic: true })).places).toMatchObject([{ type: 'signature', recipient: 1 }])
})

test('adds lines to sign on where nothing says where: below the text, or on a page of their own', async () => {
  const signers = ['Ida Brandt', '山田 太郎'].map((name, index) => ({ recipient: index + 1, name }))
  const fallback = { style: 'block', page: 'last', signers, language: 'de' } as const
  const short = await find([typesetPages([[[40, 60, 'A short letter.']]])], { ...TAGS, automatic: true, fallback })
  expect(short.places.map(({ type, recipient, page }) => [type, recipient, page])).toEqual([
    ['signature', 1, 1],
    ['date', 1, 1],
    ['signature', 2, 1],
    ['date', 2, 1],
  ])
  const printed = readText(short.changed[0]!.bytes)
  for (const words of ['A short letter.', 'Unterschriften', 'Ida Brandt', '山田 太郎']) expect(printed).toContain(words)

  const two = [typesetPages([[[40, 60, 'First.']], [[40, 60, 'Second.']]])]
  const onFirst = await find(two, { ...TAGS, automatic: true, fallback: { ...fallback, page: 1 } })
  expect(new Set(onFirst.places.map(({ page }) => page))).toEqual(new Set([1]))
  await expect(find(two, { ...TAGS, fallback: { ...fallback, page: 3 } })).rejects.toMatchObject({
    ...{ code: 'FIELD_OUT_OF_PAGE', hints: { field: 'autoPlaceSignature', pages: 2 } },
  })

  const scan = await find([plainPdf(1, { width: 500 })], { ...TAGS, fallback: { ...fallback, style: 'page' } })
  expect(scan.changed[0]!.pages).toHaveLength(2 + 1)
  expect(new Set(scan.places.map(({ page }) => page))).toEqual(new Set([2, 3]))
})
