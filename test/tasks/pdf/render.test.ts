import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { PYTHON, runProgram } from '../../support/machine/programs.ts'
import { buildPdf, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LETTER = readFileSync('tasks/samples/letter.pdf')
const render = (body: Record<string, unknown>) => runJob(pools, 'pdf.render', body)

/** Format, size, density and channels as ImageMagick reads them, one line per page. */
function identify(bytes: Buffer, format = '%m %wx%h %x %[channels]\n'): string[] {
  return runProgram('identify', ['-units', 'PixelsPerInch', '-format', format, '-'], bytes).trim().split('\n')
}

/** The colour of one pixel as ImageMagick reads it. */
function pixelAt(bytes: Buffer, x: number, y: number): string {
  return runProgram('convert', ['-', '-depth', '8', '-format', `%[hex:p{${x},${y}}]`, 'info:-'], bytes).trim()
}

/** A page of 100 by 200 points with a red square in the lower left corner. */
function buildPage(entries = '', content = '1 0 0 rg 0 0 50 50 re f'): Buffer {
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R ${entries.includes('MediaBox') ? '' : '/MediaBox [0 0 100 200]'} /Contents 4 0 R ${entries} >>`,
    pdfStream(content),
  ])
}

test('renders the first page at 150 dpi, as output and as a file', async () => {
  const { bytes, files, units, warnings } = await render({ file: LETTER })
  expect([units, warnings]).toEqual([1, []])
  expect(files).toMatchObject([{ index: 0, page: 1, width: 1240, height: 1754, name: 'page-1.png' }])
  expect(identify(bytes)).toEqual([expect.stringMatching(/^PNG 1240x1754 150(?:\.\d+)? /)])
  expect(files[0]!.bytes.equals(bytes)).toBe(true)
})

test.each([
  { format: 'png', magick: 'PNG' },
  { format: 'jpeg', magick: 'JPEG' },
  { format: 'webp', magick: 'WEBP' },
  { format: 'tiff', magick: 'TIFF' },
])('renders several pages as $format', async ({ format, magick }) => {
  const { files, bytes } = await render({ file: LETTER, pages: 'last,1', format, dpi: 72 })
  expect(bytes).toHaveLength(0)
  expect(files.map(part => part.page)).toEqual([2, 1])
  for (const part of files) expect(identify(part.bytes, '%m %wx%h\n')).toEqual([`${magick} 595x842`])
})

test('writes all pages into one TIFF, each in its own size', async () => {
  const { bytes, result } = await render({ file: plainPdf(3), pages: 'all', format: 'tiff', multipage: true, dpi: 72 })
  expect(result).toMatchObject({ pages: 3, output: { contentType: 'image/tiff' } })
  expect(identify(bytes, '%m %wx%h %x\n')).toEqual(['TIFF 100x200 72', 'TIFF 101x200 72', 'TIFF 102x200 72'])
})

test('zips pages under separate names', async () => {
  const { bytes, result } = await render({ file: plainPdf(3), pages: 'all', dpi: 36, zip: true })
  expect(result.parts).toMatchObject([{ page: 1, name: 'page-1.png' }, { page: 2 }, { page: 3, width: 51 }])
  expect(runProgram(PYTHON, ['-c', LIST_ZIP_SCRIPT], bytes).trim()).toBe('page-1.png page-2.png page-3.png')
})
const LIST_ZIP_SCRIPT =
  'import sys,io,zipfile\nz=zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\nz.testzip()\nprint(*z.namelist())'

test.each([
  { options: { width: 50 }, size: '50x100' },
  { options: { height: 50 }, size: '25x50' },
  { options: { width: 50, height: 50 }, size: '25x50' },
  { options: { dpi: 144 }, size: '200x400' },
])('sizes a page of 100 by 200 points by $options', async ({ options: how, size }) => {
  expect(identify((await render({ file: buildPage(), ...how })).bytes, '%wx%h\n')).toEqual([size])
})

test.each([
  { title: 'without rotation', entries: '', corner: [5, 195], size: '100x200' },
  { title: 'rotated clockwise', entries: '/Rotate 90', corner: [5, 5], size: '200x100' },
  { title: 'rotated clockwise on ivory', entries: '/Rotate 90', corner: [5, 5], size: '200x100', background: 'ivory' },
  { title: 'upside down', entries: '/Rotate 180', corner: [95, 5], size: '100x200' },
  { title: 'rotated counterclockwise', entries: '/Rotate -90', corner: [195, 95], size: '200x100' },
  { title: 'cropped', entries: '/CropBox [25 25 75 75]', corner: [5, 45], size: '50x50' },
  { title: 'in large units', entries: '/UserUnit 2', corner: [10, 390], size: '200x400' },
])('renders a page $title', async ({ entries, corner: [x, y], size, background = '#ffffff' }) => {
  const { bytes } = await render({ file: buildPage(entries), dpi: 72, background })
  expect(identify(bytes, '%wx%h\n')).toEqual([size])
  expect(pixelAt(bytes, x!, y!)).toBe('FF0000')
})

test('renders the media box on request', async () => {
  const { bytes } = await render({ file: buildPage('/CropBox [25 25 75 75]'), dpi: 72, box: 'media' })
  expect(identify(bytes, '%wx%h\n')).toEqual(['100x200'])
  expect(pixelAt(bytes, 5, 195)).toBe('FF0000')
})

test.each([
  { background: '#ffffff', format: 'png', top: 'FFFFFF' },
  { background: 'navy', format: 'png', top: '000080' },
  { background: 'transparent', format: 'png', top: '00000000' },
  { background: '#0000ff80', format: 'png', top: '0000FF80' },
  { background: 'transparent', format: 'jpeg', top: 'FFFFFF' },
])('uses $background as the page background of a $format', async ({ background, format, top }) => {
  const { bytes } = await render({ file: buildPage(), dpi: 72, background, format })
  expect(pixelAt(bytes, 90, 10)).toBe(top)
  expect(pixelAt(bytes, 20, 180)).toMatch(/^F[EF]0000/)
})

test('rejects an unknown background colour', async () => {
  await expect(render({ file: buildPage(), background: 'nocolour' })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'background' },
  })
})

test('renders in greyscale', async () => {
  const { bytes } = await render({ file: buildPage(), dpi: 72, grayscale: true })
  expect(identify(bytes, '%[channels]\n')[0]).toMatch(/^gray/)
})

test('renders annotations and fields, or omits either', async () => {
  const appearance = '/Type /XObject /Subtype /Form /BBox [0 0 10 10]'
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] /Annots [5 0 R 6 0 R] >>',
    pdfStream('0 0 1 rg 0 0 10 10 re f', appearance),
    '<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 50 50] /AP << /N 4 0 R >> >>',
    '<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /T (a) /Rect [50 0 100 50] /AP << /N 4 0 R >> >>',
  ])
  const readColours = async (body: object) => {
    const { bytes } = await render({ file, dpi: 72, ...body })
    return [pixelAt(bytes, 20, 180), pixelAt(bytes, 80, 180)]
  }
  expect(await readColours({})).toEqual(['0000FF', '0000FF'])
  expect(await readColours({ annotations: false })).toEqual(['FFFFFF', '0000FF'])
  expect(await readColours({ forms: false })).toEqual(['0000FF', 'FFFFFF'])
  expect(await readColours({ forms: false, annotations: false })).toEqual(['FFFFFF', 'FFFFFF'])
})

test('omits hidden layers', async () => {
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [5 0 R 6 0 R] /D << /OFF [6 0 R] >> >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] /Contents 4 0 R /Resources << /Properties << /On 5 0 R /Off 6 0 R >> >> >>',
    pdfStream('/OC /On BDC 1 0 0 rg 0 0 50 50 re f EMC /OC /Off BDC 0 1 0 rg 50 0 50 50 re f EMC'),
    '<< /Type /OCG /Name (on) >>',
    '<< /Type /OCG /Name (off) >>',
  ])
  const { bytes } = await render({ file, dpi: 72 })
  expect([pixelAt(bytes, 20, 180), pixelAt(bytes, 80, 180)]).toEqual(['FF0000', 'FFFFFF'])
})

test('renders text in fonts that are not embedded, and CMYK colours', async () => {
  const resources = '/Resources << /Font << /F << /Type /Font /Subtype /TrueType /BaseFont /Arial >> >> >>'
  const { bytes } = await render({ file: buildPage(resources, 'BT /F 40 Tf 10 100 Td (MMM) Tj ET'), dpi: 72 })
  expect(
    Number(runProgram('convert', ['-', '-colorspace', 'gray', '-format', '%[fx:mean]', 'info:-'], bytes)),
  ).toBeLessThan(0.99)
  const print = await render({ file: buildPage('', '0 1 1 0 k 0 0 50 50 re f'), dpi: 72 })
  expect(pixelAt(print.bytes, 20, 180)).toMatch(/^[DEF]/)
})

test('opens an encrypted document with its password', async () => {
  const file = runQpdf(LETTER, ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const { files, warnings } = await render({ file, password: 'geheim', dpi: 36 })
  expect(files).toHaveLength(1)
  expect(warnings).toEqual([])
  await expect(render({ file })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test.each([
  { body: { pages: '3' }, problem: { code: 'BAD_RANGE' } },
  { body: { dpi: 72, width: 100 }, problem: { code: 'CONFLICTING_OPTIONS', hints: { fields: ['dpi', 'width'] } } },
  { body: { multipage: true }, problem: { code: 'CONFLICTING_OPTIONS', hints: { fields: ['multipage', 'format'] } } },
])('rejects $body', async ({ body, problem }) => {
  await expect(render({ file: LETTER, ...body })).rejects.toMatchObject(problem)
})

test('rejects more parts than a manifest allows and too many pixels', async () => {
  await expect(render({ file: plainPdf(101), pages: 'all' })).rejects.toMatchObject({
    code: 'TOO_MANY_OUTPUTS',
    hints: { outputs: 101, max: 100 },
  })
  const vast = buildPage('/MediaBox [0 0 7000 7000]')
  await expect(render({ file: vast, dpi: 600 })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
  expect((await render({ file: vast, width: 100 })).files).toMatchObject([{ width: 100, height: 100 }])
})

test.each([
  { title: 'an image', file: readFileSync('tasks/samples/gradient.png') },
  { title: 'a truncated document', file: LETTER.subarray(0, 400) },
])('rejects $title', async ({ file }) => {
  await expect(render({ file })).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})
