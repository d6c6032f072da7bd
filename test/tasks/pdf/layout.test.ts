import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { extractText, renderPage } from '../../support/pdf/inspect.ts'
import { typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const arrange = (body: Record<string, unknown>) => runJob(pools, 'pdf.layout', body)

/** Pages of 400 by 600 points with one word each, at the top left corner. */
const numbered = (pages: number) =>
  typesetPages(Array.from({ length: pages }, (_, index) => [[20, 40, `word${index + 1}`, { size: 20 }]]))

interface PlacedWord {
  text: string
  left: number
  top: number
}

/** The words of each page, with where they stand, as poppler reads them. */
function readWords(bytes: Uint8Array): { width: number; height: number; words: PlacedWord[] }[] {
  const pages = extractText(bytes, ['-bbox', '-cropbox']).split('<page ').slice(1)
  return pages.map(page => {
    const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(page)!
    const found = page.matchAll(/xMin="([-\d.]+)" yMin="([-\d.]+)"[^>]*>([^<]+)</g)
    const words = [...found].map(([, left, top, text]) => ({ text: text!, left: Number(left), top: Number(top) }))
    return { width: Number(width), height: Number(height), words }
  })
}

const listWords = (bytes: Uint8Array) =>
  readWords(bytes).map(({ words }) => words.toSorted((a, b) => a.top - b.top || a.left - b.left).map(w => w.text))

test('puts two pages side by side on a sheet that lies', async () => {
  const { bytes, result, units, warnings } = await arrange({ action: 'n-up', file: numbered(3) })
  expect([result.pages, units, warnings]).toEqual([2, 3, []])
  const [first, second] = readWords(bytes)
  expect([first!.width, first!.height]).toEqual([841.89, 595.28])
  // Each page is 595.28 high, so its scale is 0.992, and it stands in the middle of its half.
  const scale = 595.28 / 600
  const inset = (841.89 / 2 - 400 * scale) / 2
  expect(first!.words.map(({ text }) => text)).toEqual(['word1', 'word2'])
  expect(first!.words[0]!.left).toBeCloseTo(inset + 20 * scale, 1)
  expect(first!.words[1]!.left).toBeCloseTo(841.89 / 2 + inset + 20 * scale, 1)
  expect(second!.words.map(({ text }) => text)).toEqual(['word3'])
  expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
})

test.each([
  { order: 'rows', places: ['word1', 'word2', 'word3', 'word4', 'word5', 'word6'] },
  { order: 'columns', places: ['word1', 'word4', 'word2', 'word5', 'word3', 'word6'] },
])('fills six places by $order', async ({ order, places }) => {
  const options = { perSheet: 6, order, orientation: 'portrait', margin: 10, gap: 5 }
  const { bytes, result } = await arrange({ action: 'n-up', file: numbered(6), ...options })
  expect([result.pages, listWords(bytes)]).toEqual([1, [places]])
})

test('draws a line around each page if asked to', async () => {
  const file = plainPdf(1)
  const [without, drawn] = [
    await arrange({ action: 'n-up', file, perSheet: 4 }),
    await arrange({ action: 'n-up', file, perSheet: 4, border: true, margin: 50 }),
  ]
  expect(renderPage(without.bytes).inkBox).toBeUndefined()
  const [left, top] = renderPage(drawn.bytes).inkBox!
  expect([left, top].map(Math.round)).toEqual([81, 50])
})

test.each([
  {
    binding: 'left',
    sides: [
      ['8', '1'],
      ['2', '7'],
      ['6', '3'],
      ['4', '5'],
    ],
  },
  {
    binding: 'right',
    sides: [
      ['1', '8'],
      ['7', '2'],
      ['3', '6'],
      ['5', '4'],
    ],
  },
])('orders the pages of a booklet bound on the $binding', async ({ binding, sides }) => {
  const { bytes, result } = await arrange({ action: 'booklet', file: numbered(8), binding })
  expect(result.pages).toBe(4)
  expect(listWords(bytes)).toEqual(sides.map(side => side.map(number => `word${number}`)))
})

test('fills a booklet with empty pages at its end', async () => {
  const { bytes, units } = await arrange({ action: 'booklet', file: numbered(7), pages: '1-5' })
  expect(units).toBe(5)
  expect(listWords(bytes)).toEqual(
    [['word1'], ['word2'], ['word3'], ['word4', 'word5']].map((side, index) => (index === 2 ? ['word3'] : side)),
  )
})

/** A page of 200 by 100 points, turned and cropped, whose visible part is gray but for a black square in one corner. */
const turned = (rotate: number) => {
  const content = '0.5 g 0 0 200 100 re f 0 g 20 10 20 20 re f'
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /CropBox [20 10 180 90] /Rotate ${rotate} /UserUnit 2 /Contents 4 0 R >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ])
}

test.each([
  { rotate: 0, corner: [0, 1], size: [320, 160] },
  { rotate: 90, corner: [0, 0], size: [160, 320] },
  { rotate: 180, corner: [1, 0], size: [320, 160] },
  { rotate: 270, corner: [1, 1], size: [160, 320] },
])('shows a page rotated by $rotate as it is displayed, on sheets and when it is resized', async case_ => {
  const { rotate, corner, size } = case_
  const file = turned(rotate)
  const sheet = { action: 'n-up', file, perSheet: 4, orientation: 'portrait', pageSize: 'A4' }
  const resize = { action: 'resize', file, pageSize: 'A4', orientation: 'portrait' }
  const areas = [
    { bytes: (await arrange(sheet)).bytes, width: 595.28 / 2, height: 841.89 / 2 },
    { bytes: (await arrange(resize)).bytes, width: 595.28, height: 841.89 },
  ]
  for (const { bytes, width, height } of areas) {
    const page = renderPage(bytes)
    const scale = Math.min(width / size[0]!, height / size[1]!)
    const shown = size.map(side => side * scale) as [number, number]
    const [left, top] = [(width - shown[0]) / 2, (height - shown[1]) / 2]
    const box = page.inkBox!.map(Math.round)
    expect(box.map((side, at) => Math.abs(side - [left, top, left + shown[0], top + shown[1]][at]!) <= 1)).toEqual([
      true,
      true,
      true,
      true,
    ])
    const inside = (at: number, start: number, side: number) => start + (at === 0 ? 8 : side - 8)
    const [x, y] = [inside(corner[0]!, left, shown[0]), inside(corner[1]!, top, shown[1])]
    expect(page.grayAt(x, y)).toBe(0)
    expect(page.grayAt(left + shown[0] / 2, top + shown[1] / 2)).toBeGreaterThan(100)
  }
})

test('keeps form values on sheets, as drawn', async () => {
  const file = readFileSync('tasks/samples/order-form.pdf')
  const filled = await runJob(pools, 'pdf.form', { action: 'fill', file, values: { name: 'Ada Lovelace' } })
  const { bytes } = await arrange({ action: 'n-up', file: filled.bytes, perSheet: 2 })
  expect(new PdfReader(bytes).fields).toEqual([])
  expect(extractText(bytes)).toContain('Ada Lovelace')
})

/** A page with a link to a place on the second one, a bookmark, a named target and a shading pattern. */
function pointing(): Buffer {
  const content = '/Pattern cs /P1 scn 100 100 100 100 re f'
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /Names << /Dests << /Names [(spot) [4 0 R /FitH 150]] >> >> >>',
    '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] /MediaBox [0 0 200 200] >>',
    `<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Annots [8 0 R] /Resources << /Pattern << /P1 9 0 R >> >> >>`,
    '<< /Type /Page /Parent 2 0 R >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>',
    '<< /Title (Second) /Parent 6 0 R /Dest [4 0 R /XYZ 20 180 null] >>',
    '<< /Type /Annot /Subtype /Link /Rect [100 100 200 200] /A << /S /GoTo /D [4 0 R /XYZ 20 180 0] >> >>',
    '<< /Type /Pattern /PatternType 2 /Matrix [1 0 0 1 100 0] /Shading << /ShadingType 2 /ColorSpace /DeviceGray ' +
      '/Coords [0 0 100 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >> >> >>',
  ])
}

test('resizes a page with its links, bookmarks, named targets and patterns', async () => {
  const answer = await arrange({ action: 'resize', file: pointing(), pageSize: 'A4', margin: 47.64 })
  const { bytes, result, units } = answer
  expect([result.pages, units]).toEqual([2, 2])
  // The side of 200 points becomes 500, with 47.64 to the left and 170.945 below it.
  const json = runQpdf(bytes, ['--json=2', '--json-key=qpdf', 'IN']).toString()
  const objects = JSON.stringify((JSON.parse(json) as { qpdf: unknown[] }).qpdf[1])
  expect(objects).toContain('"/Rect":[297.64,420.945,547.64,670.945]')
  expect(objects.split(`"/XYZ",97.64,620.945`)).toHaveLength(3)
  expect(objects).toContain('"/FitH",545.945')
  const page = renderPage(bytes)
  const [left, top, right, bottom] = page.inkBox!.map(Math.round)
  expect([left, top, bottom]).toEqual([297, 170, 421])
  expect(right).toBeGreaterThan(535)
  expect(page.grayAt(300, 300)).toBeLessThan(20)
  expect(Math.abs(page.grayAt(422, 300) - 127)).toBeLessThan(8)
})

test('crops pages as displayed, by what is cut or by what is kept', async () => {
  const file = numbered(2)
  const cut = await arrange({ action: 'crop', file, pages: '2', cut: { top: 30, left: 10 } })
  const [first, second] = readWords(cut.bytes)
  expect([cut.units, first!.height, second!.width, second!.height]).toEqual([1, 600, 390, 570])
  const kept = await arrange({ action: 'crop', file, box: { left: 0, top: 0, right: 100, bottom: 5000 } })
  expect(readWords(kept.bytes).map(({ width, height }) => [width, height])).toEqual([
    [100, 600],
    [100, 600],
  ])
  const { inkBox } = renderPage((await arrange({ action: 'crop', file: turned(90), cut: { right: 40 } })).bytes)
  expect(inkBox!.map(Math.round)).toEqual([0, 0, 60, 160])
})

test.each([
  { options: {}, code: 'MISSING_FIELD', hints: { field: 'cut' } },
  { options: { cut: {}, box: { left: 0, top: 0, right: 9, bottom: 9 } }, code: 'CONFLICTING_OPTIONS', hints: {} },
  { options: { cut: { left: 399 } }, code: 'INVALID_PARAM', hints: { field: 'cut', page: 1, pageWidth: 400 } },
  { options: { box: { left: 9, top: 9, right: 9, bottom: 20 } }, code: 'INVALID_PARAM', hints: { field: 'box' } },
  { options: { cut: {}, pages: '3' }, code: 'BAD_RANGE', hints: { segment: '3', pageCount: 1 } },
])('refuses to crop with $options', async ({ options, code, hints }) => {
  await expect(arrange({ action: 'crop', file: numbered(1), ...options })).rejects.toMatchObject({ code, hints })
})

test('keeps hidden layers hidden, document properties and attachments', async () => {
  const content = '/OC /Hidden BDC 0 g 0 0 50 50 re f EMC'
  const file = buildPdf(
    [
      '<< /Type /Catalog /Pages 2 0 R /Lang (de) /OCProperties << /OCGs [5 0 R] /D << /OFF [5 0 R] >> >> >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 200 200] >>',
      '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Properties << /Hidden 5 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /OCG /Name (Notes) >>',
      '<< /Title (Plan) >>',
    ],
    '/Info 6 0 R',
  )
  const { bytes } = await arrange({ action: 'n-up', file, perSheet: 2 })
  expect(renderPage(bytes).inkBox).toBeUndefined()
  expect(runQpdf(bytes, ['--json=2', '--json-key=qpdf', 'IN']).toString()).toContain('u:Plan')
})

test('opens what is encrypted, and breaks a signature only if it may', async () => {
  const file = runQpdf(plainPdf(2), ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  for (const options of [{ action: 'booklet' }, { action: 'resize' }, { action: 'crop', cut: { top: 5 } }]) {
    const answer = await arrange({ ...options, file, password: 'geheim' })
    expect(answer.warnings).toEqual(['ENCRYPTION_REMOVED'])
  }
  const signed = readFileSync('tasks/samples/signed.pdf')
  await expect(arrange({ action: 'booklet', file: signed })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  const answer = await arrange({ action: 'resize', file: signed, allowBreakSignatures: true })
  expect(answer.warnings).toEqual(['SIGNATURES_REMOVED'])
})
