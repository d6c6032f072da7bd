import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  createHalvesImage,
  createPlainImage,
  createThreeFrames,
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

const rotate = (file: Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'image.rotate', { file, ...options })

test.each([
  { options: { degrees: 90 }, size: '20x40', redAt: [10, 5] },
  { options: { degrees: 180 }, size: '40x20', redAt: [35, 10] },
  { options: { degrees: 270 }, size: '20x40', redAt: [10, 35] },
  { options: { degrees: -90 }, size: '20x40', redAt: [10, 35] },
  { options: { degrees: 360 }, size: '40x20', redAt: [5, 10] },
  { options: { flop: true }, size: '40x20', redAt: [35, 10] },
  { options: { flip: true }, size: '40x20', redAt: [5, 10] },
  { options: { degrees: 90, flip: true }, size: '20x40', redAt: [10, 35] },
])('rotates with $options', async ({ options, size, redAt }) => {
  const { bytes } = await rotate(await createHalvesImage(40, 20).png().toBuffer(), options)
  expect(await identifyFrames(bytes)).toEqual([`png ${size}`])
  expect(await readPixel(bytes, redAt[0]!, redAt[1]!)).toEqual([255, 0, 0])
})

test('enlarges the canvas for any angle, or crops to the inside', async () => {
  const file = await createPlainImage(200, 100).png().toBuffer()
  const wide = await rotate(file, { degrees: 30 })
  expect(wide.result.image).toMatchObject({ width: 223, height: 187, hasAlpha: true })
  expect((await readPixel(wide.bytes, 1, 1))[3]).toBe(0)
  const jpeg = await rotate(file, { degrees: 30, format: 'jpeg', background: '#00ff00' })
  expect(isColorClose(await readPixel(jpeg.bytes, 1, 1), [0, 255, 0])).toBe(true)
  const inner = await rotate(file, { degrees: 30, crop: 'inner', format: 'png' })
  const { width, height } = await sharp(inner.bytes).metadata()
  const corners = [
    [0, 0],
    [width - 1, 0],
    [0, height - 1],
    [width - 1, height - 1],
  ]
  for (const [x, y] of corners) expect((await readPixel(inner.bytes, x!, y!))[3] ?? 255).toBeGreaterThan(250)
  expect(Math.min(width, height)).toBeGreaterThan(40)
})

test('applies the EXIF orientation first, and alone without options', async () => {
  const file = await createHalvesImage(40, 20).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer()
  const upright = await rotate(file, {})
  expect(await identifyFrames(upright.bytes)).toEqual(['jpeg 20x40'])
  expect((await sharp(upright.bytes).metadata()).orientation ?? 1).toBe(1)
  expect(isColorClose(await readPixel(upright.bytes, 10, 5), [255, 0, 0], 30)).toBe(true)
  const quarter = await rotate(file, { degrees: 90, metadata: 'keep' })
  expect(await identifyFrames(quarter.bytes)).toEqual(['jpeg 40x20'])
  expect((await sharp(quarter.bytes).metadata()).orientation ?? 1).toBe(1)
  await expect(rotate(file, { auto: false })).rejects.toMatchObject({ code: 'MISSING_FIELD' })
})

test.each(['gif', 'webp'] as const)('rotates every frame of an animated %s, in order', async format => {
  for (const options of [{ degrees: 180 }, { degrees: 90 }, { flip: true }, { degrees: 45 }]) {
    const { bytes, result } = await rotate(await createThreeFrames(format), options)
    expect(result.image).toMatchObject({ pages: 3, format })
    expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
    const { width, pageHeight } = await sharp(bytes, { pages: -1 }).metadata()
    const order = await Promise.all([0, 1, 2].map(page => readPixel(bytes, width >> 1, pageHeight! >> 1, page)))
    expect(order.map(color => color.slice(0, 3).indexOf(Math.max(...color.slice(0, 3))))).toEqual([0, 1, 2])
  }
})

test('rejects an output that is too large and unknown colours', async () => {
  const file = await createPlainImage(9900, 9900).png().toBuffer()
  await expect(rotate(file, { degrees: 45 })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
  const small = await createPlainImage(9, 9).png().toBuffer()
  await expect(rotate(small, { degrees: 45, background: 'nosuchcolour' })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
  })
})

test('warns that lossless has no effect on a format that is always lossy', async () => {
  const jpeg = await createPlainImage(40, 30).jpeg().toBuffer()
  const rotate = (options: object) =>
    runJob(pools, 'image.rotate', { file: jpeg, degrees: 90, lossless: true, ...options })
  expect((await rotate({ format: 'gif' })).warnings).toEqual(['LOSSLESS_IGNORED'])
  expect((await rotate({ format: 'png' })).warnings).toEqual([])
  expect((await rotate({ format: 'webp' })).warnings).toEqual([])
})
