import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { PdfReader, runQpdf } from '../../support/pdf/document.ts'
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
  { text: 'was inspected on Monday', x: 20, y: 90 },
]
const makeSearchable = (body: Record<string, unknown>) => runJob(pools, 'pdf.ocr-searchable', body)
const readText = (bytes: Uint8Array) => runProgram('pdftotext', ['-', '-'], bytes).replaceAll(/\s+/g, ' ').trim()
const render = (bytes: Uint8Array) => runProgram('sh', ['-c', 'pdftoppm -r 60 -gray - | md5sum'], bytes)

/** Where Poppler finds a word on the page as displayed, from the top left corner. */
function findWord(bytes: Uint8Array, word: string): number[] {
  const xml = runProgram('pdftotext', ['-bbox', '-cropbox', '-', '-'], bytes)
  const found = new RegExp(`xMin="([\\d.]+)" yMin="([\\d.]+)" xMax="([\\d.]+)" yMax="([\\d.]+)">${word}<`).exec(xml)
  return found?.slice(1).map(Number) ?? []
}

test('puts the words where the scan shows them and leaves the scan as it is', LIMIT, async () => {
  const file = await scanPdf(LINES)
  const { result, bytes, units, warnings } = await makeSearchable({ file, sidecar: true })
  expect(result).toMatchObject({ pages: 1, ocrPages: 1, skippedPages: 0 })
  expect(result.sidecarText).toContain('north quay')
  expect(readText(bytes)).toBe('The crane on the north quay was inspected on Monday')
  expect(render(bytes)).toBe(render(file))
  expect(bytes.length - file.length).toBeLessThan(3000)
  const [left, top, right, bottom] = findWord(bytes, 'The') as [number, number, number, number]
  expect([left, right].map(Math.round)).toEqual([expect.closeTo(20, -1), expect.closeTo(46, -1)])
  expect(top).toBeGreaterThan(42)
  expect(bottom).toBeLessThan(68)
  expect([units, warnings]).toEqual([8, []])
})

test.each([
  { title: 'turned pages', options: { page: '/Rotate 90', degrees: 270 } },
  { title: 'pages with an origin elsewhere, cropped', options: { box: [50, -70], page: '/CropBox [60 -70 340 130]' } },
  { title: 'pages scanned at an angle', options: { degrees: 5 } },
] as const)('finds the words of $title at their places', LIMIT, async ({ options }) => {
  const file = await scanPdf(LINES, options)
  const { bytes } = await makeSearchable({ file })
  const box = findWord(bytes, 'Monday')
  // The same word is read in a rendering of its place.
  const resolution = 200
  const rendering = Buffer.from(
    runProgram('sh', ['-c', `pdftoppm -cropbox -r ${resolution} -gray - | base64 -w0`], bytes),
    'base64',
  )
  const [, width, height] = /^P5\s+(\d+)\s+(\d+)/.exec(rendering.subarray(0, 40).toString('latin1'))!.map(Number)
  const pixels = rendering.subarray(rendering.length - width! * height!)
  const [left, top, right, bottom] = box.map(value => Math.round((value * resolution) / 72)) as [
    number,
    number,
    number,
    number,
  ]
  const region = { left: left - 4, top: top - 4, width: right - left + 8, height: bottom - top + 8 }
  const cut = sharp(pixels, { raw: { width: width!, height: height!, channels: 1 } }).extract(region)
  const png = await cut.extend({ top: 30, bottom: 30, left: 30, right: 30, background: '#fff' }).png().toBuffer()
  expect(runProgram('tesseract', ['-', '-', '--psm', '7'], png)).toContain('Monday')
})

test('keeps links, fields and bookmarks, and skips pages with text', LIMIT, async () => {
  const page = '/Annots [7 0 R]'
  const objects = ['<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://example.com) >> >>']
  const scan = await makeSearchable({ file: await scanPdf(LINES, { page, objects }) })
  expect(new PdfReader(scan.bytes).pages[0]!['/Annots']).toHaveLength(1)
  const file = readFileSync('tasks/samples/letter.pdf')
  const letter = await makeSearchable({ file })
  expect(letter.result).toMatchObject({ ocrPages: 0, skippedPages: 2 })
  expect(letter.bytes.equals(file)).toBe(true)
  expect(letter.chargedMicros).toBe(2000n)
})

test('replaces an earlier text layer, and draws pages anew if forced', LIMIT, async () => {
  const wrong = await scanPdf(LINES, {
    content: 'BT 3 Tr /F 9 Tf 20 150 Td (Wrong words of an earlier recognition, with many more of them here) Tj ET',
  })
  const kept = await makeSearchable({ file: wrong })
  expect(kept.result).toMatchObject({ ocrPages: 0 })
  const redone = await makeSearchable({ file: wrong, mode: 'redo' })
  expect(readText(redone.bytes)).toBe('The crane on the north quay was inspected on Monday')
  const forced = await makeSearchable({ file: wrong, mode: 'force' })
  expect(readText(forced.bytes)).not.toContain('Wrong')
  expect(readText(forced.bytes)).toContain('north quay')
  expect(forced.warnings).toEqual(['PAGES_RERENDERED'])
})

test('reads other scripts in their own order', LIMIT, async () => {
  const arabic = [{ text: 'مرحبا بكم في المدينة', x: 150, y: 90 }]
  const file = await scanPdf(arabic, { font: 'Noto Sans Arabic' })
  const { bytes, result } = await makeSearchable({ file, languages: ['ar'], sidecar: true })
  expect(result.sidecarText).toContain('المدينة')
  const words = readText(bytes)
    .replaceAll(/[\u200e\u200f\u202a-\u202e]/g, '')
    .split(/\s+/)
  expect(words).toEqual(expect.arrayContaining(['في', 'المدينة']))
})

test('turns an image into a searchable document', LIMIT, async () => {
  const { bytes } = await makeSearchable({ file: await drawScan(LINES).png().toBuffer() })
  expect(readText(bytes)).toContain('north quay')
})

test('refuses signed documents unless told to', LIMIT, async () => {
  const signed = Buffer.from(
    (await scanPdf(LINES)).toString('latin1').replace('/Catalog', '/Catalog /AcroForm << /SigFlags 3 /Fields [] >>'),
    'latin1',
  )
  const file = runQpdf(signed, ['IN', '--warning-exit-0', 'OUT'])
  await expect(makeSearchable({ file })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  expect((await makeSearchable({ file, allowBreakSignatures: true })).warnings).toEqual(['SIGNATURES_REMOVED'])
  await expect(makeSearchable({ file: file.subarray(0, 300) })).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})
