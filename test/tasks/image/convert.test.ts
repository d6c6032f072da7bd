import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { loadOperation } from '../../../tasks/index.ts'
import {
  createDiscImage,
  createHalvesImage,
  createNoiseImage,
  createPlainImage,
  createThreeFrames,
  FOREIGN_ENCODERS,
  identifyFrames,
  isColorClose,
  readPixel,
  readTiming,
  runOnFile,
} from '../../support/images/measure.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const convert = (file: Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'image.convert', { file, ...options })

test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'bmp'])('writes %s that ImageMagick reads', async to => {
  const { bytes, result } = await convert(await createHalvesImage(64, 32).png().toBuffer(), { to })
  expect((await identifyFrames(bytes)).map(line => line.replace('bmp3', 'bmp'))).toEqual([`${to} 64x32`])
  expect(result.image).toMatchObject({ width: 64, height: 32, format: to, pages: 1 })
})

test('writes avif, icons of several sizes and pdf', async () => {
  const file = await createHalvesImage(64, 32).png().toBuffer()
  const avif = await convert(file, { to: 'avif' })
  expect(avif.chargedMicros).toBe(2_000n)
  expect(await runOnFile('heif-info', avif.bytes, ['@'], '.avif')).toContain('64x32')
  const ico = await convert(file, { to: 'ico', sizes: [16, 32, 256] })
  expect(await identifyFrames(ico.bytes, '.ico')).toEqual(
    [16, 32, 256].map(side => expect.stringContaining(`${side}x${side}`)),
  )
  const pdf = await convert(file, { to: 'pdf', dpi: 72 })
  expect(await runOnFile('pdfinfo', pdf.bytes, ['@'])).toMatch(/Pages: +1\n[\s\S]*Page size: +64 x 32 pts/)
  expect(await runOnFile('qpdf', pdf.bytes, ['--check', '@'])).toContain('No syntax or stream encoding errors')
})

test('keeps colours and transparency in bmp', async () => {
  const opaque = await convert(await createHalvesImage(63, 5).png().toBuffer(), { to: 'bmp' })
  const back = await convert(opaque.bytes, { to: 'png' })
  expect([await readPixel(back.bytes, 2, 2), await readPixel(back.bytes, 60, 2)]).toEqual([
    [255, 0, 0],
    [0, 0, 255],
  ])
  const clear = await convert(await createDiscImage(40).png().toBuffer(), { to: 'bmp' })
  const png = await convert(clear.bytes, { to: 'png' })
  expect([await readPixel(png.bytes, 0, 0), await readPixel(png.bytes, 20, 20)]).toEqual([
    [0, 0, 0, 0],
    [255, 255, 255, 255],
  ])
})

test.each(Object.keys(FOREIGN_ENCODERS))('reads %s', async format => {
  const file = await FOREIGN_ENCODERS[format]!(await createHalvesImage(48, 32).png().toBuffer())
  const { bytes } = await convert(file, { to: 'png' })
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 48, height: 32 })
  expect(isColorClose(await readPixel(bytes, 4, 16), [255, 0, 0], 20)).toBe(true)
  expect(isColorClose(await readPixel(bytes, 44, 16), [0, 0, 255], 20)).toBe(true)
})

test('ignores the EXIF orientation of a HEIC', async () => {
  const { convertWith: written } = await import('../../support/images/measure.ts')
  const jpeg = await createHalvesImage(48, 32).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const file = await written('heif-enc', ['@in', '-o', '@out'], jpeg, 'heic')
  const { bytes } = await convert(file, { to: 'jpeg', metadata: 'keep' })
  const { width, height, orientation = 1 } = await sharp(bytes).metadata()
  expect([width, height, orientation]).toEqual([48, 32, 1])
})

test('rejects a truncated image in a foreign format', async () => {
  for (const format of ['heic', 'jxl', 'psd']) {
    const whole = await FOREIGN_ENCODERS[format]!(await createNoiseImage(200, 100).png().toBuffer())
    await expect(convert(whole.subarray(0, whole.length / 3), { to: 'png' })).rejects.toMatchObject({
      code: 'IMAGE_DECODE_FAILED',
    })
  }
})

test('keeps frames, delays and loop count between gif and webp, and sets new ones', async () => {
  const webp = await convert(await createThreeFrames('gif'), { to: 'webp', lossless: true })
  expect(await readTiming(webp.bytes, 'webp')).toEqual({ delays: [100, 150, 200], loop: 3 })
  const gif = await convert(await createThreeFrames('webp'), { to: 'gif' })
  expect((await readTiming(gif.bytes, 'gif')).delays).toEqual([100, 150, 200])
  const order = await Promise.all([0, 1, 2].map(page => readPixel(gif.bytes, 5, 5, page)))
  expect(order.map(([r, g]) => (r! > 200 ? 'red' : g! > 200 ? 'green' : 'blue'))).toEqual(['red', 'green', 'blue'])
  const slow = await convert(await createThreeFrames('gif'), { to: 'webp', delayMs: 500, loop: 0 })
  expect(await readTiming(slow.bytes, 'webp')).toEqual({ delays: [500, 500, 500], loop: 0 })
  const still = await convert(await createThreeFrames('gif'), { to: 'avif' })
  expect([still.warnings, still.result.image]).toMatchObject([
    ['ANIMATION_FLATTENED'],
    { width: 40, height: 20, pages: 1 },
  ])
})

test('applies bit depth, chroma subsampling and progressive mode', async () => {
  const photo = await createNoiseImage(64, 64).png().toBuffer()
  const deep = await convert(await createPlainImage(20, 20).toColourspace('rgb16').png().toBuffer(), { to: 'tiff' })
  expect(await runOnFile('identify', deep.bytes, ['-format', '%z', '@'])).toBe('16')
  const two = await convert(photo, { to: 'png', bitDepth: 1 })
  expect(Number(await runOnFile('identify', two.bytes, ['-format', '%k', '@']))).toBeLessThanOrEqual(2)
  const full = await convert(photo, { to: 'jpeg', chroma: '444', progressive: true })
  expect(await sharp(full.bytes).metadata()).toMatchObject({ chromaSubsampling: '4:4:4', isProgressive: true })
  await expect(convert(photo, { to: 'webp', bitDepth: 16 })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
})

test('offers no format that it cannot write', async () => {
  const { input } = await loadOperation('image.convert')
  const offered = (input as unknown as { properties: { to: { enum: string[] } } }).properties.to.enum
  const photo = await createNoiseImage(32, 32).png().toBuffer()
  for (const to of offered) expect((await convert(photo, { to })).bytes.length).toBeGreaterThan(0)
})

test('renders SVG at the requested size', async () => {
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="10" height="10" fill="#00f"/></svg>',
  )
  expect(await identifyFrames((await convert(svg, { to: 'png' })).bytes)).toEqual(['png 20x10'])
  expect(await identifyFrames((await convert(svg, { to: 'png', density: 192 })).bytes)).toEqual(['png 40x20'])
  expect(await identifyFrames((await convert(svg, { to: 'png', width: 300 })).bytes)).toEqual(['png 300x150'])
})

test('converts all pages of a TIFF to PDF, or the requested page', async () => {
  const { convertWith: written } = await import('../../support/images/measure.ts')
  const first = await createPlainImage(30, 20).png().toBuffer()
  const file = await written('convert-im6.q16', ['@in', '-size', '50x40', 'xc:#0000ff', '@out'], first, 'tiff')
  const pdf = await convert(file, { to: 'pdf' })
  expect(await runOnFile('pdfinfo', pdf.bytes, ['@'])).toMatch(/Pages: +2/)
  const second = await convert(file, { to: 'png', page: 2 })
  expect(await identifyFrames(second.bytes)).toEqual(['png 50x40'])
  expect((await convert(file, { to: 'png' })).warnings).toEqual(['PAGES_DROPPED'])
})

/** Frames may have equal colours and unusually long delays. */
async function buildGif(colors: readonly string[], delay: number[]): Promise<Buffer> {
  const frames = await Promise.all(colors.map(color => createPlainImage(20, 20, color).png().toBuffer()))
  return sharp(frames, { join: { animated: true } })
    .gif({ delay, keepDuplicateFrames: true })
    .toBuffer()
}

test('keeps identical neighbouring frames of a gif with their own delays', async () => {
  const file = await buildGif(['#f00', '#f00', '#00f', '#00f', '#f00'], [50, 700, 0, 65_530, 100])
  const gif = await convert(file, { to: 'gif' })
  expect((await readTiming(gif.bytes, 'gif')).delays).toEqual([50, 700, 0, 65_530, 100])
  expect(gif.result.image).toMatchObject({ pages: 5 })
  const webp = await convert(file, { to: 'webp' })
  const { delays } = await readTiming(webp.bytes, 'webp')
  expect([delays.length, webp.result.image]).toMatchObject([3, { pages: 3 }])
})

test('writes a gif with a delay of eleven minutes', async () => {
  const file = await buildGif(['#f00', '#00f'], [100, 100])
  file.writeUInt16LE(65_535, file.indexOf(Buffer.from('21f904', 'hex')) + 4)
  expect((await readTiming(file, 'gif')).delays[0]).toBe(655_350)
  const { bytes } = await runJob(pools, 'image.trim', { file, threshold: 1 })
  expect((await readTiming(bytes, 'gif')).delays).toHaveLength(2)
})

test('rejects a gif that ends within a frame, unless tolerant', async () => {
  const whole = await buildGif(['#f00', '#00f', '#0f0'], [100, 100, 100])
  const cut = whole.subarray(0, -8)
  await expect(convert(cut, { to: 'png' })).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
  const { warnings } = await convert(cut, { to: 'png', tolerant: true })
  expect(warnings).toContain('INPUT_DAMAGED')
  expect((await convert(whole.subarray(0, -1), { to: 'gif' })).result.image).toMatchObject({ pages: 3 })
})
