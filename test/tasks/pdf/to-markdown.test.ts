import { readFileSync } from 'node:fs'
import MarkdownIt from 'markdown-it'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { type TypesetLine, typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const convert = (file: Uint8Array, body: object = {}) => runJob(pools, 'pdf.to-markdown', { file, ...body })
const convertToMarkdown = async (...pages: TypesetLine[][]) =>
  (await convert(typesetPages(pages))).result.markdown as string
const renderHtml = (text: string) => new MarkdownIt().render(text).replaceAll('\n', '')

const WORDS = 'the quick brown fox jumps over the lazy dog and then rests'
const repeatLine = (x: number, top: number, count: number, text = WORDS, step = 13): TypesetLine[] =>
  Array.from({ length: count }, (_, index) => [x, top + index * step, text])

test('recognises headings, paragraphs and text styles', async () => {
  const text = await convertToMarkdown([
    [40, 50, 'A report on', { size: 22, font: 'B' }],
    [40, 75, 'harbours', { size: 22, font: 'B' }],
    [40, 110, 'Stores', { size: 15 }],
    [40, 130, 'Oil for forty nights and rope for the boats, bread for the winter and candles be-'],
    [40, 143, 'sides. It is '],
    [94, 143, 'very', { font: 'B' }],
    [116, 143, 'cold and ', { font: 'R' }],
    [158, 143, 'dark', { font: 'I' }],
    [40, 180, 'A second paragraph with *stars* and [brackets] stands further down on this page.'],
    [40, 210, 'A bold line', { font: 'B' }],
    [40, 223, 'heads what follows it.'],
  ])
  expect(text.split('\n\n')).toEqual([
    '# A report on harbours',
    '## Stores',
    'Oil for forty nights and rope for the boats, bread for the winter and candles besides. It is **very** cold and *dark*',
    'A second paragraph with \\*stars\\* and \\[brackets\\] stands further down on this page.',
    '### A bold line',
    'heads what follows it.',
  ])
})

const BODY: TypesetLine = [40, 300, 'Oil for forty nights and rope for the boats, bread for the winter and candles.']

test.each([
  [
    ['Stores', 'Bread'],
    ['Stores', 'Bread'],
  ],
  [
    ['1 Stores that are in the house of the harbour', '1.1 Bread'],
    ['1 Stores that are in the house of the harbour', '1.1 Bread'],
  ],
  [['A history of', 'Rome'], ['A history of Rome']],
  [
    ['Stores that are in the house beside', 'Harbours of the north'],
    ['Stores that are in the house beside Harbours of the north'],
  ],
])('reads the lines %j as the headings %j', async (lines, headings) => {
  const typeset = lines.map((text, index): TypesetLine => [40, 50 + index * 24, text, { size: 20 }])
  const text = await convertToMarkdown([...typeset, BODY, ...repeatLine(40, 320, 6)])
  expect(text.split('\n\n').filter(block => block.startsWith('#'))).toEqual(headings.map(heading => `# ${heading}`))
})

test('reads columns one after the other, below a heading that spans them', async () => {
  const text = await convertToMarkdown([
    [40, 50, 'A title across the whole of the page as wide as both', { size: 14 }],
    ...repeatLine(40, 80, 6, 'left column runs here and on'),
    ...repeatLine(215, 80, 6, 'right column is another text'),
  ])
  const order = ['A title', 'left column', 'right column'].map(start => text.indexOf(start))
  expect(order).toEqual([...order].sort((a, b) => a - b))
  expect(text.lastIndexOf('left')).toBeLessThan(text.indexOf('right'))
})

test('writes nested lists and joins divided items', async () => {
  const text = await convertToMarkdown([
    [40, 50, 'Take along what is needed for the way:'],
    [40, 70, '• bread and'],
    [48, 83, 'butter'],
    [54, 96, '• salted'],
    [40, 109, '• water'],
    [40, 130, '1. first'],
    [40, 143, '2. second'],
  ])
  expect(text).toContain('- bread and butter\n  - salted\n- water')
  expect(text).toContain('1. first\n2. second')
  expect(renderHtml(text)).toContain('<ol><li>first</li><li>second</li></ol>')
})

test('recognises tables without ruling lines', async () => {
  const text = await convertToMarkdown([
    ...repeatLine(40, 40, 2),
    [40, 90, 'Name', { font: 'B' }],
    [160, 90, 'Price', { font: 'B' }],
    [260, 90, 'Left', { font: 'B' }],
    [40, 104, 'Rope | hemp'],
    [160, 104, '12.50'],
    [260, 104, '3'],
    [40, 118, 'Oil'],
    [260, 118, '40'],
    [40, 132, 'Lamp'],
    [160, 132, '7.00'],
    [160, 144, 'with wick'],
    [260, 132, '1'],
    ...repeatLine(40, 190, 2),
  ])
  expect(text).toContain(
    [
      '| **Name** | **Price** | **Left** |',
      '| --- | --- | --- |',
      '| Rope \\| hemp | 12.50 | 3 |',
      '| Oil |  | 40 |',
    ].join('\n'),
  )
  expect(text).toContain('| Lamp | 7.00 with wick | 1 |')
  expect(text.match(/quick brown/g)).toHaveLength(4)
})

test('keeps code unchanged', async () => {
  const text = await convertToMarkdown([
    ...repeatLine(40, 40, 3),
    [40, 100, 'if (a < b) {', { font: 'M' }],
    [52, 113, '  return *a', { font: 'M' }],
    [40, 126, '}', { font: 'M' }],
  ])
  expect(text).toMatch(/```\nif \(a < b\) \{\n +return \*a\n\}\n```$/)
})

const LOREM = ['The first line.', 'The second line.', 'The third line.', 'The fourth line.']

test.each([
  ['all of a page', ['Ticket 1', 'Ticket 2', 'Ticket 3'], []],
  [
    'a line that counts on a page with little else',
    ['Ticket 7', 'Ticket 8', 'Ticket 9'],
    ['Gate 4', 'Gate 5', 'Gate 6'],
  ],
  ['a number that belongs to a code', ['Invoice 2026-001', 'Invoice 2026-002', 'Invoice 2026-003'], LOREM],
])('keeps %s that looks like a running line', async (_, titles, below) => {
  const file = typesetPages(
    titles.map((title, index) => [
      [40, 30, title],
      ...(below === LOREM ? LOREM : below.slice(index, index + 1)).map(
        (text, line) => [40, 200 + 20 * line, text] as TypesetLine,
      ),
    ]),
  )
  const { result } = await convert(file)
  expect(result.needsOcr).toEqual([])
  for (const text of [...titles, ...below]) expect(result.markdown).toContain(text)
})

test('omits running headers and footers unless told to keep them', async () => {
  const file = typesetPages(
    [1, 2, 3, 4].map(
      page => [[40, 20, 'Annual report'], ...repeatLine(40, 100, 3), [190, 590, `Page ${page}`]] as TypesetLine[],
    ),
  )
  const { result } = await convert(file, { pageBreaks: 'comment' })
  expect(result.markdown).not.toMatch(/Annual|Page \d/)
  expect(result.markdown).toMatch(/^<!-- page 1 -->[\s\S]*<!-- page 4 -->/)
  expect((await convert(file, { keepRunningLines: true })).result.markdown).toMatch(/Annual report[\s\S]*Page 4/)
})

test('writes external links and lists headings and pages that need OCR', async () => {
  const content = 'BT /F 10 Tf 20 150 Td (See our page for more) Tj ET'
  const linked = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 2 /Kids [3 0 R 6 0 R] /MediaBox [0 0 300 200] >>',
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> /Annots [7 0 R] >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R >>',
    '<< /Type /Annot /Subtype /Link /Rect [18 145 130 162] /A << /S /URI /URI (https://example.com/a) >> >>',
  ])
  const { result, units } = await convert(linked)
  expect(result.markdown).toMatch(/\[.*See our page.*\]\(https:\/\/example\.com\/a\)/)
  expect([result.needsOcr, result.pageCount, units]).toEqual([[2], 2, 2])
  const report = await convert(readFileSync('tasks/samples/letter.pdf'), { pages: '2' })
  expect(report.units).toBe(1)
  expect(report.result.headings).toMatchObject([{ text: 'Stores', page: 2 }])
})

test('opens an encrypted document and reads text without spaces', async () => {
  const file = runQpdf(readFileSync('tasks/samples/letter.pdf'), [
    '--encrypt',
    'geheim',
    'owner',
    '256',
    '--',
    'IN',
    'OUT',
  ])
  expect((await convert(file, { password: 'geheim' })).result.markdown).toContain('Harbour report')
  const stamp = { text: '日本語', rotation: 0, fontSize: 20, opacity: 1 }
  const { bytes } = await runJob(pools, 'pdf.watermark', { file: plainPdf(1, { width: 300 }), ...stamp })
  expect((await convert(bytes)).result.markdown).toContain('日本語')
})

test.each([
  { title: 'a page that does not exist', body: { pages: '9' }, code: 'BAD_RANGE' },
  { title: 'a broken document', body: { file: Buffer.from('%PDF-1.7 broken') }, code: 'PDF_PARSE_FAILED' },
])('rejects $title', async ({ body, code }) => {
  await expect(convert(plainPdf(1), body)).rejects.toMatchObject({ code })
})
