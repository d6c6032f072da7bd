import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { drawScan, scanPdf } from '../../support/pdf/scans.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LIMIT = { timeout: 60_000 }
const LINES = [
  { text: 'The crane on the north quay', x: 20, y: 60 },
  { text: 'was inspected on Monday morning', x: 20, y: 90 },
  { text: 'and needs two cables', x: 20, y: 120 },
]
interface Page {
  page: number
  text: string
  confidence: number
  source: string
  rotation: number
  words?: { text: string; box: number[] }[]
  hocr?: string
}
const read = async (body: Record<string, unknown>) => {
  const answer = await runJob(pools, 'pdf.ocr', body)
  return {
    ...answer,
    pages: answer.result.pages as Page[],
    text: (answer.result.text as string).replaceAll(/\s+/g, ' '),
  }
}
const TEXT = 'The crane on the north quay was inspected on Monday morning and needs two cables'

test('reads a scan with the places of its words', LIMIT, async () => {
  const { text, pages, units } = await read({ file: await scanPdf(LINES), detail: 'words' })
  expect(text).toBe(TEXT)
  expect(pages[0]).toMatchObject({ page: 1, source: 'ocr', rotation: 0 })
  const quay = pages[0]!.words!.find(word => word.text === 'quay')!
  expect(quay.box[1]).toBeGreaterThan(45)
  expect(quay.box[3]).toBeLessThan(68)
  expect(pages[0]!.words![0]!.box[0]).toBeCloseTo(20, -1)
  expect(units).toBe(1)
})

test('reads pages upside down, at an angle, and faint ones', LIMIT, async () => {
  const turned = await read({ file: await scanPdf(LINES, { degrees: 180 }) })
  expect([turned.text, turned.pages[0]!.rotation]).toEqual([TEXT, 180])
  const leaning = await read({ file: await scanPdf(LINES, { degrees: 6 }), detail: 'words' })
  expect(leaning.text).toBe(TEXT)
  const [first, last] = ['The', 'quay'].map(name => leaning.pages[0]!.words!.find(({ text }) => text === name)!.box)
  expect(last![3]! - first![3]!).toBeGreaterThan(10)
  expect((await read({ file: await scanPdf(LINES, { ink: 190 }) })).text).toBe(TEXT)
})

test('leaves a page as it is that is read worse once it is turned', LIMIT, async () => {
  const { text, pages } = await read({ file: readFileSync('tasks/samples/passport.png') })
  expect([text.slice(0, 39), pages[0]!.rotation]).toEqual(['PASSPORT Utopia ERIKSSON ANNA MARIA P<U', 0])
})

test('keeps the text of digital pages unless forced, and reads a stamped scan', LIMIT, async () => {
  const file = readFileSync('tasks/samples/letter.pdf')
  const auto = await read({ file, detail: 'lines' })
  expect(auto.pages.map(({ source }) => source)).toEqual(['text-layer', 'text-layer'])
  expect((await read({ file, pages: '1', mode: 'force' })).pages).toMatchObject([{ page: 1, source: 'ocr' }])
  const stamped = await scanPdf(LINES, { content: 'BT /F 9 Tf 200 190 Td (No. 17) Tj ET' })
  expect((await read({ file: stamped })).text).toContain('inspected on Monday')
})

test('a blank page has no text', LIMIT, async () => {
  const { pages } = await read({ file: plainPdf(1, { width: 300 }), detail: 'hocr' })
  expect(pages).toMatchObject([{ text: '', confidence: 0, source: 'ocr' }])
  expect(pages[0]!.hocr).toContain('ocr_page')
})

test('reads images, with a page for each of a TIFF', LIMIT, async () => {
  const png = await drawScan(LINES).png().toBuffer()
  expect((await read({ file: png })).text).toBe(TEXT)
  const hocr = await read({ file: png, detail: 'hocr', psm: 6 })
  expect(hocr.pages[0]!.hocr).toMatch(/class="ocrx_word" title="bbox \d+ \d+ \d+ \d+; x_wconf \d+">crane</)
})

test('refuses a language that is not installed and pages that are not there', async () => {
  const file = await scanPdf(LINES)
  await expect(read({ file, languages: ['tlh'] })).rejects.toMatchObject({ code: 'LANGUAGE_UNSUPPORTED' })
  await expect(read({ file, pages: '2' })).rejects.toMatchObject({ code: 'BAD_RANGE' })
  const encrypted = runQpdf(file, ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  await expect(read({ file: encrypted })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test.each([
  { title: 'prose', file: Buffer.from('not a document at all') },
  { title: 'a truncated document', file: readFileSync('tasks/samples/scan.pdf').subarray(0, 300) },
  { title: 'a truncated image', file: readFileSync('tasks/samples/gradient.png').subarray(0, 60) },
])('rejects $title', async ({ file }) => {
  await expect(read({ file })).rejects.toMatchObject({
    code: expect.stringMatching(/PDF_PARSE_FAILED|IMAGE_DECODE_FAILED/),
  })
})
