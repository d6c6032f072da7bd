import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { pdfOf, plainPdf, qpdf, streamOf } from '../../support/pdf.ts'
import { FOREIGN } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'
import { runProgram } from '../../support/programs.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LEAFLET = readFileSync('test/samples/leaflet.pdf')
const take = (body: Record<string, unknown>) => runJob(pools, 'pdf.images', body)

const W = 60
const H = 40
const plain = (background: string) => sharp({ create: { width: W, height: H, channels: 3, background } })
const JPEG = await plain('#ff0000').jpeg().toBuffer()
const CMYK = await plain('#ff0000').toColourspace('cmyk').jpeg().toBuffer()
const half = (dark: number, light: number, bytes: number) =>
  Buffer.from(Array.from({ length: H * bytes }, (_, at) => (at % bytes < bytes / 2 ? dark : light)))
const BITS = half(0xff, 0, 8)
const GREY = half(0, 255, W)

function image(head: string, data: Buffer, width = W, height = H): string {
  const kind = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent`
  return streamOf(data.toString('latin1'), `${kind} ${head}`)
}

/** A page that draws one picture, the first of the objects given. */
function page(...objects: string[]): Buffer {
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
    streamOf(`q ${W * 2} 0 0 ${H * 2} 0 0 cm /I Do Q`),
    ...objects,
  ])
}

/** Format, size, and the colours of a pixel on the left and one on the right, as ImageMagick reads them. */
function seen(bytes: Buffer): string[] {
  const what = `%m|%wx%h|%[hex:p{10,20}]|%[hex:p{50,20}]`
  return runProgram('convert', ['-', '-depth', '8', '-format', what, 'info:-'], bytes).split('|')
}

async function only(file: Uint8Array, body = {}) {
  const { files } = await take({ file, ...body })
  expect(files).toHaveLength(1)
  const [part] = files
  return { part: part!, bytes: part!.bytes }
}

test('takes a JPEG as it is, once however often it is drawn, and makes PNG of what is partly transparent', async () => {
  const { files, units, warnings } = await take({ file: LEAFLET })
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

test('takes every drawing where that is asked for, and leaves out small ones', async () => {
  expect((await take({ file: LEAFLET, dedupe: false })).files.map(part => part.width)).toEqual([60, 60, 32])
  expect((await take({ file: LEAFLET, minSide: 33 })).files.map(part => part.width)).toEqual([60])
})

test.each([
  [
    'a JPEG in inks',
    image('8 /ColorSpace /DeviceCMYK /Filter /DCTDecode /Decode [1 0 1 0 1 0 1 0]', CMYK),
    'JPEG',
    'cmyk',
  ],
  [
    'a JPEG that is deflated too',
    image('8 /ColorSpace /DeviceRGB /Filter [/FlateDecode /DCTDecode]', deflateSync(JPEG)),
    'JPEG',
    'rgb',
  ],
  [
    'a JPEG whose colours are turned over',
    image('8 /ColorSpace /DeviceRGB /Filter /DCTDecode /Decode [1 0 1 0 1 0]', JPEG),
    'PNG',
    'rgb',
  ],
  ['inks turned over twice', image('8 /ColorSpace /DeviceCMYK /Filter /DCTDecode', CMYK), 'PNG', 'cmyk'],
])('knows whether it can take %s as it is', async (_, object, format, colorSpace) => {
  const { part, bytes } = await only(page(object))
  expect(seen(bytes)[0]).toBe(format)
  expect(part).toMatchObject({ colorSpace })
})

test.each([
  [
    'two colours of a palette',
    [image('1 /ColorSpace [/Indexed /DeviceRGB 1 <00ff000000ff>]', BITS)],
    ['0000FF', '00FF00'],
  ],
  ['shades of grey', [image('8 /ColorSpace /DeviceGray', GREY)], ['000000', 'FFFFFF']],
  ['black and white turned over', [image('1 /ColorSpace /DeviceGray /Decode [1 0]', BITS)], ['000000', 'FFFFFF']],
  ['a stencil', [image('1 /ImageMask true', BITS)], [/..00$/, '000000FF']],
  [
    'a picture with a stencil over it',
    [image('8 /ColorSpace /DeviceGray /Mask 6 0 R', Buffer.alloc(W * H, 128)), image('1 /ImageMask true', BITS)],
    [/00$/, '808080FF'],
  ],
  ['a picture with one colour cut out', [image('8 /ColorSpace /DeviceGray /Mask [0 0]', GREY)], [/00$/, 'FFFFFFFF']],
  [
    'a picture of a layer that is off',
    [image('8 /ColorSpace /DeviceGray /OC 6 0 R', GREY), '<< /Type /OCG /Name (off) >>'],
    ['000000', 'FFFFFF'],
  ],
])('takes %s as the page shows it', async (_, objects, [left, right]) => {
  const { bytes } = await only(page(...objects))
  expect(seen(bytes)).toEqual(['PNG', `${W}x${H}`, expect.stringMatching(left!), expect.stringMatching(right!)])
})

test('takes scans of one bit as pictures of one bit', async () => {
  const { bytes } = await only(page(image('1 /ColorSpace /DeviceGray', BITS)))
  expect(runProgram('identify', ['-format', '%[bit-depth] %[colors]', '-'], bytes)).toBe('1 2')
  const fax = await sharp(GREY, { raw: { width: W, height: H, channels: 1 } })
    .toColourspace('b-w')
    .tiff({ compression: 'ccittfax4', bitdepth: 1, miniswhite: true })
    .toBuffer()
  const parms = `/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns ${W} /Rows ${H} >>`
  const { bytes: scan } = await only(page(image(`1 /ColorSpace /DeviceGray ${parms}`, stripOf(fax))))
  expect(seen(scan)).toEqual(['PNG', `${W}x${H}`, '000000', 'FFFFFF'])
})

/** The one strip of a small TIFF. */
function stripOf(tiff: Buffer): Buffer {
  const start = tiff.readUInt32LE(4)
  const tags = Array.from({ length: tiff.readUInt16LE(start) }, (_, index) => start + 2 + index * 12)
  const entryOf = (wanted: number) => {
    const at = tags.find(tag => tiff.readUInt16LE(tag) === wanted)!
    return tiff.readUInt16LE(at + 2) === 3 ? tiff.readUInt16LE(at + 8) : tiff.readUInt32LE(at + 8)
  }
  return tiff.subarray(entryOf(273), entryOf(273) + entryOf(279))
}

test('takes JPEG 2000 as it is', async () => {
  const jp2 = await FOREIGN.jp2!(await plain('#00ff00').png().toBuffer())
  const file = page(image('8 /ColorSpace /DeviceRGB /Filter /JPXDecode', jp2))
  const { part, bytes } = await only(file)
  expect(part).toMatchObject({ contentType: 'image/jp2', name: 'image-1.jp2' })
  expect(bytes.equals(jp2)).toBe(true)
  expect(seen((await only(file, { format: 'png' })).bytes)).toEqual(['PNG', `${W}x${H}`, '00FF00', '00FF00'])
})

test('takes pictures that stand in the drawing of the page', async () => {
  const inline = pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
    streamOf(
      `q 60 0 0 40 0 0 cm /I Do Q q 60 0 0 20 0 100 cm BI /W 60 /H 20 /CS /G /BPC 8 ID ${'\x40'.repeat(1200)} EI Q`,
    ),
    image('8 /ColorSpace /DeviceGray', GREY),
  ])
  const { files } = await take({ file: inline })
  expect(files).toMatchObject([{ height: 40 }, { height: 20, width: 60, colorSpace: 'gray' }])
  expect(runProgram('convert', ['-', '-depth', '8', '-format', '%[hex:p{5,5}]', 'info:-'], files[1]!.bytes)).toBe(
    '404040',
  )
})

test.each(['png', 'jpeg'])('makes everything %s where that is asked for', async format => {
  const { files } = await take({ file: LEAFLET, format })
  const formats = files.map(part => runProgram('identify', ['-format', '%m', '-'], part.bytes))
  expect(formats).toEqual([format.toUpperCase(), format.toUpperCase()])
  expect(files.map(part => part.contentType)).toEqual([`image/${format}`, `image/${format}`])
})

test('searches only the pages asked for, and answers an empty list where there is nothing', async () => {
  const file = qpdf(LEAFLET, ['--empty', '--pages', 'IN', 'test/samples/letter.pdf', 'IN', '--', 'OUT'])
  const { files, units } = await take({ file, pages: '2-3' })
  expect(units).toBe(2)
  expect(files).toEqual([])
  expect((await take({ file, pages: 'last' })).files).toMatchObject([{ page: 4, occurrences: 2 }, { page: 4 }])
  expect((await take({ file: plainPdf(1) })).files).toEqual([])
  await expect(take({ file, pages: '9' })).rejects.toMatchObject({ code: 'BAD_RANGE' })
})

test('zips pictures, and refuses more than a manifest may have', async () => {
  const many = pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /XObject << ${Array.from({ length: 101 }, (_, at) => `/I${at} ${at + 5} 0 R`).join(' ')} >> >> >>`,
    streamOf(Array.from({ length: 101 }, (_, at) => `q 20 0 0 20 0 0 cm /I${at} Do Q`).join('\n')),
    ...Array.from({ length: 101 }, (_, at) => image('8 /ColorSpace /DeviceGray', Buffer.alloc(400, at), 20, 20)),
  ])
  await expect(take({ file: many })).rejects.toMatchObject({
    code: 'TOO_MANY_OUTPUTS',
    hints: { outputs: 101, max: 100 },
  })
  const { result, bytes } = await take({ file: many, zip: true })
  expect(result.parts).toHaveLength(101)
  expect(bytes.subarray(0, 2).toString()).toBe('PK')
})

test('opens an encrypted document with its password', async () => {
  const file = qpdf(LEAFLET, ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  expect((await take({ file, password: 'geheim' })).files).toHaveLength(2)
  await expect(take({ file })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test.each([
  { title: 'a picture', file: readFileSync('test/samples/gradient.png') },
  { title: 'half a document', file: LEAFLET.subarray(0, 300) },
])('refuses $title', async ({ file }) => {
  await expect(take({ file })).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})

test('does not draw a picture without end', async () => {
  const bomb = page(
    image('8 /ColorSpace /DeviceGray /Filter /FlateDecode', deflateSync(Buffer.alloc(1000)), 100_000, 100_000),
  )
  await expect(take({ file: bomb })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
})
