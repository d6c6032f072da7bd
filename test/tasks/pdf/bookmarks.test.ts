import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, type PdfDict, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const runBookmarks = (body: Record<string, unknown>) => runJob(pools, 'pdf.bookmarks', body)

const OUTLINED = buildPdf([
  '<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R /Dests << /end [4 0 R /FitH 150] >> >>',
  '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] >>',
  '<< /Type /Outlines /First 6 0 R /Last 8 0 R >>',
  '<< /Title <FEFF0130006B0069> /Parent 5 0 R /Next 8 0 R /First 7 0 R /Last 7 0 R /Count 1 /F 3 /C [1 0 0] >>',
  '<< /Title (by an action) /Parent 6 0 R /A << /S /GoTo /D [3 0 R /XYZ 0 180 0] >> >>',
  '<< /Title (by a name) /Parent 5 0 R /Dest /end /Prev 6 0 R >>',
])

test('reads headings, actions and named destinations', async () => {
  const { result, chargedMicros } = await runBookmarks({ file: OUTLINED })
  expect(chargedMicros).toBe(1_000n)
  expect(result).toEqual({
    bookmarks: [
      {
        title: 'İki',
        page: null,
        open: true,
        bold: true,
        italic: true,
        color: '#ff0000',
        children: [{ title: 'by an action', page: 1, top: 20, open: false, bold: false, italic: false, children: [] }],
      },
      { title: 'by a name', page: 2, top: 50, open: false, bold: false, italic: false, children: [] },
    ],
    count: 3,
    maxDepth: 2,
  })
})

test('writes the bookmarks it has read', async () => {
  const { result } = await runBookmarks({ file: OUTLINED })
  const written = await runBookmarks({ file: plainPdf(2), action: 'write', bookmarks: result.bookmarks })
  expect(written.chargedMicros).toBe(2_000n)
  const again = await runBookmarks({ file: written.bytes })
  expect(again.result).toEqual(result)
  const { outline } = new PdfReader(written.bytes)
  expect(outline.map(({ title, destpageposfrom1 }) => [title, destpageposfrom1])).toEqual([
    ['İki', null],
    ['by a name', 2],
  ])
  expect(outline[0]!.kids).toMatchObject([{ title: 'by an action', destpageposfrom1: 1 }])
})

test('appends to, replaces and clears the outline', async () => {
  const bookmarks = [{ title: 'new', page: 2 }]
  const titles = async (body: Record<string, unknown>) =>
    new PdfReader((await runBookmarks({ file: OUTLINED, ...body })).bytes).outline.map(({ title }) => title)
  expect(await titles({ action: 'write', bookmarks, mode: 'append' })).toEqual(['İki', 'by a name', 'new'])
  expect(await titles({ action: 'write', bookmarks })).toEqual(['new'])
  const cleared = await runBookmarks({ file: OUTLINED, action: 'clear' })
  expect(new PdfReader(cleared.bytes).catalog['/Outlines']).toBeUndefined()
  expect(cleared.bytes.toString('latin1')).not.toContain('by an action')
})

test('reads no bookmarks from a document without an outline', async () => {
  const { result } = await runBookmarks({ file: plainPdf(1) })
  expect(result).toEqual({ bookmarks: [], count: 0, maxDepth: 0 })
})

test('terminates on a cyclic outline', async () => {
  const circle = OUTLINED.toString('latin1').replace('/Dest /end /Prev', '/Dest /end /Next 6 0 R /Prev')
  const { result } = await runBookmarks({ file: Buffer.from(circle, 'latin1') })
  expect(result.count).toBeLessThan(10)
})

test('only appends to a signed document', async () => {
  const signed = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
    '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Contents <00> /ByteRange [0 1 2 3] >>',
  ])
  const { bytes, warnings } = await runBookmarks({
    file: signed,
    action: 'write',
    bookmarks: [{ title: 'x', page: 1 }],
  })
  expect(bytes.subarray(0, signed.length).equals(signed)).toBe(true)
  expect(new PdfReader(bytes).outline).toMatchObject([{ title: 'x', destpageposfrom1: 1 }])
  expect((new PdfReader(bytes).catalog['/AcroForm'] as PdfDict)['/SigFlags']).toBe(3)
  expect(warnings).toEqual([])
  expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax')
})

const buildNested = (depth: number, children: unknown[] = []): object =>
  depth === 1 ? { title: 'leaf', page: 1, children } : { title: 'inner', children: [buildNested(depth - 1, children)] }

test.each([
  { title: 'a page that does not exist', body: { bookmarks: [{ title: 'x', page: 3 }] }, code: 'BAD_RANGE' },
  { title: 'eleven levels', body: { bookmarks: [buildNested(11)] }, code: 'INVALID_BOOKMARKS' },
  { title: 'garbage below the last level', body: { bookmarks: [buildNested(10, [null])] }, code: 'INVALID_BOOKMARKS' },
  {
    title: 'too many bookmarks',
    body: { bookmarks: Array.from({ length: 5001 }, () => ({ title: 'x' })) },
    code: 'INVALID_BOOKMARKS',
  },
  { title: 'a write without bookmarks', body: {}, code: 'MISSING_FIELD' },
  { title: 'bookmarks with the action clear', body: { action: 'clear', bookmarks: [] }, code: 'CONFLICTING_OPTIONS' },
])('rejects $title', async ({ body, code }) => {
  await expect(runBookmarks({ file: plainPdf(2), action: 'write', ...body })).rejects.toMatchObject({ code })
})
