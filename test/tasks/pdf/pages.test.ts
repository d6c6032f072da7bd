import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, type PdfDict, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

async function arrange(body: Record<string, unknown>) {
  const answer = await runJob(pools, 'pdf.pages', body)
  return { ...answer, pdf: new PdfReader(answer.bytes) }
}

const INSERT_ALL = { action: 'insert', insertPages: 'all' }

test.each([
  { body: { action: 'delete', pages: '2' }, widths: [100, 102] },
  { body: { action: 'delete', pages: 'odd,1' }, widths: [101] },
  { body: { action: 'reorder', order: [3, 1] }, widths: [102, 100] },
  { body: { action: 'reorder', order: [2, 2, 1, 3] }, widths: [101, 101, 100, 102] },
  { body: { ...INSERT_ALL, insert: plainPdf(2, { width: 500 }), at: 1 }, widths: [500, 501, 100, 101, 102] },
  {
    body: { ...INSERT_ALL, insert: plainPdf(2, { width: 500 }), at: 3, insertPages: '2' },
    widths: [100, 101, 501, 102],
  },
  { body: { ...INSERT_ALL, insert: plainPdf(1, { width: 500 }), at: 4 }, widths: [100, 101, 102, 500] },
])('$body.action results in $widths', async ({ body, widths }) => {
  const { pdf, result, units } = await arrange({ file: plainPdf(3), ...body })
  expect(pdf.widths).toEqual(widths)
  expect(result.pages).toBe(widths.length)
  expect(units).toBe(widths.length)
})

const LINKED = buildPdf([
  '<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /Names << /Dests << /Names [(last) [5 0 R /Fit]] >> >> >>',
  '<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] /Annots [9 0 R 10 0 R] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 101 200] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 102 200] >>',
  '<< /Type /Outlines /First 7 0 R /Last 8 0 R /Count 2 >>',
  '<< /Title (Second) /Parent 6 0 R /Dest [4 0 R /Fit] /Next 8 0 R >>',
  '<< /Title (Third) /Parent 6 0 R /Dest (last) /Prev 7 0 R >>',
  '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest [4 0 R /Fit] >>',
  '<< /Type /Annot /Subtype /Link /Rect [9 9 19 19] /A << /S /GoTo /D (last) >> >>',
])

const outlineOf = (pdf: PdfReader) => pdf.outline.map(({ title, destpageposfrom1 }) => [title, destpageposfrom1])

test('keeps bookmarks on moved pages', async () => {
  const { pdf } = await arrange({ file: LINKED, action: 'reorder', order: [3, 1, 2] })
  expect(outlineOf(pdf)).toEqual([
    ['Second', 3],
    ['Third', 1],
  ])
})

test('disables links to a deleted page and removes its bookmark', async () => {
  const { pdf, bytes } = await arrange({ file: LINKED, action: 'delete', pages: '2' })
  expect(outlineOf(pdf)).toEqual([['Third', 2]])
  const [link] = pdf.pages[0]!['/Annots'] as unknown[]
  const target = (pdf.resolve(link) as PdfDict)['/Dest'] as unknown[] | undefined
  expect(pdf.pageNumberOf(target?.[0])).toBe(0)
  expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
})

test('repeats a page as an independent copy', async () => {
  const { pdf } = await arrange({ file: LINKED, action: 'reorder', order: [1, 1] })
  const [first, second] = pdf.pages.map(page => page['/Annots'] as unknown[])
  expect(first).toHaveLength(2)
  expect(second).toHaveLength(2)
  expect(second![0]).not.toBe(first![0])
})

test('keeps the targets of links and bookmarks of inserted pages', async () => {
  const { pdf } = await arrange({ ...INSERT_ALL, file: plainPdf(2, { width: 500 }), insert: LINKED, at: 2 })
  expect(pdf.widths).toEqual([500, 100, 101, 102, 501])
  expect(outlineOf(pdf)).toEqual([
    ['Second', 3],
    ['Third', 4],
  ])
  const [link] = pdf.pages[1]!['/Annots'] as unknown[]
  const target = (pdf.resolve(link) as PdfDict)['/Dest'] as unknown[]
  expect(pdf.pageNumberOf(target[0])).toBe(3)
})

test('leads a link to a page that was not inserted nowhere, even if the document has a place of that name', async () => {
  const { pdf } = await arrange({ ...INSERT_ALL, file: LINKED, insert: LINKED, at: 2, insertPages: '1-2' })
  const targets = [0, 1].map(index => {
    const link = pdf.resolve((pdf.pages[index]!['/Annots'] as unknown[])[1]) as PdfDict
    return pdf.pageNumberOf(((pdf.resolve(link['/A']) as PdfDict)['/D'] as unknown[])[0])
  })
  expect(targets).toEqual([5, 0])
})

test('keeps links to a name of PDF 1.1 in the pages that remain', async () => {
  const old = Buffer.from(
    LINKED.toString('latin1')
      .replace('/Names << /Dests << /Names [(last) [5 0 R /Fit]] >> >>', '/Dests << /last [5 0 R /Fit] >>')
      .replace('/D (last)', '/D /last'),
    'latin1',
  )
  const { pdf } = await arrange({ file: old, action: 'delete', pages: '2' })
  const link = pdf.resolve((pdf.pages[0]!['/Annots'] as unknown[])[1]) as PdfDict
  const target = (pdf.resolve(link['/A']) as PdfDict)['/D'] as unknown[]
  expect(pdf.pageNumberOf(target[0])).toBe(2)
})

test('keeps the bookmarks of the document around inserted pages', async () => {
  const { pdf } = await arrange({ ...INSERT_ALL, file: LINKED, insert: plainPdf(1, { width: 500 }), at: 3 })
  expect(outlineOf(pdf)).toEqual([
    ['Second', 2],
    ['Third', 4],
  ])
})

test('opens both documents, each with its own password', async () => {
  const [file, insert] = ['one', 'two'].map(word =>
    runQpdf(plainPdf(1), ['--encrypt', word, 'o', '256', '--', 'IN', 'OUT']),
  )
  const body = { ...INSERT_ALL, file, insert, at: 1, password: 'one' }
  const { pdf, warnings } = await arrange({ ...body, insertPassword: 'two' })
  expect(pdf.widths).toEqual([100, 100])
  expect(warnings).toEqual(['ENCRYPTION_REMOVED'])
  await expect(arrange(body)).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test.each([
  { body: { action: 'delete', pages: '1-3' }, problem: { code: 'NO_PAGES_LEFT' } },
  { body: { action: 'delete', pages: '4' }, problem: { code: 'BAD_RANGE', hints: { segment: '4', pageCount: 3 } } },
  { body: { action: 'reorder', order: [1, 4] }, problem: { code: 'BAD_RANGE', hints: { segment: '4', pageCount: 3 } } },
  { body: { ...INSERT_ALL, insert: plainPdf(1), at: 5 }, problem: { code: 'BAD_RANGE', hints: { max: 4 } } },
  {
    body: { ...INSERT_ALL, insert: readFileSync('tasks/samples/gradient.png'), at: 1 },
    problem: { code: 'PDF_PARSE_FAILED', hints: { detected: 'image/png' } },
  },
])('rejects an impossible $body.action', async ({ body, problem }) => {
  await expect(arrange({ file: plainPdf(3), ...body })).rejects.toMatchObject(problem)
})
