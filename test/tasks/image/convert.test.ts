import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  disc,
  FOREIGN,
  halves,
  identified,
  isNear,
  noise,
  pixel,
  plain,
  seenBy,
  timing,
  traffic,
} from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const convert = (file: Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'image.convert', { file, ...options })

test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'bmp'])('writes %s that ImageMagick reads', async to => {
  const { bytes, result } = await convert(await halves(64, 32).png().toBuffer(), { to })
  expect((await identified(bytes)).map(line => line.replace('bmp3', 'bmp'))).toEqual([`${to} 64x32`])
  expect(result.image).toMatchObject({ width: 64, height: 32, format: to, pages: 1 })
})

test('writes avif, icons of several sizes and pdf', async () => {
  const file = await halves(64, 32).png().toBuffer()
  const avif = await convert(file, { to: 'avif' })
  expect(avif.units).toBe(2)
  expect(await seenBy('heif-info', avif.bytes, ['@'], '.avif')).toContain('64x32')
  const ico = await convert(file, { to: 'ico', sizes: [16, 32, 256] })
  expect(await identified(ico.bytes, '.ico')).toEqual(
    [16, 32, 256].map(side => expect.stringContaining(`${side}x${side}`)),
  )
  const pdf = await convert(file, { to: 'pdf', dpi: 72 })
  expect(await seenBy('pdfinfo', pdf.bytes, ['@'])).toMatch(/Pages: +1\n[\s\S]*Page size: +64 x 32 pts/)
  expect(await seenBy('qpdf', pdf.bytes, ['--check', '@'])).toContain('No syntax or stream encoding errors')
})

test('bmp holds colours, and transparency', async () => {
  const opaque = await convert(await halves(63, 5).png().toBuffer(), { to: 'bmp' })
  const back = await convert(opaque.bytes, { to: 'png' })
  expect([await pixel(back.bytes, 2, 2), await pixel(back.bytes, 60, 2)]).toEqual([
    [255, 0, 0],
    [0, 0, 255],
  ])
  const clear = await convert(await disc(40).png().toBuffer(), { to: 'bmp' })
  const png = await convert(clear.bytes, { to: 'png' })
  expect([await pixel(png.bytes, 0, 0), await pixel(png.bytes, 20, 20)]).toEqual([
    [0, 0, 0, 0],
    [255, 255, 255, 255],
  ])
})

test.each(Object.keys(FOREIGN))('reads %s', async format => {
  const file = await FOREIGN[format]!(await halves(48, 32).png().toBuffer())
  const { bytes } = await convert(file, { to: 'png' })
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 48, height: 32 })
  expect(isNear(await pixel(bytes, 4, 16), [255, 0, 0], 20)).toBe(true)
  expect(isNear(await pixel(bytes, 44, 16), [0, 0, 255], 20)).toBe(true)
})

test('turns a HEIC only as its own picture says', async () => {
  const { written } = await import('../../support/pictures.ts')
  const jpeg = await halves(48, 32).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const file = await written('heif-enc', ['@in', '-o', '@out'], jpeg, 'heic')
  const { bytes } = await convert(file, { to: 'jpeg', metadata: 'keep' })
  const { width, height, orientation = 1 } = await sharp(bytes).metadata()
  expect([width, height, orientation]).toEqual([48, 32, 1])
})

test('a truncated foreign picture is refused', async () => {
  for (const format of ['heic', 'jxl', 'psd']) {
    const whole = await FOREIGN[format]!(await noise(200, 100).png().toBuffer())
    await expect(convert(whole.subarray(0, whole.length / 3), { to: 'png' })).rejects.toMatchObject({
      code: 'IMAGE_DECODE_FAILED',
    })
  }
})

test('keeps frames, delays and rounds between gif and webp, and sets others', async () => {
  const webp = await convert(await traffic('gif'), { to: 'webp', lossless: true })
  expect(await timing(webp.bytes, 'webp')).toEqual({ delays: [100, 150, 200], loop: 3 })
  const gif = await convert(await traffic('webp'), { to: 'gif' })
  expect((await timing(gif.bytes, 'gif')).delays).toEqual([100, 150, 200])
  const order = await Promise.all([0, 1, 2].map(page => pixel(gif.bytes, 5, 5, page)))
  expect(order.map(([r, g]) => (r! > 200 ? 'red' : g! > 200 ? 'green' : 'blue'))).toEqual(['red', 'green', 'blue'])
  const slow = await convert(await traffic('gif'), { to: 'webp', delayMs: 500, loop: 0 })
  expect(await timing(slow.bytes, 'webp')).toEqual({ delays: [500, 500, 500], loop: 0 })
  const still = await convert(await traffic('gif'), { to: 'avif' })
  expect([still.warnings, still.result.image]).toMatchObject([
    ['ANIMATION_FLATTENED'],
    { width: 40, height: 20, pages: 1 },
  ])
})

test('writes depth, chroma and passes as asked', async () => {
  const photo = await noise(64, 64).png().toBuffer()
  const deep = await convert(await plain(20, 20).toColourspace('rgb16').png().toBuffer(), { to: 'tiff' })
  expect(await seenBy('identify', deep.bytes, ['-format', '%z', '@'])).toBe('16')
  const two = await convert(photo, { to: 'png', bitDepth: 1 })
  expect(Number(await seenBy('identify', two.bytes, ['-format', '%k', '@']))).toBeLessThanOrEqual(2)
  const full = await convert(photo, { to: 'jpeg', chroma: '444', progressive: true })
  expect(await sharp(full.bytes).metadata()).toMatchObject({ chromaSubsampling: '4:4:4', isProgressive: true })
  await expect(convert(photo, { to: 'webp', bitDepth: 16 })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
  await expect(convert(photo, { to: 'heic' })).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
})

test('draws vector pictures at the size wanted', async () => {
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="10" height="10" fill="#00f"/></svg>',
  )
  expect(await identified((await convert(svg, { to: 'png' })).bytes)).toEqual(['png 20x10'])
  expect(await identified((await convert(svg, { to: 'png', density: 192 })).bytes)).toEqual(['png 40x20'])
  expect(await identified((await convert(svg, { to: 'png', width: 300 })).bytes)).toEqual(['png 300x150'])
})

test('a TIFF of several pages becomes a PDF of all, or gives the one asked for', async () => {
  const { written } = await import('../../support/pictures.ts')
  const first = await plain(30, 20).png().toBuffer()
  const file = await written('convert-im6.q16', ['@in', '-size', '50x40', 'xc:#0000ff', '@out'], first, 'tiff')
  const pdf = await convert(file, { to: 'pdf' })
  expect(await seenBy('pdfinfo', pdf.bytes, ['@'])).toMatch(/Pages: +2/)
  const second = await convert(file, { to: 'png', page: 2 })
  expect(await identified(second.bytes)).toEqual(['png 50x40'])
  expect((await convert(file, { to: 'png' })).warnings).toEqual(['PAGES_DROPPED'])
})

/** Frames of colours that may be the same, with delays of which some are longer than a program expects. */
async function frames(colors: readonly string[], delay: number[]): Promise<Buffer> {
  const pictures = await Promise.all(colors.map(color => plain(20, 20, color).png().toBuffer()))
  return sharp(pictures, { join: { animated: true } })
    .gif({ delay, keepDuplicateFrames: true })
    .toBuffer()
}

test('frames that look like their neighbours stay frames of a gif, with their own delays', async () => {
  const file = await frames(['#f00', '#f00', '#00f', '#00f', '#f00'], [50, 700, 0, 65_530, 100])
  const gif = await convert(file, { to: 'gif' })
  expect((await timing(gif.bytes, 'gif')).delays).toEqual([50, 700, 0, 65_530, 100])
  expect(gif.result.image).toMatchObject({ pages: 5 })
  const webp = await convert(file, { to: 'webp' })
  const { delays } = await timing(webp.bytes, 'webp')
  expect([delays.length, webp.result.image]).toMatchObject([3, { pages: 3 }])
})

test('a gif that asks for eleven minutes a frame is still made', async () => {
  const file = await frames(['#f00', '#00f'], [100, 100])
  file.writeUInt16LE(65_535, file.indexOf(Buffer.from('21f904', 'hex')) + 4)
  expect((await timing(file, 'gif')).delays[0]).toBe(655_350)
  const { bytes } = await runJob(pools, 'image.trim', { file, threshold: 1 })
  expect((await timing(bytes, 'gif')).delays).toHaveLength(2)
})

test('a gif that ends within a frame is refused, or used as far as it goes where that is wanted', async () => {
  const whole = await frames(['#f00', '#00f', '#0f0'], [100, 100, 100])
  const cut = whole.subarray(0, -8)
  await expect(convert(cut, { to: 'png' })).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
  const { warnings } = await convert(cut, { to: 'png', tolerant: true })
  expect(warnings).toContain('INPUT_DAMAGED')
  expect((await convert(whole.subarray(0, -1), { to: 'gif' })).result.image).toMatchObject({ pages: 3 })
})
