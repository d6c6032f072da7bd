import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  BLUE,
  createHalvesImage,
  createNoiseImage,
  createPlainImage,
  createThreeFrames,
  FOREIGN_ENCODERS,
  identifyFrames,
  readPixel,
} from '../../support/images/measure.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const compare = (a: Uint8Array, b: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.compare', { a, b, ...options })

const makeWhite = (width = 60, height = 40) => createPlainImage(width, height, '#ffffff').png().toBuffer()
const makeBox = (background: string, left = 20, top = 5) =>
  createPlainImage(60, 40, '#ffffff')
    .composite([{ input: { create: { width: 10, height: 8, channels: 3, background } }, left, top }])
    .png()
    .toBuffer()

/** What ImageMagick measures, on its scale from 0 to 1. */
async function measure(metric: string, a: Uint8Array, b: Uint8Array): Promise<number> {
  await using folder = await freshFolder()
  const paths = [join(folder.path, 'a.png'), join(folder.path, 'b.png')]
  writeFileSync(paths[0]!, a)
  writeFileSync(paths[1]!, b)
  const { stderr } = spawnSync('compare', ['-metric', metric, ...paths, 'null:'], { encoding: 'utf8' })
  return Number(/\(([\d.e+-]+)\)/.exec(stderr)?.[1] ?? stderr)
}

test('the same pixels in another file are identical', async () => {
  const png = await createHalvesImage(60, 40).png().toBuffer()
  const webp = await sharp(png).webp({ lossless: true }).toBuffer()
  const { result, warnings, chargedMicros } = await compare(png, webp)
  expect(result).toEqual({
    identical: true,
    ...{ a: { width: 60, height: 40 }, b: { width: 60, height: 40 }, compared: { width: 60, height: 40 } },
    ...{ differingPixels: 0, differingShare: 0, meanDifference: 0, rmsDifference: 0, ssim: 1, hashDistance: 0 },
    ...{ box: null, regions: [] },
  })
  expect(warnings).toEqual([])
  expect(chargedMicros).toBe(1000n)
})

test('finds the box that differs, and marks it', async () => {
  const { result, bytes } = await compare(await makeWhite(), await makeBox(BLUE), { report: 'png' })
  expect(result).toMatchObject({
    identical: false,
    differingPixels: 80,
    differingShare: 0.033333,
    box: { x: 20, y: 5, width: 10, height: 8 },
    regions: [{ x: 12, y: 0, width: 24, height: 24 }],
    output: { contentType: 'image/png' },
  })
  expect(await identifyFrames(bytes)).toEqual(['png 60x40'])
  expect(await readPixel(bytes, 25, 9)).toEqual([255, 0, 0])
  expect(await readPixel(bytes, 19, 9)).toEqual([255, 255, 255])
})

test('measures the same differences as ImageMagick', async () => {
  const noise = await createNoiseImage(64, 48).png().toBuffer()
  const other = await sharp(noise).blur(1).png().toBuffer()
  const { result } = await compare(noise, other, { threshold: 0 })
  expect(result.meanDifference).toBeCloseTo((await measure('MAE', noise, other)) * 255, 1)
  expect(result.rmsDifference).toBeCloseTo((await measure('RMSE', noise, other)) * 255, 1)
  expect(result.differingPixels).toBe(await measure('AE', noise, other))
  expect(result.ssim).toBeLessThan(0.9)
})

test('small differences count only below the threshold, and are never called identical', async () => {
  const [white, faint] = [await makeWhite(), await makeBox('#fafafa')]
  const options = { threshold: 0 }
  expect((await compare(white, faint)).result).toMatchObject({ identical: false, differingPixels: 0, box: null })
  expect((await compare(white, faint, options)).result).toMatchObject({ identical: false, differingPixels: 80 })
  const { result } = await compare(white, await sharp(white).linear(1, -1).png().toBuffer(), { threshold: 1 })
  expect(result).toMatchObject({ identical: false, differingPixels: 0, meanDifference: 1 })
})

test('sees differences beyond eight bits', async () => {
  const deep = (value: number) => {
    const raw = { width: 4, height: 4, channels: 3 as const }
    return sharp(new Uint16Array(48).fill(value), { raw }).toColourspace('rgb16').png().toBuffer()
  }
  const [one, other] = [await deep(0x8010), await deep(0x8020)]
  expect((await sharp(one).metadata()).depth).toBe('ushort')
  expect((await compare(one, one)).result.identical).toBe(true)
  expect((await compare(one, other)).result).toMatchObject({ identical: false, differingPixels: 0 })
})

test('applies the orientation of a photo', async () => {
  const upright = createHalvesImage(60, 40)
  const turned = await sharp(await upright.png().toBuffer())
    .rotate(-90)
    .withMetadata({ orientation: 6 })
    .png()
    .toBuffer()
  const { result } = await compare(await upright.png().toBuffer(), turned)
  expect(result).toMatchObject({ identical: true, b: { width: 60, height: 40 } })
})

test('colours of transparent pixels do not count, transparency does', async () => {
  const clear = (background: string) =>
    sharp({ create: { width: 20, height: 20, channels: 4, background } })
      .png()
      .toBuffer()
  const [red, blue, white] = [
    await clear('rgba(255,0,0,0)'),
    await clear('rgba(0,0,255,0)'),
    await clear('rgba(255,255,255,1)'),
  ]
  expect((await compare(red, blue)).result.identical).toBe(true)
  expect((await compare(red, white)).result).toMatchObject({ identical: false, differingPixels: 400 })
})

test('images of different sizes are scaled, put on a canvas, or refused', async () => {
  const [large, small] = [
    await createHalvesImage(60, 40).png().toBuffer(),
    await createHalvesImage(30, 20).png().toBuffer(),
  ]
  const scaled = await compare(large, small)
  expect(scaled.result).toMatchObject({ identical: false, b: { width: 30, height: 20 }, hashDistance: 0 })
  expect(scaled.result.differingShare).toBeLessThan(0.1)
  expect(scaled.warnings).toEqual(['SIZES_DIFFER'])
  const canvas = await compare(small, await createHalvesImage(20, 30).png().toBuffer(), { sizes: 'canvas' })
  expect(canvas.result).toMatchObject({
    compared: { width: 30, height: 30 },
    box: { x: 0, y: 0, width: 30, height: 30 },
  })
  expect(canvas.result.box).not.toBeNull()
  await expect(compare(large, small, { sizes: 'refuse' })).rejects.toMatchObject({
    code: 'SIZES_DIFFER',
    hints: { a: { width: 60, height: 40 }, b: { width: 30, height: 20 } },
  })
})

test('smoothed edges can be ignored, and what is new beside them still counts', async () => {
  const draw = (sharpness: string, extra = '') =>
    sharp(
      Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><rect width="80" height="80" fill="#fff"/>
        <path d="M10 70 L70 13 L70 70 Z" shape-rendering="${sharpness}"/>${extra}</svg>`),
    )
      .png()
      .toBuffer()
  const [smooth, jagged] = [await draw('auto'), await draw('crispEdges')]
  const counted = await compare(smooth, jagged)
  expect(counted.result.differingPixels).toBeGreaterThan(20)
  const ignored = await compare(smooth, jagged, { ignoreAntialiasing: true })
  expect(ignored.result.differingPixels).toBeLessThan(Number(counted.result.differingPixels) / 4)
  expect(ignored.result.identical).toBe(false)
  const dot = await draw('crispEdges', '<rect x="5" y="5" width="6" height="6" fill="#f00"/>')
  const found = await compare(jagged, dot, { ignoreAntialiasing: true })
  expect(found.result).toMatchObject({ differingPixels: 36, box: { x: 5, y: 5, width: 6, height: 6 } })
})

test('only the first frame of an animation is compared, with a warning', async () => {
  const [moving, still] = [await createThreeFrames('webp'), await createPlainImage(40, 20).png().toBuffer()]
  const { result, warnings, units } = await compare(still, moving)
  expect([result.identical, warnings, units]).toEqual([true, ['ANIMATION_FLATTENED'], 1])
})

test('reads formats that other programs decode', async () => {
  const png = await createHalvesImage(60, 40).png().toBuffer()
  const { result } = await compare(await FOREIGN_ENCODERS.bmp!(png), await FOREIGN_ENCODERS.jp2!(png))
  expect(result).toMatchObject({ hashDistance: 0, differingPixels: 0 })
})

test('tells which image is broken, and compares the readable part if asked to', async () => {
  const noise = await createNoiseImage(200, 200).jpeg().toBuffer()
  const cut = noise.subarray(0, noise.length / 2)
  await expect(compare(noise, cut)).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED', hints: { field: 'b' } })
  const { result, warnings } = await compare(noise, cut, { tolerant: true })
  expect(result.identical).toBe(false)
  expect(warnings).toEqual(['INPUT_DAMAGED'])
  const text = Buffer.from('no image')
  await expect(compare(text, noise)).rejects.toMatchObject({ code: expect.stringMatching(/IMAGE_DECODE|UNSUPPORTED/) })
})

test('compares large photos in time, and refuses larger ones', async () => {
  const tile = await createNoiseImage(1050, 750).png().toBuffer()
  const large = await createPlainImage(4200, 3000)
    .composite([{ input: tile, tile: true }])
    .jpeg({ quality: 60 })
    .toBuffer()
  const other = await sharp(large).negate().jpeg({ quality: 60 }).toBuffer()
  const { result, units } = await compare(large, other, { report: 'png', ignoreAntialiasing: true })
  expect(result.compared).toEqual({ width: 4200, height: 3000 })
  expect(units).toBe(2)
  const huge = await createPlainImage(8000, 7000).png().toBuffer()
  await expect(compare(huge, huge)).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
}, 60_000)
