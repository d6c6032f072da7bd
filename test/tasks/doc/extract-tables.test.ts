import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { convertWithOffice } from '../../support/machine/office.ts'
import { drawPage, gridLines } from '../../support/pdf/ruled.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
const folder = mkdtempSync(join(tmpdir(), 'tables-'))
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await pools[Symbol.asyncDispose]()
})

interface Table {
  method: string
  rows: number
  cols: number
  headerRows: number
  caption?: string
  box: { x: number; y: number; width: number; height: number }
  cells: { r: number; c: number; rowSpan: number; colSpan: number; text: string; number?: number }[]
  html?: string
  markdown?: string
}

async function extract(body: Record<string, unknown>) {
  const answer = await runJob(pools, 'doc.extract-tables', { languages: ['eng'], ...body }, { limitSeconds: 120 })
  return { ...answer, tables: answer.result.tables as Table[] }
}

function listRows({ rows, cells }: Table): string[] {
  const texts = ({ r }: { r: number }) => cells.filter(cell => cell.r === r).map(describe)
  const describe = ({ text, rowSpan, colSpan }: Table['cells'][number]) =>
    rowSpan * colSpan > 1 ? `${text} ${rowSpan}x${colSpan}` : text
  return Array.from({ length: rows }, (_, r) => texts({ r }).join(' | '))
}

const PRICES = readFileSync('tasks/samples/price-list.pdf')
const RULED = ['Item | Unit | Price 2025 | Price 2026', 'Mooring line | 20 m | 1.240,50 € | 1.310,00 €']

/** A head over two columns, a cell over two rows with two lines of text, and a blank cell. */
const SPANS = drawPage({
  texts: [
    ...[[25, 35, 'Region'] as const, [145, 35, 'Year 2025'] as const],
    ...[[105, 57, 'Spring'] as const, [185, 57, 'Autumn'] as const],
    ...[[25, 79, 'North sea'] as const, [25, 91, 'and islands'] as const],
    ...[[105, 79, '(12)'] as const, [105, 101, '7'] as const, [185, 101, '8'] as const],
  ].map(([x, y, text]): [number, number, string] => [x, y, text]),
  lines: [
    ...gridLines([20, 260], [20, 108]),
    ...gridLines([100, 260], [20, 42, 64, 86, 108]).slice(0, 5),
    ...[[20, 64, 100, 64] as const, [100, 20, 100, 108] as const, [180, 42, 180, 108] as const],
  ].map(([a, b, c, d]): [number, number, number, number] => [a, b, c, d]),
})

test('reads tables with lines and without', async () => {
  const { tables, chargedMicros, result } = await extract({ file: PRICES, numbers: 'parse' })
  expect(result).toMatchObject({ source: 'text-layer', engine: 'local' })
  expect(chargedMicros).toBe(20000n)
  const [ruled, aligned] = tables
  expect(ruled).toMatchObject({ method: 'lattice', headerRows: 1, caption: 'Table 1: Prices of the stores' })
  expect(listRows(ruled!).slice(0, 2)).toEqual(RULED)
  expect(ruled!.cells.flatMap(({ number }) => number ?? [])).toEqual([1240.5, 1310, 89.9, 94.9, 42, -3.5])
  expect(ruled!.box.x).toBeCloseTo(0.1, 2)
  expect(aligned).toMatchObject({ method: 'stream', rows: 4, cols: 4, headerRows: 1 })
  expect(listRows(aligned!)[2]).toBe('Rope | 35 | (15) | 20')
  expect(aligned!.cells.find(({ text }) => text === '(15)')).toMatchObject({ r: 2, c: 2, number: -15 })
  expect((await extract({ file: PRICES, mode: 'lattice' })).tables.map(({ method }) => method)).toEqual(['lattice'])
})

const COLUMNS = [30, 150, 230, 310]
const STOCK = [
  'Item',
  '2024',
  '2025',
  '2026',
  'Rope',
  '35',
  '15',
  '20',
  'Chain',
  '7',
  '8',
  '9',
  'Anchor',
  '1',
  '2',
  '3',
]
const STOCK_TEXTS = STOCK.map((text, index): [number, number, string] => [
  COLUMNS[index % 4]!,
  52 + Math.floor(index / 4) * 20,
  text,
])

/** Lines that are not those of the cells; the rows of the table are 20 points apart, from 40 on. */
const MARKS: [what: string, marks: Parameters<typeof drawPage>[0]][] = [
  ['a frame with a rule below the head', { lines: gridLines([20, 380], [38, 58, 118]) }],
  ['one line beside the labels', { lines: [...gridLines([20, 140, 380], [38, 58]), [140, 38, 140, 118]] }],
  ['groups of two rows', { lines: gridLines([20, 380], [38, 78, 118]) }],
  ['bands of colour', { fills: [0.7, 0.9, 1, 0.9].map((grey, row) => [20, 38 + row * 20, 360, 20, grey]) }],
]
test.each(MARKS)('reads a table by its gaps within %s', async (_, marks) => {
  const { tables } = await extract({ file: drawPage({ texts: STOCK_TEXTS, ...marks }) })
  expect(tables.map(({ method, rows, cols }) => ({ method, rows, cols }))).toEqual([
    { method: 'stream', rows: 4, cols: 4 },
  ])
})

test('keeps, repeats or blanks cells over several places', async () => {
  const { tables } = await extract({ file: SPANS })
  expect(tables.map(listRows)).toEqual([
    ['Region 2x1 | Year 2025 1x2', 'Spring | Autumn', 'North sea and islands 2x1 | (12) | ', '7 | 8'],
  ])
  expect(tables[0]!.headerRows).toBe(2)
  const repeated = await extract({ file: SPANS, merge: 'repeat', format: 'csv' })
  const csv =
    'Region,Year 2025,Year 2025\nRegion,Spring,Autumn\nNorth sea and islands,(12),\nNorth sea and islands,7,8\n'
  expect(repeated.files.map(({ bytes }) => bytes.toString())).toEqual([csv])
  const {
    tables: [html],
  } = await extract({ file: SPANS, format: 'html', header: 'none' })
  expect(html!.html).toMatch(/^<table><tbody><tr><td rowspan="2">Region<\/td><td colspan="2">Year 2025<\/td><\/tr>/)
  const {
    tables: [markdown],
  } = await extract({ file: SPANS, format: 'markdown', merge: 'blank', header: 'first-row' })
  expect(markdown!.markdown).toMatch(
    /^\| Region \| Year 2025 \| {2}\|\n\| --- \| --- \| --- \|\n\| {2}\| Spring \| Autumn \|/,
  )
})

test('writes a workbook that LibreOffice reads', async () => {
  const { bytes } = await extract({ file: SPANS, format: 'xlsx', numbers: 'parse' })
  writeFileSync(join(folder, 'tables.xlsx'), bytes)
  await convertWithOffice(folder, 'csv', ['tables.xlsx'])
  const csv = 'Region,Year 2025,\n,Spring,Autumn\nNorth sea and islands,-12,\n,7,8\n'
  expect(readFileSync(join(folder, 'tables.csv'), 'utf8')).toBe(csv)
})

test('reads pages that are turned, scanned or slant', async () => {
  const turned = drawPage({
    matrix: '0 1 -1 0 350 0 cm',
    texts: [0, 1, 2].flatMap(r =>
      [0, 1, 2].map((c): [number, number, string] => [20 + c * 80, 40 + r * 22, `r${r}c${c}`]),
    ),
    lines: gridLines([15, 95, 175, 255], [25, 47, 69, 91]),
  })
  const rows = ['r0c0 | r0c1 | r0c2', 'r1c0 | r1c1 | r1c2', 'r2c0 | r2c1 | r2c2']
  expect((await extract({ file: turned })).tables.map(listRows)).toEqual([rows])
  const scan = join(folder, 'scan')
  writeFileSync(`${scan}.pdf`, PRICES)
  execFileSync('pdftoppm', ['-r', '150', '-gray', '-png', '-singlefile', `${scan}.pdf`, scan])
  const { tables, result } = await extract({ file: readFileSync(`${scan}.png`) })
  expect(result.source).toBe('ocr')
  expect(tables.map(({ method }) => method)).toEqual(['lattice', 'stream'])
  expect(listRows(tables[0]!)[0]).toBe(RULED[0])
  const slanted = await sharp(`${scan}.png`).rotate(1.2, { background: '#ffffff' }).jpeg().toBuffer()
  const { tables: found } = await extract({ file: slanted, mode: 'lattice' })
  expect(found).toMatchObject([{ rows: 4, cols: 4 }])
  expect(listRows(found[0]!)[0]).toMatch(/Unit .* Price 2026$/)
})

test('finds no table where there is none', async () => {
  const column = (x: number) =>
    Array.from({ length: 9 }, (_, index): [number, number, string] => {
      return [x, 60 + index * 12, 'the harbour is quiet and the lamps']
    })
  const prose = drawPage({
    texts: [...column(20), ...column(210)],
    lines: [
      [20, 40, 380, 40],
      [20, 200, 380, 200],
    ],
  })
  expect(await extract({ file: prose })).toMatchObject({ tables: [], warnings: [] })
  const blank = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  expect(await extract({ file: blank, format: 'csv' })).toMatchObject({
    tables: [],
    files: [],
    warnings: ['NO_TEXT_FOUND'],
  })
  const cases: [Record<string, unknown>, string][] = [
    [{ file: readFileSync('tasks/samples/letter.pdf') }, 'TOO_MANY_PAGES'],
    [{ file: PRICES, page: 2 }, 'BAD_RANGE'],
    [{ file: PRICES.subarray(0, 300) }, 'PDF_PARSE_FAILED'],
    [{ file: blank.subarray(0, 60) }, 'IMAGE_DECODE_FAILED'],
  ]
  for (const [body, code] of cases) await expect(extract(body), code).rejects.toMatchObject({ code })
})

test.each(['classic', 'modern'])('keeps the rows of a %s invoice apart from what stands above them', async template => {
  const invoice = {
    seller: { name: 'Muster GmbH', city: 'Berlin', country: 'DE' },
    buyer: { name: 'Exemple SARL', address: ['12 rue de la Paix'], city: 'Paris', postcode: '75001', country: 'FR' },
    ...{ number: 'R-7', issueDate: '2026-02-01', dueDate: '2026-03-01', currency: 'EUR', template },
    items: [
      { description: 'Consulting', quantity: '3.5', unitPrice: '80', taxRate: '20' },
      { description: 'Travel', quantity: '1', unitPrice: '120.5', taxRate: '20' },
    ],
  }
  const { bytes } = await runJob(pools, 'generate.invoice', invoice)
  const { tables } = await extract({ file: Buffer.from(bytes!) })
  const texts = listRows(tables.at(-1)!).map(row => row.replace(/(?: \| )+/g, ' | ').replace(/^ \| /, ''))
  expect(texts).toEqual([
    'Description | Quantity | Price | Tax | Amount',
    'Consulting | 3.5 | €80.00 | 20 % | €280.00',
    'Travel | 1 | €120.50 | 20 % | €120.50',
    ...['Net | €400.50', 'Tax 20 % | €80.10', 'Total | €480.60'],
  ])
})
