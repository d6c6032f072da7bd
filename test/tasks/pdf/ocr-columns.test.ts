import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { scanPdf } from '../../support/pdf/scans.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LIMIT = { timeout: 60_000 }
const [FIRST, PITCH] = [60, 20]

/** Cells of a scanned page, row by row. */
function place(rows: readonly string[][], width: number) {
  return rows.flatMap((cells, row) =>
    cells.map((text, column) => ({ text, x: 12 + column * width, y: FIRST + row * PITCH })),
  )
}

const read = async (lines: { text: string; x: number; y: number }[]) => {
  const { result } = await runJob(pools, 'pdf.ocr', { file: await scanPdf(lines), detail: 'lines' })
  return result as { text: string; pages: { lines: { text: string; box: number[] }[] }[] }
}
const listLines = (text: string) => text.split('\n').filter(Boolean)

const LEFT = ['The harbour was', 'closed at noon,', 'because of the', 'strong wind.']
const RIGHT = ['Nobody was hurt,', 'and the boats', 'came back in', 'the evening.']

test('reads one of two paragraphs after the other that stand side by side', LIMIT, async () => {
  const title = { text: 'Harbour and island news of this week', x: 12, y: 30 }
  const { text, pages } = await read([
    title,
    ...place(
      LEFT.map((line, row) => [line, RIGHT[row]!]),
      155,
    ),
  ])
  expect(listLines(text)).toEqual([title.text, ...LEFT, ...RIGHT])
  const lines = pages[0]!.lines
  expect(lines.map(line => line.text)).toEqual([title.text, ...LEFT, ...RIGHT])
  expect(lines[1]!.box[2]).toBeLessThan(155)
  expect(lines[5]!.box[0]).toBeGreaterThan(155)
})

test('reads the longer of two paragraphs to its end before the other', LIMIT, async () => {
  const rows = [...LEFT.map((line, row) => [line, RIGHT[row]!]), []]
  const longer = (column: number) => [
    ...place(rows, 155),
    { text: 'It was a long day.', x: 12 + column * 155, y: FIRST + 4 * PITCH },
  ]
  expect(listLines((await read(longer(0))).text)).toEqual([...LEFT, 'It was a long day.', ...RIGHT])
  expect(listLines((await read(longer(1))).text)).toEqual([...LEFT, ...RIGHT, 'It was a long day.'])
})

test.each([
  [
    'a list of names and values',
    155,
    [
      ['Name', 'Ada Lovelace'],
      ['City', 'London'],
      ['Born', 'in 1815'],
      ['Phone', '555 0101'],
    ],
  ],
  [
    'a form',
    155,
    [
      ['Date of birth:', 'the tenth of May'],
      ['Place of birth:', 'London, England'],
      ['Name of ship:', 'Grey Heron, ketch'],
    ],
  ],
  [
    'a table',
    100,
    [
      ['Item', 'Count', 'Price'],
      ['rope', '4', '12.50'],
      ['lamp oil', '10', '3.20'],
      ['anchor', '8', '99.00'],
    ],
  ],
  [
    'a list of words',
    155,
    [
      ['low water', 'the lowest tide'],
      ['neap tide', 'a small tide'],
      ['spring tide', 'a large tide'],
    ],
  ],
])('reads %s row by row', LIMIT, async (_, width, rows) => {
  const { text } = await read(place(rows, width))
  expect(listLines(text)).toEqual(rows.map(cells => cells.join(' ')))
})
