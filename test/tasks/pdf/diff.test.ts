import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { describeLeftOut } from '../../../tasks/pdf/diff/left-out.ts'
import { buildPdf, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { extractText, renderPage } from '../../support/pdf/inspect.ts'
import { type TypesetLine, typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

interface Differences {
  identical: boolean
  summary: { inserted: number; deleted: number; changedPages: number }
  pages: {
    a: number | null
    b: number | null
    status: string
    changes: { op: string; textA: string; textB: string; boxA: number[] | null; boxB: number[] | null }[]
    pixelRatio?: number
    regions?: number[][]
  }[]
}

const LETTER = readFileSync('tasks/samples/letter.pdf')
const REVISED = readFileSync('tasks/samples/letter-revised.pdf')

async function compare(a: Uint8Array, b: Uint8Array, options: object = {}) {
  const answer = await runJob(pools, 'pdf.diff', { a, b, ...options })
  return { ...answer, found: answer.result as unknown as Differences }
}

const listPages = ({ pages }: Differences) => pages.map(({ a, b, status }) => `${a ?? '-'} ${b ?? '-'} ${status}`)
const listChanges = ({ pages }: Differences) =>
  pages.flatMap(({ changes }) => changes.map(({ op, textA, textB }) => [op, textA, textB]))

test('finds changed words, and an inserted page changes no other', async () => {
  const { found, units, chargedMicros, warnings } = await compare(LETTER, REVISED)
  expect([units, chargedMicros, warnings]).toEqual([3, 6000n, []])
  expect(listPages(found)).toEqual(['1 1 changed', '- 2 added', '2 3 same'])
  expect(listChanges(found)).toEqual([
    ['replace', 'Monday.', 'Tuesday.'],
    ['insert', '', 'Weather Fog on nine days, a gale on the tenth.'],
  ])
  expect(found).toMatchObject({ identical: false, summary: { inserted: 11, deleted: 1, changedPages: 2 } })
  const [change] = found.pages[0]!.changes
  expect([change!.boxA![0]!, change!.boxB![0]!].map(Math.round)).toEqual([181, 72])
})

test('finds no difference between a document and itself', async () => {
  const { found, chargedMicros } = await compare(LETTER, LETTER, { mode: 'both', dpi: 50 })
  expect([found.identical, chargedMicros]).toEqual([true, 8000n])
  expect(found.pages.map(({ pixelRatio, regions }) => [pixelRatio, regions])).toEqual([
    [0, []],
    [0, []],
  ])
})

/** Numbered sentences, `perPage` lines on each page. */
function typesetSentences(sentences: readonly string[], perPage: number, header = ''): Buffer {
  const pages: TypesetLine[][] = []
  for (let first = 0; first < sentences.length; first += perPage) {
    const lines = sentences.slice(first, first + perPage)
    const number = pages.length + 1
    pages.push([
      ...(header ? [[40, 30, header] satisfies TypesetLine, [190, 580, `Page ${number}`] satisfies TypesetLine] : []),
      ...lines.map((text, index): TypesetLine => [40, 120 + index * 20, text]),
    ])
  }
  return typesetPages(pages)
}

const SENTENCES = Array.from(
  { length: 12 },
  (_, at) => `Clause ${at} binds the ${'abcdefghijkl'[at]?.repeat(4)} party.`,
)

test('follows text from page to page', async () => {
  const [short, long] = [typesetSentences(SENTENCES, 4), typesetSentences(SENTENCES, 3)]
  const { found } = await compare(short, long)
  expect(found).toMatchObject({ identical: true, summary: { inserted: 0, deleted: 0 } })
  const { found: byPage } = await compare(short, long, { flow: 'page' })
  expect(byPage.identical).toBe(false)
  expect(byPage.pages.filter(({ status }) => status === 'added')).toHaveLength(1)
})

test('marks no page beside an inserted or a removed one, though they begin and end alike', async () => {
  const inserted = Array.from({ length: 4 }, (_, at) => `Clause 9${at} binds the zzzz party.`)
  const short = typesetSentences(SENTENCES, 4)
  const long = typesetSentences(SENTENCES.toSpliced(4, 0, ...inserted), 4)
  const fixed = typesetSentences(SENTENCES.toSpliced(4, 0, ...inserted).with(0, 'Nothing binds us.'), 4)
  expect(listPages((await compare(short, long)).found)).toEqual(['1 1 same', '- 2 added', '2 3 same', '3 4 same'])
  expect(listPages((await compare(long, short)).found)).toEqual(['1 1 same', '2 - removed', '3 2 same', '4 3 same'])
  const { found } = await compare(short, fixed)
  expect(listPages(found)).toEqual(['1 1 changed', '- 2 added', '2 3 same', '3 4 same'])
  expect(found.pages[1]!.changes.map(({ textB }) => textB)).toEqual([inserted.join(' ')])
})

test('takes what is all of a page, or counts on a page with little else, for its content', async () => {
  const typeset = (texts: string[]) => typesetPages(texts.map(text => [[40, 30, text]]))
  const tickets = typeset(['Ticket 1', 'Ticket 2', 'Ticket 3'])
  const vouchers = typeset(['Voucher 1: free entry', 'Voucher 2: free entry', 'Voucher 3: free entry'])
  expect((await compare(tickets, vouchers)).found.identical).toBe(false)
  const totals = (unit: string) => typeset([5, 6, 7].map(total => `Total ${total}${unit} EUR`))
  const { found } = await compare(totals(''), totals('0'))
  expect(found.summary).toMatchObject({ inserted: 3, deleted: 3, changedPages: 3 })
})

test('ignores headers, page numbers and slanted watermarks unless they count', async () => {
  const [one, other] = [typesetSentences(SENTENCES, 4, 'Draft of May'), typesetSentences(SENTENCES, 3, 'Final text')]
  expect((await compare(one, other)).found.identical).toBe(true)
  const ignore = { headersFooters: false }
  expect(listChanges((await compare(one, other, { ignore })).found)).toContainEqual([
    'replace',
    'Draft of May',
    'Final text',
  ])
  const stamped = buildPage('BT /F 12 Tf 50 700 Td (The text) Tj ET BT /F 60 Tf .7 .7 -.7 .7 150 300 Tm (DRAFT) Tj ET')
  const plain = buildPage('BT /F 12 Tf 50 700 Td (The text) Tj ET')
  expect((await compare(stamped, plain)).found.identical).toBe(true)
  expect((await compare(stamped, plain, { ignore })).found.identical).toBe(false)
})

test('names the running lines that differ, once, and none that are the same', async () => {
  const typeset = (header: string, perPage: number) => typesetSentences(SENTENCES, perPage, header)
  const [old, renewed] = ['Contract No. 17 of 1 March 2026', 'Contract No. 18 of 9 March 2026']
  for (const perPage of [4, 3]) {
    const { found, warnings } = await compare(typeset(old, 4), typeset(renewed, perPage))
    expect([found.identical, warnings]).toEqual([true, ['HEADERS_DIFFER']])
  }
  expect((await compare(typeset(old, 4), typeset(old, 3))).warnings).toEqual([])
  const { warnings: added } = await compare(typesetSentences(SENTENCES, 4), typeset(old, 4))
  expect(added).toEqual(['HEADERS_DIFFER'])
  const { found, warnings } = await compare(typeset(old, 4), typeset(renewed, 4), { ignore: { headersFooters: false } })
  expect([found.identical, warnings]).toEqual([false, []])
})

test('the warning says which lines were left out, and where', () => {
  const [warning] = describeLeftOut({ a: ['Contract No. 17 '], b: ['Contract No. 18', 'Secret'] })
  expect(warning!.message).toContain(
    '"Contract No. 17" in a, "Contract No. 18" in b, "Secret" in b. Set ignore.headersFooters',
  )
  expect(describeLeftOut({ a: [], b: [] })).toEqual([])
})

test('takes no other count of pages for another running line', async () => {
  const typeset = (total: number, perPage: number, title: string) =>
    typesetPages(
      Array.from({ length: total }, (_, page): TypesetLine[] => [
        ...SENTENCES.slice(page * perPage, (page + 1) * perPage).map(
          (text, index): TypesetLine => [40, 120 + index * 20, text],
        ),
        [40, 580, `${title} - Page ${page + 1} of ${total}`],
      ]),
    )
  const one = typeset(3, 4, 'Contract No. 17')
  const same = await compare(one, typeset(4, 3, 'Contract No. 17'))
  expect([same.found.identical, same.warnings]).toEqual([true, []])
  const { warnings } = await compare(one, typeset(3, 4, 'Contract No. 18'))
  expect(warnings).toEqual(['HEADERS_DIFFER'])
})

test('white space and case count on request', async () => {
  const one = typesetPages([
    [
      [40, 120, 'The new instru-'],
      [40, 140, 'ments of the Harbour'],
    ],
  ])
  const other = typesetPages([[[40, 120, 'the new instruments of the harbour']]])
  const listOf = async (ignore: object) => listChanges((await compare(one, other, { ignore })).found)
  expect(await listOf({ case: true })).toEqual([])
  expect(await listOf({})).toEqual([
    ['replace', 'The', 'the'],
    ['replace', 'Harbour', 'harbour'],
  ])
  expect(await listOf({ case: true, whitespace: false })).toEqual([['replace', 'instru-\nments', 'instruments']])
})

test('sees what has no text', async () => {
  const [one, other] = ['100 600', '100 500'].map(at => buildPage(`1 0 0 rg ${at} 80 40 re f`))
  const { found, warnings } = await compare(one!, other!)
  expect([found.identical, warnings]).toEqual([true, ['NO_TEXT_USE_VISUAL']])
  const { found: seen, warnings: none } = await compare(one!, other!, { mode: 'visual' })
  expect(none).toEqual([])
  expect(listPages(seen)).toEqual(['1 1 changed'])
  const [page] = seen.pages
  expect(page!.pixelRatio).toBeCloseTo((2 * 80 * 40) / (595 * 842), 3)
  expect(page!.regions!.map(region => region.map(side => Math.round(side / 20) * 20))).toEqual([
    [100, 300, 180, 340],
    [100, 200, 180, 240],
  ])
  expect((await compare(one!, other!, { mode: 'visual', threshold: 1 })).found.identical).toBe(true)
})

test('pairs pages without text by their looks, and sees a page of another size', async () => {
  const draw = (content: string) => buildPage(content)
  const [red, blue] = [draw('1 0 0 rg 0 0 595 400 re f'), draw('0 0 1 rg 300 0 295 842 re f')]
  const both = runQpdf(red, ['IN', '--pages', 'IN', '1', 'IN', '1', '--', 'OUT'])
  const { found } = await compare(blue, red, { mode: 'visual', dpi: 50 })
  expect(found.pages[0]!.pixelRatio).toBeGreaterThan(0.3)
  expect(listPages((await compare(red, both, { mode: 'visual', dpi: 50 })).found).toSorted()).toEqual([
    '- 2 added',
    '1 1 same',
  ])
  const { found: sizes } = await compare(plainPdf(1), plainPdf(1, { width: 200 }), { mode: 'visual', dpi: 72 })
  expect(sizes.pages[0]).toMatchObject({ status: 'changed', pixelRatio: 0.5 })
})

test('draws both documents side by side with what differs marked', async () => {
  const { bytes, result } = await compare(LETTER, REVISED, { report: 'pdf' })
  expect(result.output).toMatchObject({ name: 'differences.pdf' })
  expect(runQpdf(bytes, ['--show-npages', 'IN']).toString().trim()).toBe('3')
  const first = extractText(bytes, ['-l', '1'])
  expect(first).toContain('Monday')
  expect(first).toContain('Tuesday')
  const page = renderPage(bytes)
  expect([page.width, page.height]).toEqual([2 * 595 + 36, 842 + 24])
  // The mark on "Monday." is not white, its place on the other page is.
  expect(page.grayAt(12 + 183, 12 + 101)).toBeLessThan(200)
  expect(page.grayAt(12 + 595 + 12 + 400, 12 + 101)).toBe(255)
})

test('opens encrypted documents, compares selected pages and says which document is at fault', async () => {
  const locked = runQpdf(LETTER, ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const { found, warnings } = await compare(locked, REVISED, { passwordA: 'geheim', pagesA: '2', pagesB: 'last' })
  expect([found.identical, warnings]).toEqual([true, []])
  expect(listPages(found)).toEqual(['2 3 same'])
  await expect(compare(REVISED, locked)).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED', hints: { field: 'b' } })
  await expect(compare(LETTER, LETTER, { pagesB: '9' })).rejects.toMatchObject({
    code: 'BAD_RANGE',
    hints: { field: 'pagesB' },
  })
  await expect(compare(LETTER, LETTER.subarray(0, 400))).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})

function buildPage(content: string): Buffer {
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    pdfStream(content),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ])
}
