import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { pdfOf, plainPdf, qpdf, streamOf } from '../../support/pdf.ts'
import { runJob, testPools } from '../../support/pools.ts'
import { runProgram } from '../../support/programs.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LETTER = readFileSync('test/samples/letter.pdf')
const draw = (body: Record<string, unknown>) => runJob(pools, 'pdf.render', body)

/** What ImageMagick sees: format, size, density and kind of colour, a line a page. */
function seen(bytes: Buffer, what = '%m %wx%h %x %[channels]\n'): string[] {
  return runProgram('identify', ['-units', 'PixelsPerInch', '-format', what, '-'], bytes).trim().split('\n')
}

/** The colour of one pixel as ImageMagick reads it. */
function pixelAt(bytes: Buffer, x: number, y: number): string {
  return runProgram('convert', ['-', '-depth', '8', '-format', `%[hex:p{${x},${y}}]`, 'info:-'], bytes).trim()
}

/** A page of 100 by 200 points: red in the lower left corner, on paper. */
function page(entries = '', content = '1 0 0 rg 0 0 50 50 re f'): Buffer {
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R ${entries.includes('MediaBox') ? '' : '/MediaBox [0 0 100 200]'} /Contents 4 0 R ${entries} >>`,
    streamOf(content),
  ])
}

test('draws the first page at 150 dots an inch, as a file and as a part', async () => {
  const { bytes, files, units, warnings } = await draw({ file: LETTER })
  expect([units, warnings]).toEqual([1, []])
  expect(files).toMatchObject([{ index: 0, page: 1, width: 1240, height: 1754, name: 'page-1.png' }])
  expect(seen(bytes)).toEqual([expect.stringMatching(/^PNG 1240x1754 150(?:\.\d+)? /)])
  expect(files[0]!.bytes.equals(bytes)).toBe(true)
})

test.each([
  { format: 'png', magick: 'PNG' },
  { format: 'jpeg', magick: 'JPEG' },
  { format: 'webp', magick: 'WEBP' },
  { format: 'tiff', magick: 'TIFF' },
])('draws several pages as $format', async ({ format, magick }) => {
  const { files, bytes } = await draw({ file: LETTER, pages: 'last,1', format, dpi: 72 })
  expect(bytes).toHaveLength(0)
  expect(files.map(part => part.page)).toEqual([2, 1])
  for (const part of files) expect(seen(part.bytes, '%m %wx%h\n')).toEqual([`${magick} 595x842`])
})

test('puts all pages into one TIFF, each in its own size', async () => {
  const { bytes, result } = await draw({ file: plainPdf(3), pages: 'all', format: 'tiff', multipage: true, dpi: 72 })
  expect(result).toMatchObject({ pages: 3, output: { contentType: 'image/tiff' } })
  expect(seen(bytes, '%m %wx%h %x\n')).toEqual(['TIFF 100x200 72', 'TIFF 101x200 72', 'TIFF 102x200 72'])
})

test('zips pages under names of their own', async () => {
  const { bytes, result } = await draw({ file: plainPdf(3), pages: 'all', dpi: 36, zip: true })
  expect(result.parts).toMatchObject([{ page: 1, name: 'page-1.png' }, { page: 2 }, { page: 3, width: 51 }])
  expect(runProgram('python3', ['-c', LISTING], bytes).trim()).toBe('page-1.png page-2.png page-3.png')
})
const LISTING =
  'import sys,io,zipfile\nz=zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\nz.testzip()\nprint(*z.namelist())'

test.each([
  { how: { width: 50 }, size: '50x100' },
  { how: { height: 50 }, size: '25x50' },
  { how: { width: 50, height: 50 }, size: '25x50' },
  { how: { dpi: 144 }, size: '200x400' },
])('sizes a page of 100 by 200 points by $how', async ({ how, size }) => {
  expect(seen((await draw({ file: page(), ...how })).bytes, '%wx%h\n')).toEqual([size])
})

test.each([
  { title: 'as it stands', entries: '', corner: [5, 195], size: '100x200' },
  { title: 'turned clockwise', entries: '/Rotate 90', corner: [5, 5], size: '200x100' },
  { title: 'turned clockwise on ivory', entries: '/Rotate 90', corner: [5, 5], size: '200x100', background: 'ivory' },
  { title: 'on its head', entries: '/Rotate 180', corner: [95, 5], size: '100x200' },
  { title: 'turned the other way', entries: '/Rotate -90', corner: [195, 95], size: '200x100' },
  { title: 'cropped', entries: '/CropBox [25 25 75 75]', corner: [5, 45], size: '50x50' },
  { title: 'in large units', entries: '/UserUnit 2', corner: [10, 390], size: '200x400' },
])('draws a page $title', async ({ entries, corner: [x, y], size, background = '#ffffff' }) => {
  const { bytes } = await draw({ file: page(entries), dpi: 72, background })
  expect(seen(bytes, '%wx%h\n')).toEqual([size])
  expect(pixelAt(bytes, x!, y!)).toBe('FF0000')
})

test('draws the whole paper where that is asked for', async () => {
  const { bytes } = await draw({ file: page('/CropBox [25 25 75 75]'), dpi: 72, box: 'media' })
  expect(seen(bytes, '%wx%h\n')).toEqual(['100x200'])
  expect(pixelAt(bytes, 5, 195)).toBe('FF0000')
})

test.each([
  { background: '#ffffff', format: 'png', top: 'FFFFFF' },
  { background: 'navy', format: 'png', top: '000080' },
  { background: 'transparent', format: 'png', top: '00000000' },
  { background: '#0000ff80', format: 'png', top: '0000FF80' },
  { background: 'transparent', format: 'jpeg', top: 'FFFFFF' },
])('lays $background under the page of a $format', async ({ background, format, top }) => {
  const { bytes } = await draw({ file: page(), dpi: 72, background, format })
  expect(pixelAt(bytes, 90, 10)).toBe(top)
  expect(pixelAt(bytes, 20, 180)).toMatch(/^F[EF]0000/)
})

test('refuses a ground that is no colour', async () => {
  await expect(draw({ file: page(), background: 'nocolour' })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'background' },
  })
})

test('draws in shades of grey', async () => {
  const { bytes } = await draw({ file: page(), dpi: 72, grayscale: true })
  expect(seen(bytes, '%[channels]\n')[0]).toMatch(/^gray/)
})

test('draws notes and fields, or leaves out one of them', async () => {
  const look = '/Type /XObject /Subtype /Form /BBox [0 0 10 10]'
  const file = pdfOf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] /Annots [5 0 R 6 0 R] >>',
    streamOf('0 0 1 rg 0 0 10 10 re f', look),
    '<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 50 50] /AP << /N 4 0 R >> >>',
    '<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /T (a) /Rect [50 0 100 50] /AP << /N 4 0 R >> >>',
  ])
  const colours = async (body: object) => {
    const { bytes } = await draw({ file, dpi: 72, ...body })
    return [pixelAt(bytes, 20, 180), pixelAt(bytes, 80, 180)]
  }
  expect(await colours({})).toEqual(['0000FF', '0000FF'])
  expect(await colours({ annotations: false })).toEqual(['FFFFFF', '0000FF'])
  expect(await colours({ forms: false })).toEqual(['0000FF', 'FFFFFF'])
  expect(await colours({ forms: false, annotations: false })).toEqual(['FFFFFF', 'FFFFFF'])
})

test('leaves out layers that are off', async () => {
  const file = pdfOf([
    '<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [5 0 R 6 0 R] /D << /OFF [6 0 R] >> >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] /Contents 4 0 R /Resources << /Properties << /On 5 0 R /Off 6 0 R >> >> >>',
    streamOf('/OC /On BDC 1 0 0 rg 0 0 50 50 re f EMC /OC /Off BDC 0 1 0 rg 50 0 50 50 re f EMC'),
    '<< /Type /OCG /Name (on) >>',
    '<< /Type /OCG /Name (off) >>',
  ])
  const { bytes } = await draw({ file, dpi: 72 })
  expect([pixelAt(bytes, 20, 180), pixelAt(bytes, 80, 180)]).toEqual(['FF0000', 'FFFFFF'])
})

test('draws words of fonts that the document does not bring along, and colours for print', async () => {
  const resources = '/Resources << /Font << /F << /Type /Font /Subtype /TrueType /BaseFont /Arial >> >> >>'
  const { bytes } = await draw({ file: page(resources, 'BT /F 40 Tf 10 100 Td (MMM) Tj ET'), dpi: 72 })
  expect(
    Number(runProgram('convert', ['-', '-colorspace', 'gray', '-format', '%[fx:mean]', 'info:-'], bytes)),
  ).toBeLessThan(0.99)
  const print = await draw({ file: page('', '0 1 1 0 k 0 0 50 50 re f'), dpi: 72 })
  expect(pixelAt(print.bytes, 20, 180)).toMatch(/^[DEF]/)
})

test('opens an encrypted document with its password', async () => {
  const file = qpdf(LETTER, ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const { files, warnings } = await draw({ file, password: 'geheim', dpi: 36 })
  expect(files).toHaveLength(1)
  expect(warnings).toEqual([])
  await expect(draw({ file })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test.each([
  { body: { pages: '3' }, problem: { code: 'BAD_RANGE' } },
  { body: { dpi: 72, width: 100 }, problem: { code: 'CONFLICTING_OPTIONS', hints: { fields: ['dpi', 'width'] } } },
  { body: { multipage: true }, problem: { code: 'CONFLICTING_OPTIONS', hints: { fields: ['multipage', 'format'] } } },
])('refuses $body', async ({ body, problem }) => {
  await expect(draw({ file: LETTER, ...body })).rejects.toMatchObject(problem)
})

test('refuses more parts than a manifest may have, and more pixels than it draws', async () => {
  await expect(draw({ file: plainPdf(101), pages: 'all' })).rejects.toMatchObject({
    code: 'TOO_MANY_OUTPUTS',
    hints: { outputs: 101, max: 100 },
  })
  const vast = page('/MediaBox [0 0 7000 7000]')
  await expect(draw({ file: vast, dpi: 600 })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
  expect((await draw({ file: vast, width: 100 })).files).toMatchObject([{ width: 100, height: 100 }])
})

test.each([
  { title: 'a picture', file: readFileSync('test/samples/gradient.png') },
  { title: 'half a document', file: LETTER.subarray(0, 400) },
])('refuses $title', async ({ file }) => {
  await expect(draw({ file })).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})
