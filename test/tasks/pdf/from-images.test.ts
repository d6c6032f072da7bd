import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { runOperation } from '../../support/operations/run.ts'
import { PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { renderPage, withPdfFile } from '../../support/pdf/inspect.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const createPdf = (files: Uint8Array[], body: object = {}) => runJob(pools, 'pdf.from-images', { files, ...body })
const gradient = readFileSync('tasks/samples/gradient.png')
const mediaBoxesOf = (bytes: Uint8Array) => new PdfReader(bytes).pages.map(page => page['/MediaBox'])
const listEmbeddedImages = (bytes: Uint8Array) => withPdfFile(bytes, file => runProgram('pdfimages', ['-list', file]))
const extractFirstImage = (bytes: Uint8Array) =>
  withPdfFile(bytes, (file, folder) => {
    runProgram('pdfimages', ['-j', file, `${folder}/p`])
    return readFileSync(`${folder}/p-000.jpg`)
  })

/** White with a black quarter at the top left. */
const drawCorner = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'white' } }).composite([
    { input: { create: { width: width / 2, height: height / 2, channels: 3, background: 'black' } }, left: 0, top: 0 },
  ])

test('creates a page as large as each image', async () => {
  const jpeg = await sharp(gradient).jpeg().withDensity(72).toBuffer()
  const { bytes, result, units } = await createPdf([gradient, jpeg], { dpi: 72, title: 'Zwei Bilder' })
  expect([result.pages, units]).toEqual([2, 2])
  expect(mediaBoxesOf(bytes)).toEqual([
    [0, 0, 160, 120],
    [0, 0, 160, 120],
  ])
  expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax')
  expect(new PdfReader(bytes).info['/Title']).toBe('u:Zwei Bilder')
})

test('embeds JPEG byte for byte', async () => {
  const jpeg = await drawCorner(40, 20).jpeg({ quality: 60 }).toBuffer()
  const { bytes } = await createPdf([jpeg])
  expect(extractFirstImage(bytes).equals(jpeg)).toBe(true)
  expect(Object.keys(new PdfReader(bytes).info)).not.toContain('/Title')
  const reencoded = await createPdf([jpeg], { quality: 5 })
  expect(extractFirstImage(reencoded.bytes).length).toBeLessThan(jpeg.length)
})

test.each([1, 2, 3, 4, 5, 6, 7, 8])('rotates a photograph by EXIF orientation %s', async orientation => {
  const jpeg = await drawCorner(80, 40).jpeg().withMetadata({ orientation }).toBuffer()
  const upright = await sharp(jpeg).autoOrient().greyscale().raw().toBuffer({ resolveWithObject: true })
  const rendering = renderPage((await createPdf([jpeg], { dpi: 72 })).bytes)
  const { width, height } = upright.info
  expect([rendering.width, rendering.height]).toEqual([width, height])
  for (const [x, y] of [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75],
  ] as const) {
    const spot = Math.floor(y * height) * width + Math.floor(x * width)
    expect(Math.abs(rendering.grayAt(x * width, y * height) - upright.data[spot]!)).toBeLessThan(20)
  }
})

test('keeps CMYK, palettes, greyscale, bilevel images and transparency', async () => {
  const cmyk = await drawCorner(40, 40).toColourspace('cmyk').jpeg().toBuffer()
  const palette = await drawCorner(40, 40).png({ palette: true }).toBuffer()
  const grey = await drawCorner(40, 40).toColourspace('b-w').png().toBuffer()
  const clear = await sharp({ create: { width: 40, height: 40, channels: 4, background: '#00000000' } })
    .png()
    .toBuffer()
  const { bytes } = await createPdf([cmyk, palette, grey, clear], { dpi: 72, background: '#ffffff' })
  for (const page of [1, 2, 3]) {
    const rendering = renderPage(bytes, page)
    expect(rendering.grayAt(10, 10)).toBeLessThan(60)
    expect(rendering.grayAt(30, 30)).toBeGreaterThan(240)
  }
  expect(renderPage(bytes, 4).grayAt(20, 20)).toBe(255)
  expect(listEmbeddedImages(bytes)).toMatch(/cmyk[\s\S]*index[\s\S]*gray[\s\S]*smask/)
})

test.each([
  ['contain', [36, 171, 564, 567]],
  ['shrink', [280, 349, 320, 389]],
  ['fill', [36, 36, 564, 703]],
] as const)('places an image on a page of fixed size: %s', async (fit, [left, , right]) => {
  const square = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'black' } })
    .png()
    .toBuffer()
  const { bytes } = await createPdf([square], { pageSize: 'A4', margin: 36, fit, dpi: 72 })
  expect(mediaBoxesOf(bytes)).toEqual([[0, 0, 595.28, 841.89]])
  const { inkBox } = renderPage(bytes)
  expect(Math.abs(inkBox![0] - left)).toBeLessThan(4)
  expect(Math.abs(inkBox![2] - right)).toBeLessThan(8)
})

test('fills the page inside the margin and follows the orientation of the image', async () => {
  const wide = await sharp({ create: { width: 400, height: 40, channels: 3, background: 'black' } })
    .png()
    .toBuffer()
  const { bytes } = await createPdf([wide], { pageSize: 'letter', margin: 50, fit: 'cover' })
  expect(mediaBoxesOf(bytes)).toEqual([[0, 0, 792, 612]])
  for (const [index, side] of [50, 50, 742, 562].entries())
    expect(Math.abs(renderPage(bytes).inkBox![index]! - side)).toBeLessThan(2)
})

test('converts every page of a TIFF, the first frame of an animation, and SVG', async () => {
  const tiff = await sharp([await drawCorner(20, 20).png().toBuffer(), gradient], { join: { animated: true } })
    .tiff()
    .toBuffer()
  const gif = await sharp([gradient, await sharp(gradient).negate().png().toBuffer()], { join: { animated: true } })
    .gif()
    .toBuffer()
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="48"><rect width="48" height="48"/></svg>',
  )
  const { result, warnings, bytes } = await createPdf([gif, svg], { dpi: 96 })
  expect(result.pages).toBe(2)
  expect(warnings).toEqual(['ANIMATION_FLATTENED'])
  expect(mediaBoxesOf(bytes)[1]).toEqual([0, 0, 72, 36])
  expect(listEmbeddedImages(bytes)).toMatch(/300 +150/)
  expect((await createPdf([tiff])).result.pages).toBe(2)
})

test.each([
  {
    title: 'a file that is no image',
    files: [gradient, plainPdf(1)],
    code: 'IMAGE_DECODE_FAILED',
    hints: { index: 1 },
  },
  { title: 'a truncated image', files: [gradient.subarray(0, 60)], code: 'IMAGE_DECODE_FAILED', hints: {} },
  { title: 'an unknown colour', files: [gradient], body: { background: 'nocolour' }, code: 'INVALID_PARAM', hints: {} },
])('rejects $title', async ({ files, code, hints, body = {} }) => {
  await expect(createPdf(files, body)).rejects.toMatchObject({ code, hints })
})

test.each(['jpeg', 'png'] as const)('refuses a %s file that is cut off', async format => {
  const whole = await drawCorner(200, 100).toFormat(format).withMetadata({ density: 72 }).toBuffer()
  const cut = whole.subarray(0, Math.floor(whole.length * 0.8))
  await expect(createPdf([gradient, cut])).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED', hints: { index: 1 } })
  expect((await createPdf([Buffer.concat([whole, Buffer.from('trailing')])])).result.pages).toBe(1)
})

test.each([
  { kind: 'a gray PNG', channels: 1, format: 'png' },
  { kind: 'a PNG in colour', channels: 3, format: 'png' },
  { kind: 'a PNG with transparency', channels: 4, format: 'png' },
  { kind: 'a TIFF', channels: 3, format: 'tiff' },
] as const)('shows $kind of 16 bits a sample as it is', async ({ channels, format }) => {
  const samples = new Uint16Array(30 * 20 * channels).fill(30_000)
  if (channels === 4) for (let at = 3; at < samples.length; at += 4) samples[at] = 65_535
  const raw = { width: 30, height: 20, channels }
  const image = sharp(samples, { raw }).toColourspace(channels === 1 ? 'grey16' : 'rgb16')
  const { bytes } = await createPdf([await image[format]().toBuffer()], { dpi: 72 })
  const page = renderPage(bytes)
  for (const [x, y] of [
    [1, 1],
    [7, 10],
    [15, 4],
    [28, 18],
  ] as const)
    expect(Math.abs(page.grayAt(x, y) - 117)).toBeLessThanOrEqual(1)
})

const plainPixels = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'grey' } })

/** sharp writes 25.4 dpi into a PNG of which it knows no resolution. */
function cutPhys(png: Buffer): Buffer {
  const at = png.indexOf('pHYs') - 4
  return Buffer.concat([png.subarray(0, at), png.subarray(at + 21)])
}

/** The unit is 0 for the shape of pixels, 1 for inches and 2 for centimetres. */
function addJfif(jpeg: Buffer, unit: number, density: number): Buffer {
  const segment = Buffer.from('ffe000104a46494600010100000000000000', 'hex')
  segment.writeUInt8(unit, 11)
  segment.writeUInt16BE(density, 12)
  segment.writeUInt16BE(density, 14)
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)])
}

const plainPng = async () => cutPhys(await plainPixels(300, 200).png().toBuffer())
const plainJpeg = () => plainPixels(300, 200).jpeg().toBuffer()

test.each([
  { kind: 'a PNG', draw: plainPng },
  { kind: 'a JPEG', draw: plainJpeg },
  { kind: 'a JPEG with the shape of its pixels', draw: async () => addJfif(await plainJpeg(), 0, 1) },
  { kind: 'a JPEG with a filler', draw: async () => addJfif(await plainJpeg(), 1, 1) },
  { kind: 'a WebP', draw: () => plainPixels(300, 200).webp().toBuffer() },
  { kind: 'a GIF', draw: () => plainPixels(300, 200).gif().toBuffer() },
])('takes 96 dpi for $kind that records no resolution', async ({ draw }) => {
  expect(mediaBoxesOf((await createPdf([await draw()])).bytes)).toEqual([[0, 0, 225, 150]])
})

test.each([
  { kind: 'a PNG', draw: () => plainPixels(300, 200).png().withMetadata({ density: 72 }).toBuffer() },
  { kind: 'a JPEG with EXIF', draw: () => plainPixels(300, 200).jpeg().withMetadata({ density: 72 }).toBuffer() },
  { kind: 'a JPEG with JFIF', draw: async () => addJfif(await plainJpeg(), 1, 72) },
])('takes the 72 dpi that $kind records', async ({ draw }) => {
  expect(mediaBoxesOf((await createPdf([await draw()])).bytes)).toEqual([[0, 0, 300, 200]])
})

test('says of which of several files frames are lost', async () => {
  const gif = await sharp([gradient, await sharp(gradient).negate().png().toBuffer()], { join: { animated: true } })
    .gif()
    .toBuffer()
  const files = [gradient, gif].map(bytes => ({ inline: Buffer.from(bytes).toString('base64') }))
  const messages = async (body: object) =>
    (await runOperation('pdf.from-images', body)).warnings?.map(each => each.message)
  expect(await messages({ files })).toEqual(['File 1: Only the first of 2 frames is kept.'])
  expect(await messages({ files: files.slice(1) })).toEqual(['Only the first of 2 frames is kept.'])
})
