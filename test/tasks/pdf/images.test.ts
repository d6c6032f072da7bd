import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { FOREIGN_ENCODERS } from '../../support/images/measure.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { buildPdf, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LEAFLET = readFileSync('tasks/samples/leaflet.pdf')
const extractImages = (body: Record<string, unknown>) => runJob(pools, 'pdf.images', body)

const W = 60
const H = 40
const solidImage = (background: string) => sharp({ create: { width: W, height: H, channels: 3, background } })
const JPEG = await solidImage('#ff0000').jpeg().toBuffer()
const CMYK = await solidImage('#ff0000').toColourspace('cmyk').jpeg().toBuffer()
const buildHalves = (dark: number, light: number, bytes: number) =>
  Buffer.from(Array.from({ length: H * bytes }, (_, at) => (at % bytes < bytes / 2 ? dark : light)))
const BITS = buildHalves(0xff, 0, 8)
const GREY = buildHalves(0, 255, W)

function imageObject(head: string, data: Buffer, width = W, height = H): string {
  const kind = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent`
  return pdfStream(data.toString('latin1'), `${kind} ${head}`)
}

/** A page that draws one image, the first of the given objects. */
function buildPage(...objects: string[]): Buffer {
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
    pdfStream(`q ${W * 2} 0 0 ${H * 2} 0 0 cm /I Do Q`),
    ...objects,
  ])
}

/** Format, size, and the colours of one pixel on the left and one on the right, read by ImageMagick. */
function identifyImage(bytes: Buffer): string[] {
  const format = `%m|%wx%h|%[hex:p{10,20}]|%[hex:p{50,20}]`
  return runProgram('convert', ['-', '-depth', '8', '-format', format, 'info:-'], bytes).split('|')
}

async function extractSingle(file: Uint8Array, body = {}) {
  const { files } = await extractImages({ file, ...body })
  expect(files).toHaveLength(1)
  const [part] = files
  return { part: part!, bytes: part!.bytes }
}

test('extracts a JPEG unchanged and only once, and a transparent image as PNG', async () => {
  const { files, units, warnings } = await extractImages({ file: LEAFLET })
  expect([units, warnings]).toEqual([1, []])
  expect(files).toMatchObject([
    { index: 0, name: 'image-1.jpg', page: 1, occurrences: 2, width: 60, height: 40, dpi: 36, colorSpace: 'rgb' },
    { index: 1, name: 'image-2.png', page: 1, occurrences: 1, width: 32, height: 32, dpi: 72, colorSpace: 'rgb' },
  ])
  expect(LEAFLET.includes(files[0]!.bytes)).toBe(true)
  const what = '%m|%wx%h|%[hex:p{0,0}]|%[hex:p{16,16}]'
  expect(runProgram('convert', ['-', '-depth', '8', '-format', what, 'info:-'], files[1]!.bytes)).toMatch(
    /^PNG\|32x32\|[0-9A-F]{6}00\|C81E3CFF$/,
  )
})

test('extracts every use of an image on request and leaves out small images', async () => {
  expect((await extractImages({ file: LEAFLET, dedupe: false })).files.map(part => part.width)).toEqual([60, 60, 32])
  expect((await extractImages({ file: LEAFLET, minSide: 33 })).files.map(part => part.width)).toEqual([60])
})

test.each([
  [
    'a CMYK JPEG',
    imageObject('8 /ColorSpace /DeviceCMYK /Filter /DCTDecode /Decode [1 0 1 0 1 0 1 0]', CMYK),
    'JPEG',
    'cmyk',
  ],
  [
    'a deflated JPEG',
    imageObject('8 /ColorSpace /DeviceRGB /Filter [/FlateDecode /DCTDecode]', deflateSync(JPEG)),
    'JPEG',
    'rgb',
  ],
  [
    'a JPEG with inverted colours',
    imageObject('8 /ColorSpace /DeviceRGB /Filter /DCTDecode /Decode [1 0 1 0 1 0]', JPEG),
    'PNG',
    'rgb',
  ],
  [
    'a CMYK JPEG that is not inverted by Decode',
    imageObject('8 /ColorSpace /DeviceCMYK /Filter /DCTDecode', CMYK),
    'PNG',
    'cmyk',
  ],
])('decides whether %s can be extracted unchanged', async (_, object, format, colorSpace) => {
  const { part, bytes } = await extractSingle(buildPage(object))
  expect(identifyImage(bytes)[0]).toBe(format)
  expect(part).toMatchObject({ colorSpace })
})

test.each([
  [
    'two colours of a palette',
    [imageObject('1 /ColorSpace [/Indexed /DeviceRGB 1 <00ff000000ff>]', BITS)],
    ['0000FF', '00FF00'],
  ],
  ['shades of grey', [imageObject('8 /ColorSpace /DeviceGray', GREY)], ['000000', 'FFFFFF']],
  ['inverted black and white', [imageObject('1 /ColorSpace /DeviceGray /Decode [1 0]', BITS)], ['000000', 'FFFFFF']],
  ['a stencil', [imageObject('1 /ImageMask true', BITS)], [/..00$/, '000000FF']],
  [
    'an image with a stencil mask',
    [
      imageObject('8 /ColorSpace /DeviceGray /Mask 6 0 R', Buffer.alloc(W * H, 128)),
      imageObject('1 /ImageMask true', BITS),
    ],
    [/00$/, '808080FF'],
  ],
  [
    'an image with a colour key mask',
    [imageObject('8 /ColorSpace /DeviceGray /Mask [0 0]', GREY)],
    [/00$/, 'FFFFFFFF'],
  ],
  [
    'an image in a hidden layer',
    [imageObject('8 /ColorSpace /DeviceGray /OC 6 0 R', GREY), '<< /Type /OCG /Name (off) >>'],
    ['000000', 'FFFFFF'],
  ],
])('extracts %s as the page displays it', async (_, objects, [left, right]) => {
  const { bytes } = await extractSingle(buildPage(...objects))
  expect(identifyImage(bytes)).toEqual([
    'PNG',
    `${W}x${H}`,
    expect.stringMatching(left!),
    expect.stringMatching(right!),
  ])
})

test('extracts bilevel scans as bilevel images', async () => {
  const { bytes } = await extractSingle(buildPage(imageObject('1 /ColorSpace /DeviceGray', BITS)))
  expect(runProgram('identify', ['-format', '%[bit-depth] %[colors]', '-'], bytes)).toBe('1 2')
  const faxTiff = await sharp(GREY, { raw: { width: W, height: H, channels: 1 } })
    .toColourspace('b-w')
    .tiff({ compression: 'ccittfax4', bitdepth: 1, miniswhite: true })
    .toBuffer()
  const parms = `/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns ${W} /Rows ${H} >>`
  const { bytes: scan } = await extractSingle(
    buildPage(imageObject(`1 /ColorSpace /DeviceGray ${parms}`, readTiffStrip(faxTiff))),
  )
  expect(identifyImage(scan)).toEqual(['PNG', `${W}x${H}`, '000000', 'FFFFFF'])
})

/** The only strip of a small TIFF. */
function readTiffStrip(tiff: Buffer): Buffer {
  const start = tiff.readUInt32LE(4)
  const tags = Array.from({ length: tiff.readUInt16LE(start) }, (_, index) => start + 2 + index * 12)
  const readTag = (wanted: number) => {
    const at = tags.find(tag => tiff.readUInt16LE(tag) === wanted)!
    return tiff.readUInt16LE(at + 2) === 3 ? tiff.readUInt16LE(at + 8) : tiff.readUInt32LE(at + 8)
  }
  return tiff.subarray(readTag(273), readTag(273) + readTag(279))
}

test('extracts JPEG 2000 unchanged', async () => {
  const jp2 = await FOREIGN_ENCODERS.jp2!(await solidImage('#00ff00').png().toBuffer())
  const file = buildPage(imageObject('8 /ColorSpace /DeviceRGB /Filter /JPXDecode', jp2))
  const { part, bytes } = await extractSingle(file)
  expect(part).toMatchObject({ contentType: 'image/jp2', name: 'image-1.jp2' })
  expect(bytes.equals(jp2)).toBe(true)
  expect(identifyImage((await extractSingle(file, { format: 'png' })).bytes)).toEqual([
    'PNG',
    `${W}x${H}`,
    '00FF00',
    '00FF00',
  ])
})

test.each([
  { use: '/SMaskInData 1', format: 'original', left: 'FF000080' },
  { use: '/ColorSpace /DeviceRGB /SMaskInData 1', format: 'png', left: 'FF000080' },
  { use: '/SMaskInData 1', format: 'jpeg', left: /^F[EF][78].[78].$/ },
  { use: '/SMaskInData 0', format: 'original', left: 'FF0000' },
  { use: '', format: 'original', left: 'FF0000' },
])('extracts JPEG 2000 that has an alpha channel with "$use" as $format', async ({ use, format, left }) => {
  const half = { create: { width: W, height: H, channels: 4, background: '#ff000080' } } as const
  const jp2 = await FOREIGN_ENCODERS.jp2!(await sharp(half).png().toBuffer())
  const { bytes } = await extractSingle(buildPage(imageObject(`8 ${use} /Filter /JPXDecode`, jp2)), { format })
  const [kind, size, ...colors] = identifyImage(bytes)
  expect([kind, size]).toEqual([format === 'jpeg' ? 'JPEG' : 'PNG', `${W}x${H}`])
  for (const color of colors) expect(color).toMatch(left)
})

test('extracts inline images', async () => {
  const inline = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
    pdfStream(
      `q 60 0 0 40 0 0 cm /I Do Q q 60 0 0 20 0 100 cm BI /W 60 /H 20 /CS /G /BPC 8 ID ${'\x40'.repeat(1200)} EI Q`,
    ),
    imageObject('8 /ColorSpace /DeviceGray', GREY),
  ])
  const { files } = await extractImages({ file: inline })
  expect(files).toMatchObject([{ height: 40 }, { height: 20, width: 60, colorSpace: 'gray' }])
  expect(runProgram('convert', ['-', '-depth', '8', '-format', '%[hex:p{5,5}]', 'info:-'], files[1]!.bytes)).toBe(
    '404040',
  )
})

/** A JPEG with some wrong bytes, after which poppler finds an image in its list and none when it writes. */
const DAMAGED_JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQBxAQABAAD/26NDADECRgICAgMCAgIDA+ADBFkEBAQEBAgGBgUGCQiYCgluCQkKDA8MCgsOQAkJDRENDg8QEBEQCgwSExIQEw8Q' +
    '+BD/wAALCAAUADwBAdoA/8QAFQABAQAAAAA7AAAAAAAAlgAAAAL/xAAUEAEAAADaAADSAAAAADoAAAAA/9oACIEBjgA/AIAAAAA9AB//2Q==',
  'base64',
).toString('latin1')

test.each([
  ['after a damaged one', `BI /W 60 /H 20 /CS /RGB /BPC 4 /F /DCT  ID ${DAMAGED_JPEG}`],
  ['wider than PNG allows', `BI /W 1500000 /H 20 /IM true ID ${'\x40'.repeat(1200)}`],
])('leaves out an inline image %s, and says so', async (_, image) => {
  const good = `q 60 0 0 20 0 100 cm BI /W 60 /H 20 /CS /G /BPC 8 ID ${'\x40'.repeat(1200)} EI Q\n`
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R >>',
    pdfStream(`q 60 0 0 20 0 0 cm ${image}\nEI Q\n${good}`),
  ])
  const { files, warnings } = await extractImages({ file })
  expect([files.length < 2, warnings]).toEqual([true, ['IMAGES_UNREADABLE']])
})

test.each(['png', 'jpeg'])('converts everything to %s on request', async format => {
  const { files } = await extractImages({ file: LEAFLET, format })
  const formats = files.map(part => runProgram('identify', ['-format', '%m', '-'], part.bytes))
  expect(formats).toEqual([format.toUpperCase(), format.toUpperCase()])
  expect(files.map(part => part.contentType)).toEqual([`image/${format}`, `image/${format}`])
})

test('searches only the selected pages and returns an empty list without images', async () => {
  const file = runQpdf(LEAFLET, ['--empty', '--pages', 'IN', 'tasks/samples/letter.pdf', 'IN', '--', 'OUT'])
  const { files, units } = await extractImages({ file, pages: '2-3' })
  expect(units).toBe(2)
  expect(files).toEqual([])
  expect((await extractImages({ file, pages: 'last' })).files).toMatchObject([{ page: 4, occurrences: 2 }, { page: 4 }])
  expect((await extractImages({ file: plainPdf(1) })).files).toEqual([])
  await expect(extractImages({ file, pages: '9' })).rejects.toMatchObject({ code: 'BAD_RANGE' })
})

test('zips images and rejects more than a manifest allows', async () => {
  const many = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /XObject << ${Array.from({ length: 101 }, (_, at) => `/I${at} ${at + 5} 0 R`).join(' ')} >> >> >>`,
    pdfStream(Array.from({ length: 101 }, (_, at) => `q 20 0 0 20 0 0 cm /I${at} Do Q`).join('\n')),
    ...Array.from({ length: 101 }, (_, at) => imageObject('8 /ColorSpace /DeviceGray', Buffer.alloc(400, at), 20, 20)),
  ])
  await expect(extractImages({ file: many })).rejects.toMatchObject({
    code: 'TOO_MANY_OUTPUTS',
    hints: { outputs: 101, max: 100 },
  })
  const { result, bytes } = await extractImages({ file: many, zip: true })
  expect(result.parts).toHaveLength(101)
  expect(bytes.subarray(0, 2).toString()).toBe('PK')
})

test('opens an encrypted document with its password', async () => {
  const file = runQpdf(LEAFLET, ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  expect((await extractImages({ file, password: 'geheim' })).files).toHaveLength(2)
  await expect(extractImages({ file })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test.each([
  { title: 'an image', file: readFileSync('tasks/samples/gradient.png') },
  { title: 'a truncated document', file: LEAFLET.subarray(0, 300) },
])('rejects $title', async ({ file }) => {
  await expect(extractImages({ file })).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})

test('does not render an oversized image', async () => {
  const bomb = buildPage(
    imageObject('8 /ColorSpace /DeviceGray /Filter /FlateDecode', deflateSync(Buffer.alloc(1000)), 100_000, 100_000),
  )
  await expect(extractImages({ file: bomb })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
})
