import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLanguageModels } from '../../../ops/providers/llm/open.ts'
import type { Pools } from '../../../pools/index.ts'
import { PYTHON } from '../../support/machine/programs.ts'
import { type TypesetLine, typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, testPools } from '../../support/pools/open.ts'
import { type FakeLanguageModels, openFakeLanguageModels } from '../../support/servers/language-models.ts'

let fake: FakeLanguageModels
let pools: Pools & AsyncDisposable
beforeAll(async () => {
  fake = await openFakeLanguageModels()
  const languageModels = openLanguageModels(fake.config('openai'))
  pools = await testPools({ lanes: { thread: 1, native: 2, program: 2, remote: 1 }, languageModels })
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
})

const analyze = (body: Record<string, unknown>) =>
  runJob(pools, 'doc.analyze-async', { languages: ['eng'], images: 'drop', mergeTables: true, ...body })

interface Chunk {
  text: string
  tokens: number
  pages: number[]
  headings: string[]
}

const TWO_HALVES = typesetPages([[[40, 60, 'First half of the log']], [[40, 60, 'Second half of the log']]])

const SENTENCES = Array.from({ length: 12 }, (_, at) => `Sentence ${at + 1} tells of the tide, and of the ships in it.`)

/** Two sections, of which the second goes on over the next page. */
const REPORT = typesetPages([
  [
    [40, 60, 'Tides', { size: 20 }],
    [40, 100, 'The water comes twice a day.'],
    [40, 140, 'Ships', { size: 16 }],
    ...SENTENCES.slice(0, 6).map((text, at): [number, number, string] => [40, 180 + at * 14, text]),
  ],
  [...SENTENCES.slice(6).map((text, at): [number, number, string] => [40, 60 + at * 14, text]), [190, 580, '2']],
])

test('cuts the text into chunks at headings, with what each repeats of the one before', async () => {
  const chunk = { maxTokens: 80, overlap: 20, by: 'heading' }
  const { result, chargedMicros } = await analyze({ file: REPORT, features: ['chunks'], chunk })
  const chunks = result.chunks as Chunk[]
  expect(chunks[0]).toMatchObject({ text: 'Tides\n\nThe water comes twice a day.', headings: ['Tides'], pages: [1] })
  expect(chunks.slice(1).every(({ headings }) => headings.join() === 'Tides,Ships')).toBe(true)
  expect(chunks.map(({ text }) => encode(text).length)).toEqual(chunks.map(({ tokens }) => tokens))
  expect(chunks.every(({ tokens }) => tokens <= 80)).toBe(true)
  for (const sentence of SENTENCES) expect(chunks.some(({ text }) => text.includes(sentence))).toBe(true)
  expect(chunks.some(({ pages }) => pages.join() === '1,2')).toBe(true)
  expect(chunks[2]!.text.startsWith(chunks[1]!.text.split('\n\n').at(-1)!.slice(-20))).toBe(false)
  const [first, second] = chunks.slice(1)
  const repeated = SENTENCES.filter(sentence => first!.text.includes(sentence) && second!.text.includes(sentence))
  expect(repeated).toHaveLength(1)
  expect(chargedMicros).toBe(2_000n)
  const byPage = await analyze({
    file: REPORT,
    features: ['chunks'],
    chunk: { maxTokens: 8192, overlap: 0, by: 'page' },
  })
  expect((byPage.result.chunks as Chunk[]).map(({ pages }) => pages)).toEqual([[1], [2]])
})

const CELLS_AT = [40, 200, 250, 320]

/** The cells of a line of an invoice, below those of the other lines. */
function placeCells(y: number, ...cells: string[]): TypesetLine[] {
  return cells.flatMap((text, at): TypesetLine[] => (text === '' ? [] : [[CELLS_AT[at]!, y, text]]))
}

test('joins the pages of an invoice, and tells two invoices apart', async () => {
  const heads = placeCells(130, 'Description', 'Qty', 'Price', 'Amount')
  const file = typesetPages([
    [
      [40, 40, 'Harbour Supplies Ltd'],
      [40, 70, 'Invoice number: HS-100'],
      [40, 90, 'Invoice date: 2026-03-02'],
      ...heads,
      ...placeCells(150, 'Rope', '2', '10.00', '20.00 EUR'),
      ...placeCells(170, 'Carried forward', '', '', '20.00 EUR'),
    ],
    [
      [40, 40, 'Invoice number: HS-100'],
      ...heads,
      ...placeCells(150, 'Lamp', '1', '80.00', '80.00 EUR'),
      ...placeCells(190, 'Subtotal', '', '', '100.00 EUR'),
      ...placeCells(210, 'VAT 19 %', '', '', '19.00 EUR'),
      ...placeCells(230, 'Total', '', '', '119.00 EUR'),
    ],
    [
      [40, 40, 'Chandlery'],
      [40, 70, 'Invoice number: C-7'],
      [40, 90, 'Invoice date: 2026-04-01'],
      ...placeCells(190, 'Total', '', '', '5.00 EUR'),
    ],
  ])
  const { result, chargedMicros } = await analyze({ file, features: ['invoice'] })
  expect(result.invoices).toMatchObject([
    {
      pages: [1, 2],
      ...{ kind: 'invoice', number: { value: 'HS-100', page: 1 }, issueDate: { value: '2026-03-02' } },
      lines: [
        { description: { value: 'Rope', page: 1 }, amount: { value: '20.00' } },
        { description: { value: 'Lamp', page: 2 }, amount: { value: '80.00' } },
      ],
      ...{
        subtotal: { value: '100.00' },
        taxes: [{ amount: { value: '19.00' } }],
        total: { value: '119.00', page: 2 },
      },
      checks: { linesMatchSubtotal: true, taxesMatch: true, totalMatches: true },
    },
    { pages: [3], number: { value: 'C-7' }, total: { value: '5.00' } },
  ])
  expect(chargedMicros).toBe(60_000n)
})

test('packs the images of a PDF with the analysis', async () => {
  const leaflet = readFileSync('tasks/samples/leaflet.pdf')
  const { result, bytes } = await analyze({ file: leaflet, features: ['markdown'], images: 'zip' })
  const images = result.images as { name: string; width: number }[]
  expect(images.map(({ name, width }) => [name, width])).toContainEqual(['images/image-1.jpg', 60])
  const path = join(tmpdir(), `analysis-${process.pid}.zip`)
  writeFileSync(path, bytes)
  const list =
    'import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert not z.testzip();print("\\n".join(z.namelist()))'
  const names = execFileSync(PYTHON, ['-c', list, path], { encoding: 'utf8' }).trim().split('\n')
  expect(names).toEqual(['analysis.json', 'document.md', ...images.map(({ name }) => name)])
  expect(result.markdown).toContain('![](images/image-1.jpg)')
})

test('asks a language model about each page, and chooses the answer that is most certain', async () => {
  const given = [
    { answer: 'Ahab', quote: 'First half', confidence: 0.6 },
    { answer: 'Ishmael', quote: 'Second half', confidence: 0.8 },
  ]
  fake.asked.length = 0
  fake.reply = () => ({
    text: JSON.stringify({ answers: [{ number: 1, ...given[fake.asked.length - 1]! }] }),
    ...{ input: 900, output: 100 },
  })
  const body = { file: TWO_HALVES, features: ['questions', 'text'], questions: ['Who?'] }
  const { result, chargedMicros } = await analyze(body)
  expect(result).toMatchObject({
    answers: [{ question: 'Who?', answer: 'Ishmael', quote: 'Second half', page: 2, confidence: 0.8 }],
    pages: [{ answers: [{ answer: 'Ahab' }] }, { answers: [{ answer: 'Ishmael' }] }],
    usage: { model: 'medium', inputTokens: 1800, outputTokens: 200, chargedMicros: 3360 },
  })
  expect(chargedMicros).toBe(2n * 18_000n + 3_360n)
  // What a model does not answer costs nothing, and the rest of the page is there.
  fake.reply = () => ({ text: '-' })
  const unanswered = await analyze(body)
  expect(unanswered.result).toMatchObject({
    answers: [{ answer: null }],
    pages: [{ status: 'ok', questionError: { code: 'OUTPUT_INVALID' }, text: expect.any(String) }, {}],
  })
  expect([unanswered.chargedMicros, unanswered.result.usage]).toEqual([6_000n, undefined])
  await expect(analyze({ ...body, features: ['questions'] })).rejects.toMatchObject({ code: 'OUTPUT_INVALID' })
})

test('refuses options that would have no effect, and questions that could cost more than a call may', async () => {
  const empty = typesetPages(Array.from({ length: 21 }, () => []))
  const cases: [Record<string, unknown>, string, object][] = [
    [{ features: ['questions'] }, 'MISSING_FIELD', { field: 'questions' }],
    [{ features: ['text'], questions: ['Who?'] }, 'CONFLICTING_OPTIONS', { fields: ['features', 'questions'] }],
    [{ features: ['text'], tier: 'best' }, 'CONFLICTING_OPTIONS', { fields: ['features', 'tier'] }],
    [{ features: ['text'], chunk: {} }, 'CONFLICTING_OPTIONS', { fields: ['features', 'chunk'], needs: 'chunks' }],
    [
      { features: ['chunks'], chunk: { maxTokens: 64, overlap: 33 } },
      'INVALID_PARAM',
      { field: 'chunk.overlap', max: 32 },
    ],
    [{ file: empty, features: ['questions'], questions: ['Who?'] }, 'TOO_MANY_PAGES', { limit: 20, actual: 21 }],
  ]
  for (const [body, code, hints] of cases)
    await expect(analyze({ file: TWO_HALVES, ...body }), code).rejects.toMatchObject({ code, hints })
})
