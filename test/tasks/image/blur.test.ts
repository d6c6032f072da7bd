import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  createAnimation,
  createDiscImage,
  createHalvesImage,
  createPlainImage,
  identifyFrames,
  isColorClose,
  readPixel,
  readTiming,
} from '../../support/images/measure.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const blur = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.blur', { file, ...options })

test('blurs a whole image without changing its size', async () => {
  const { bytes } = await blur(await createHalvesImage(80, 40).png().toBuffer(), { sigma: 8 })
  expect(await identifyFrames(bytes)).toEqual(['png 80x40'])
  const [red, , blue] = await readPixel(bytes, 40, 20)
  expect(Math.abs(red! - blue!)).toBeLessThan(60)
})

test.each([
  { shape: 'rect', corner: 'changed' },
  { shape: 'ellipse', corner: 'same' },
])('blurs only the region of shape $shape', async ({ shape, corner }) => {
  const file = await createHalvesImage(80, 40).png().toBuffer()
  const regions = [{ x: 38, y: '25%', width: 24, height: 20, shape }]
  const { bytes, warnings } = await blur(file, { sigma: 10, regions })
  expect(await readPixel(bytes, 36, 20)).toEqual([255, 0, 0])
  expect(await readPixel(bytes, 50, 5)).toEqual([0, 0, 255])
  expect(isColorClose(await readPixel(bytes, 44, 20), [0, 0, 255])).toBe(false)
  expect(isColorClose(await readPixel(bytes, 39, 11), [255, 0, 0])).toBe(corner === 'same')
  expect(warnings).toEqual([])
})

test.each([8, 16])('shows nothing of a hidden region through a transparency of %i bits', async depth => {
  const pixels = Buffer.alloc(64 * 32 * 4, Buffer.from([255, 0, 0, 128]))
  pixels.set([0, 0, 255, 128], (15 * 64 + 15) * 4)
  const image = sharp(pixels, { raw: { width: 64, height: 32, channels: 4 } })
  const file = await (depth === 16 ? image.toColourspace('rgb16') : image).png().toBuffer()
  const regions = [{ x: 0, y: 0, width: 32, height: 32, shape: 'rect' }]
  const { bytes } = await blur(file, { mode: 'pixelate', blockSize: 32, regions })
  const inside = await readPixel(bytes, 4, 4)
  expect(Math.abs(inside[3]! - 128)).toBeLessThanOrEqual(1)
  expect(await readPixel(bytes, 15, 15)).toEqual(inside)
  expect(await readPixel(bytes, 60, 16)).toEqual([255, 0, 0, 128])
})

test('leaves opaque what was opaque, with a soft edge too', async () => {
  const disc = await createDiscImage(80).png().toBuffer()
  const regions = [{ x: 30, y: 30, width: 20, height: 20, shape: 'rect' }]
  const { bytes } = await blur(disc, { sigma: 6, regions, feather: 8 })
  for (const x of [26, 29, 31, 34, 40]) expect(await readPixel(bytes, x, 40)).toEqual([255, 255, 255, 255])
})

test('pixelates into blocks of one colour', async () => {
  const file = await createHalvesImage(75, 40).png().toBuffer()
  const { bytes } = await blur(file, { mode: 'pixelate', blockSize: 20 })
  expect(await identifyFrames(bytes)).toEqual(['png 75x40'])
  expect(await readPixel(bytes, 20, 5)).toEqual(await readPixel(bytes, 39, 19))
  expect(isColorClose(await readPixel(bytes, 2, 2), [255, 0, 0])).toBe(true)
})

test('softens the edge of a region and keeps transparency', async () => {
  const regions = [{ x: 20, y: 10, width: 40, height: 20 }]
  const soft = await blur(await createHalvesImage(80, 40).png().toBuffer(), {
    mode: 'pixelate',
    blockSize: 40,
    regions,
    feather: 10,
  })
  expect(soft.result.image).toMatchObject({ hasAlpha: false })
  const clear = await blur(await createDiscImage(80).png().toBuffer(), {
    regions: [{ x: 0, y: 0, width: 20, height: 20 }],
    sigma: 8,
  })
  expect((await readPixel(clear.bytes, 2, 2))[3]).toBe(0)
  expect(await readPixel(clear.bytes, 40, 40)).toEqual([255, 255, 255, 255])
})

test.each(['gif', 'webp'] as const)('blurs each frame of an animated %s separately', async format => {
  const file = await createAnimation(format, [
    createPlainImage(40, 20, '#ff0000'),
    createPlainImage(40, 20, '#0000ff'),
    createPlainImage(40, 20, '#00ff00'),
  ])
  const { bytes } = await blur(file, { sigma: 10 })
  expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
  for (const [page, color] of [
    [255, 0, 0],
    [0, 0, 255],
    [0, 255, 0],
  ].entries()) {
    expect(isColorClose(await readPixel(bytes, 20, 0, page), color)).toBe(true)
    expect(isColorClose(await readPixel(bytes, 20, 19, page), color)).toBe(true)
  }
})

test('warns of a reversible blur and rejects regions outside the image', async () => {
  const file = await createPlainImage(80, 40).png().toBuffer()
  const regions = [{ x: 0, y: 0, width: 10, height: 10 }]
  expect((await blur(file, { sigma: 2, regions })).warnings).toEqual(['BLUR_REVERSIBLE'])
  await expect(blur(file, { regions: [{ x: 75, y: 0, width: 10, height: 10 }] })).rejects.toMatchObject({
    code: 'BAD_REGION',
  })
})
