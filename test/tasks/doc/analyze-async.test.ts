import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Problem } from '#kit'
import type { HostContext } from '../../../pools/host-context.ts'
import type { Pools } from '../../../pools/index.ts'
import { bind as bindTimeLimit } from '../../../pools/tools/time-limit.ts'
import { analyzePages, PAGE_SECONDS } from '../../../tasks/doc/analyze-async/pages.ts'
import { drawScan } from '../../support/pdf/scans.ts'
import { typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

interface Analysis {
  pageCount: number
  pages: { page: number; status: string; source?: string; text?: string; error?: { code: string } }[]
  markdown?: string
  headings?: { text: string; page: number }[]
  tables?: { pages: number[]; rows: number; headerRows: number; cells: { r: number; c: number; text: string }[] }[]
}

async function analyze(body: Record<string, unknown>) {
  const answer = await runJob(pools, 'doc.analyze-async', { languages: ['eng'], ...body }, { limitSeconds: 3600 })
  return { ...answer, analysis: answer.result as unknown as Analysis }
}

/** A table of stores that goes on over two pages, with its head on each. */
function stockPage(title: string, rows: readonly (readonly string[])[]) {
  const cells = [['Store', 'North', 'South'], ...rows].flatMap((row, r) =>
    row.map((text, c): [number, number, string] => [40 + c * 100, 120 + r * 18, text]),
  )
  return [[40, 60, title, { size: 20 }] as [number, number, string, { size: number }], ...cells]
}

const STOCK = typesetPages([
  stockPage('First half', [
    ['Oil', '1', '2'],
    ['Rope', '3', '4'],
  ]),
  stockPage('Second half', [
    ['Lamps', '5', '6'],
    ['Flags', '7', '8'],
  ]),
])

test('finds what was asked for on every page, and joins tables over pages', async () => {
  const { analysis, chargedMicros } = await analyze({ file: STOCK, features: ['markdown', 'tables'] })
  expect(analysis).toMatchObject({ pageCount: 2, headings: [{ text: 'First half', page: 1 }, { page: 2 }] })
  expect(analysis.pages.map(({ page, status, source }) => [page, status, source])).toEqual([
    [1, 'ok', 'text-layer'],
    [2, 'ok', 'text-layer'],
  ])
  expect(analysis.markdown).toMatch(/^# First half\n\n\| Store \| North \| South \|\n[\s\S]*# Second half/)
  expect(analysis.tables).toMatchObject([{ pages: [1, 2], rows: 5, headerRows: 1 }])
  const firsts = analysis.tables![0]!.cells.filter(({ c }) => c === 0).sort((a, b) => a.r - b.r)
  expect(firsts.map(({ text }) => text)).toEqual(['Store', 'Oil', 'Rope', 'Lamps', 'Flags'])
  expect(chargedMicros).toBe(56_000n)
  const apart = await analyze({ file: STOCK, features: ['tables', 'text'], mergeTables: false, pages: 'last' })
  expect(apart.analysis).toMatchObject({
    pageCount: 1,
    pages: [{ page: 2, text: expect.stringMatching(/^Second half/) }],
  })
  expect([apart.analysis.tables, apart.chargedMicros]).toEqual([undefined, 23_000n])
})

function startRun(analyze: (page: number) => object, parts = new Map<string, string>()) {
  const saved = {
    list: async () => [...parts.keys()],
    read: async (name: string) => parts.get(name)!,
    save: async (name: string, content: string) => void parts.set(name, content),
  }
  const seen: number[] = []
  const run = {
    pages: [1, 2, 3],
    signal: new AbortController().signal,
    progress: (done: number) => void seen.push(done),
  }
  const read = () => [1, 2, 3].map(page => JSON.parse(parts.get(`page-${page}`)!))
  return { parts, seen, read, ended: analyzePages({ ...run, analyze: async page => analyze(page) }, saved) }
}

test('a page that cannot be read does not fail the others, and an engine that crashes gets a second chance', async () => {
  const tried: number[] = []
  const { read, seen, ended } = startRun(page => {
    tried.push(page)
    if (page === 2) throw new Problem('PDF_PARSE_FAILED')
    if (page === 3) throw new Error('crashed')
    return { text: 'harbour' }
  })
  await ended
  expect(tried).toEqual([1, 2, 3, 3])
  expect(seen).toEqual([0, 1, 2, 3])
  expect(read()).toMatchObject([
    { page: 1, status: 'ok', text: 'harbour' },
    { page: 2, status: 'failed', error: { code: 'PDF_PARSE_FAILED' } },
    { page: 3, status: 'failed', error: { code: 'INTERNAL' } },
  ])
})

test('a page that takes too long is left out, and a job that does ends', async () => {
  const runLate = (limitSeconds: number) =>
    startRun(page => {
      if (page === 2) throw new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds })
      return { text: 'harbour' }
    })
  const { read, ended } = runLate(PAGE_SECONDS)
  await ended
  expect(read().map(({ status }) => status)).toEqual(['ok', 'failed', 'ok'])
  await expect(runLate(3600).ended).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED' })
})

test('a part of a run has a deadline of its own, and the job keeps its own', async () => {
  const context = { deadlineMs: performance.now() + 100_000, limitSeconds: 100 } as HostContext
  const before = context.deadlineMs
  const { run } = bindTimeLimit(context)
  const left = await run(20, async () => {
    const { deadlineMs } = context
    // As a program does that had to wait for a processor.
    context.deadlineMs += 500
    return deadlineMs - performance.now()
  })
  expect(left).toBeLessThanOrEqual(20_000)
  expect(context.deadlineMs).toBeCloseTo(before + 500, 3)
  const late = run(20, async () => {
    throw new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: 100 })
  })
  await expect(late).rejects.toMatchObject({ hints: { limitSeconds: 20 } })
  expect(await run(500, async () => context.deadlineMs)).toBeCloseTo(before + 500, 3)
})

test('a run goes on after the saved pages, and leaves out a page under which three workers have died', async () => {
  const parts = new Map([
    ['page-1', JSON.stringify({ page: 1, status: 'ok', text: 'saved' })],
    ['starts', JSON.stringify({ 1: 1, 2: 3 })],
  ])
  const { read, ended } = startRun(page => ({ text: `new ${page}` }), parts)
  await ended
  expect(read().map(({ text, error }) => text ?? error.code)).toEqual(['saved', 'INTERNAL', 'new 3'])
})

test('reads scanned pages of a PDF', async () => {
  const file = readFileSync('tasks/samples/scan.pdf')
  const { analysis } = await analyze({ file, features: ['text', 'forms', 'layout'] })
  expect(analysis.pages[0]).toMatchObject({ source: 'ocr', text: expect.stringContaining('north quay') })
})

test('a frame that cannot be decoded costs nothing, and the others are complete', async () => {
  const scan = drawScan([{ text: 'north quay', x: 30, y: 60 }])
  const png = await scan.toColourspace('srgb').ensureAlpha().png().toBuffer()
  const sound = await sharp([png, png], { join: { animated: true } })
    .tiff({ compression: 'deflate' })
    .toBuffer()
  const file = breakLastFrame(sound)
  const { analysis, chargedMicros } = await analyze({ file, features: ['text'] })
  expect(analysis.pages).toMatchObject([
    { page: 1, status: 'ok', text: expect.stringContaining('north quay') },
    { page: 2, status: 'failed', error: { code: 'IMAGE_DECODE_FAILED' } },
  ])
  expect(chargedMicros).toBe(3_000n)
  const unnamed = runJob(pools, 'doc.ocr-layout', { file: sound })
  await expect(unnamed).rejects.toMatchObject({ code: 'TOO_MANY_PAGES', hints: { actual: 2 } })
})

/** Overwrites the data of the last frame, which its directory follows. */
function breakLastFrame(tiff: Buffer): Buffer {
  const [first, entries] = [tiff.readUInt32LE(4), tiff.readUInt16LE(tiff.readUInt32LE(4))]
  const second = tiff.readUInt32LE(first + 2 + entries * 12)
  const count = tiff.readUInt16LE(second)
  const tags = Array.from({ length: count }, (_, index) => second + 2 + index * 12)
  const offsets = tags.find(at => tiff.readUInt16LE(at) === 273)!
  const strips = tiff.readUInt32LE(offsets + 4)
  const start = strips === 1 ? tiff.readUInt32LE(offsets + 8) : tiff.readUInt32LE(tiff.readUInt32LE(offsets + 8))
  return Buffer.from(tiff).fill(0xff, start, start + 40)
}

test('tells what is wrong with the whole document', async () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ file: STOCK, pages: '3' }, 'BAD_RANGE'],
    [{ file: STOCK.subarray(0, 300) }, 'PDF_PARSE_FAILED'],
    [{ file: readFileSync('tasks/samples/scan.pdf'), languages: ['xx'] }, 'LANGUAGE_UNSUPPORTED'],
  ]
  for (const [body, code] of cases)
    await expect(analyze({ features: ['text'], ...body }), code).rejects.toMatchObject({ code })
})
