import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { PdfReader, pdfOf, plainPdf, qpdf } from '../../support/pdf.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

interface Part {
  bytes: Buffer
  name: string
  pages: number
  range: string
  title?: string
}

async function split(body: Record<string, unknown>) {
  const ran = await runJob(pools, 'pdf.split', body)
  return { ...ran, parts: ran.files as unknown as Part[] }
}

test.each([
  { how: {}, ranges: ['1', '2', '3'], widths: [[100], [101], [102]] },
  { how: { burst: true }, ranges: ['1', '2', '3'], widths: [[100], [101], [102]] },
  { how: { ranges: '2-,1, last' }, ranges: ['2-3', '1', '3'], widths: [[101, 102], [100], [102]] },
  {
    how: { ranges: '1-2,2-3' },
    ranges: ['1-2', '2-3'],
    widths: [
      [100, 101],
      [101, 102],
    ],
  },
  { how: { ranges: 'odd' }, ranges: ['1,3'], widths: [[100, 102]] },
  { how: { every: 2 }, ranges: ['1-2', '3'], widths: [[100, 101], [102]] },
])('cuts three pages by $how into $ranges', async ({ how, ranges, widths }) => {
  const { parts, units, warnings } = await split({ file: plainPdf(3), ...how })
  expect(units).toBe(3)
  expect(warnings).toEqual([])
  expect(parts.map(({ range }) => range)).toEqual(ranges)
  expect(parts.map(({ pages }) => pages)).toEqual(widths.map(({ length }) => length))
  expect(parts.map(({ bytes }) => new PdfReader(bytes).widths)).toEqual(widths)
})

const CHAPTERS = pdfOf([
  '<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >> >>',
  '<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] >>',
  ...[100, 101, 102].map(width => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} 200] >>`),
  '<< /Type /Outlines /First 7 0 R /Last 9 0 R /Count 3 >>',
  '<< /Title (One) /Parent 6 0 R /Dest [4 0 R /Fit] /Next 9 0 R /First 8 0 R /Last 8 0 R /Count 1 >>',
  '<< /Title (Within) /Parent 7 0 R /Dest [5 0 R /XYZ 0 150 0] >>',
  '<< /Title <FEFF00440069006500200032> /Parent 6 0 R /Dest [5 0 R /Fit] /Prev 7 0 R >>',
])

test('cuts at bookmarks and keeps in each part only those that lead into it', async () => {
  const { parts } = await split({ file: CHAPTERS, atBookmarks: 1 })
  expect(parts.map(({ range, title }) => [range, title])).toEqual([
    ['1', undefined],
    ['2', 'One'],
    ['3', 'Die 2'],
  ])
  const outlines = parts.map(({ bytes }) => new PdfReader(bytes).outline.map(({ title }) => title))
  expect(outlines).toEqual([[], ['One'], ['One', 'Die 2']])
  const [first] = new PdfReader(parts[2]!.bytes).outline
  expect(first).toMatchObject({ destpageposfrom1: null, kids: [{ title: 'Within', destpageposfrom1: 1 }] })
  expect(JSON.stringify(new PdfReader(parts[1]!.bytes).catalog['/PageLabels'])).toContain('"/r"')
})

test('refuses to cut at bookmarks where there are none', async () => {
  await expect(split({ file: plainPdf(2), atBookmarks: 1 })).rejects.toMatchObject({ code: 'NO_BOOKMARKS' })
})

const NOISE = Array.from({ length: 3 }, (_, page) =>
  Buffer.from(Array.from({ length: 90_000 }, (_, at) => (at * at * (page + 7)) % 251)),
)
const HEAVY = pdfOf([
  '<< /Type /Catalog /Pages 2 0 R >>',
  '<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] >>',
  ...[6, 7, 8].map(
    image => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Resources << /XObject << /I ${image} 0 R >> >> >>`,
  ),
  ...NOISE.map(
    bytes =>
      `<< /Type /XObject /Subtype /Image /Width 300 /Height 300 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length ${bytes.length} >>\nstream\n${bytes.toString('latin1')}\nendstream`,
  ),
])

test('takes into a part only what its pages need', async () => {
  const { parts } = await split({ file: qpdf(HEAVY, ['--compress-streams=n', 'IN', 'OUT']), ranges: '1,2-3' })
  expect(parts[0]!.bytes.length).toBeLessThan(HEAVY.length / 2)
})

test('makes parts of at most so many bytes, and tells of a page that is larger alone', async () => {
  const { parts, warnings } = await split({ file: HEAVY, maxPartBytes: 200_000 })
  expect(parts.every(({ bytes }) => bytes.length <= 200_000)).toBe(true)
  expect(parts.map(({ range }) => range).join(',')).toMatch(/^1.*3$/)
  expect(warnings).toEqual([])
})

test('names the parts as asked, without paths', async () => {
  const { parts } = await split({ file: plainPdf(2), names: ['../../etc/first', 'zweite.pdf'] })
  expect(parts.map(({ name }) => name)).toEqual(['first.pdf', 'zweite.pdf'])
})

test('drops the values of signatures, and says so', async () => {
  const signed = pdfOf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
    '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Contents <00> /ByteRange [0 1 2 3] >>',
  ])
  const { parts, warnings } = await split({ file: signed })
  expect(warnings).toEqual(['SIGNATURES_REMOVED'])
  expect(new PdfReader(parts[0]!.bytes).fields).toMatchObject([{ fullname: 'Sign', value: null }])
})

test.each([
  {
    body: { ranges: '1', burst: true },
    problem: { code: 'CONFLICTING_OPTIONS', hints: { fields: ['ranges', 'burst'] } },
  },
  { body: { ranges: '1,4' }, problem: { code: 'BAD_RANGE', hints: { segment: '4', pageCount: 3 } } },
  { body: { names: ['a', 'b', 'c', 'd'] }, problem: { code: 'INVALID_PARAM' } },
])('refuses $body', async ({ body, problem }) => {
  await expect(split({ file: plainPdf(3), ...body })).rejects.toMatchObject(problem)
})

test('refuses more parts than a manifest may have', async () => {
  await expect(split({ file: plainPdf(101) })).rejects.toMatchObject({
    code: 'TOO_MANY_OUTPUTS',
    hints: { outputs: 101, max: 100 },
  })
})
