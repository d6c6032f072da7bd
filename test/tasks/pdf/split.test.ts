import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { buildPdf, PdfReader, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
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
  const answer = await runJob(pools, 'pdf.split', body, { limitSeconds: 120 })
  return { ...answer, parts: answer.files as unknown as Part[] }
}

test.each([
  { options: {}, ranges: ['1', '2', '3'], widths: [[100], [101], [102]] },
  { options: { burst: true }, ranges: ['1', '2', '3'], widths: [[100], [101], [102]] },
  { options: { ranges: '2-,1, last' }, ranges: ['2-3', '1', '3'], widths: [[101, 102], [100], [102]] },
  {
    options: { ranges: '1-2,2-3' },
    ranges: ['1-2', '2-3'],
    widths: [
      [100, 101],
      [101, 102],
    ],
  },
  { options: { ranges: 'odd' }, ranges: ['1,3'], widths: [[100, 102]] },
  { options: { every: 2 }, ranges: ['1-2', '3'], widths: [[100, 101], [102]] },
])('splits three pages by $options into $ranges', async ({ options: how, ranges, widths }) => {
  const { parts, units, warnings } = await split({ file: plainPdf(3), ...how })
  expect(units).toBe(3)
  expect(warnings).toEqual([])
  expect(parts.map(({ range }) => range)).toEqual(ranges)
  expect(parts.map(({ pages }) => pages)).toEqual(widths.map(({ length }) => length))
  expect(parts.map(({ bytes }) => new PdfReader(bytes).widths)).toEqual(widths)
})

const CHAPTERS = buildPdf([
  '<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >> >>',
  '<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] >>',
  ...[100, 101, 102].map(width => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} 200] >>`),
  '<< /Type /Outlines /First 7 0 R /Last 9 0 R /Count 3 >>',
  '<< /Title (One) /Parent 6 0 R /Dest [4 0 R /Fit] /Next 9 0 R /First 8 0 R /Last 8 0 R /Count 1 >>',
  '<< /Title (Within) /Parent 7 0 R /Dest [5 0 R /XYZ 0 150 0] >>',
  '<< /Title <FEFF00440069006500200032> /Parent 6 0 R /Dest [5 0 R /Fit] /Prev 7 0 R >>',
])

test('splits at bookmarks and keeps in each part only the bookmarks that point into it', async () => {
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

test('rejects splitting at bookmarks without bookmarks', async () => {
  await expect(split({ file: plainPdf(2), atBookmarks: 1 })).rejects.toMatchObject({ code: 'NO_BOOKMARKS' })
})

const NOISE = Array.from({ length: 3 }, (_, page) =>
  Buffer.from(Array.from({ length: 90_000 }, (_, at) => (at * at * (page + 7)) % 251)),
)
const LARGE_IMAGES = buildPdf([
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

test('includes in a part only what its pages need', async () => {
  const { parts } = await split({ file: runQpdf(LARGE_IMAGES, ['--compress-streams=n', 'IN', 'OUT']), ranges: '1,2-3' })
  expect(parts[0]!.bytes.length).toBeLessThan(LARGE_IMAGES.length / 2)
})

test('limits the size of the parts', async () => {
  const { parts, warnings } = await split({ file: LARGE_IMAGES, maxPartBytes: 200_000 })
  expect(parts.every(({ bytes }) => bytes.length <= 200_000)).toBe(true)
  expect(parts.map(({ range }) => range).join(',')).toMatch(/^1.*3$/)
  expect(warnings).toEqual([])
})

test('warns of a page larger than maxPartBytes and returns it as a part of its own', async () => {
  const noise = randomBytes(90_000)
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] /MediaBox [0 0 99 99] >>',
    '<< /Type /Page /Parent 2 0 R >>',
    '<< /Type /Page /Parent 2 0 R /Contents 7 0 R /Resources << /XObject << /I 6 0 R >> >> >>',
    '<< /Type /Page /Parent 2 0 R >>',
    `<< /Type /XObject /Subtype /Image /Width 300 /Height 300 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /ASCIIHexDecode /Length ${noise.length * 2 + 1} >>\nstream\n${noise.toString('hex')}>\nendstream`,
    pdfStream('q 99 0 0 99 0 0 cm /I Do Q'),
  ])
  const { parts, warnings } = await split({ file: file, maxPartBytes: 65_536 })
  expect(parts.map(({ range }) => range)).toEqual(['1', '2', '3'])
  expect(parts[1]!.bytes.length).toBeGreaterThan(65_536)
  expect(warnings).toEqual(['PART_TOO_LARGE'])
})

test('zips more parts than a manifest allows, with unique names and their bookmarks', async () => {
  const pages = 130
  const file = buildPdf([
    `<< /Type /Catalog /Pages 2 0 R /Outlines ${pages + 3} 0 R >>`,
    `<< /Type /Pages /Count ${pages} /MediaBox [0 0 99 99] /Kids [${Array.from({ length: pages }, (_, at) => `${at + 3} 0 R`).join(' ')}] >>`,
    ...Array.from({ length: pages }, () => '<< /Type /Page /Parent 2 0 R >>'),
    `<< /Type /Outlines /First ${pages + 4} 0 R /Last ${pages + 4} 0 R /Count 1 >>`,
    `<< /Title (Last) /Parent ${pages + 3} 0 R /Dest [${pages + 2} 0 R /Fit] >>`,
  ])
  const { bytes, result } = await split({ file, zip: true, names: ['front', 'FRONT.pdf', '../front.pdf'] })
  const listedParts = result.parts as { name: string; range: string }[]
  expect(listedParts.slice(0, 4).map(({ name }) => name)).toEqual([
    'front.pdf',
    'FRONT (2).pdf',
    'front (3).pdf',
    'pages-4.pdf',
  ])
  expect(listedParts).toHaveLength(pages)
  await using folder = await freshFolder()
  await writeFile(join(folder.path, 'parts.zip'), bytes)
  runProgram('unzip', ['-q', 'parts.zip', 'pages-129.pdf', 'pages-130.pdf'], '', folder.path)
  const outlines = await Promise.all(
    ['pages-129.pdf', 'pages-130.pdf'].map(
      async name => new PdfReader(await readFile(join(folder.path, name))).outline,
    ),
  )
  expect(outlines).toMatchObject([[], [{ title: 'Last', destpageposfrom1: 1 }]])
})

test('uses the given names without paths', async () => {
  const { parts } = await split({ file: plainPdf(2), names: ['../../etc/first', 'zweite.pdf'] })
  expect(parts.map(({ name }) => name)).toEqual(['first.pdf', 'zweite.pdf'])
})

test('removes signature values with a warning', async () => {
  const signed = buildPdf([
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
])('rejects $body', async ({ body, problem }) => {
  await expect(split({ file: plainPdf(3), ...body })).rejects.toMatchObject(problem)
})

test('rejects more parts than a manifest allows', async () => {
  await expect(split({ file: plainPdf(101) })).rejects.toMatchObject({
    code: 'TOO_MANY_OUTPUTS',
    hints: { outputs: 101, max: 100 },
  })
  await expect(split({ file: plainPdf(1001), zip: true })).rejects.toMatchObject({
    code: 'TOO_MANY_OUTPUTS',
    hints: { outputs: 1001, max: 1000 },
  })
})
