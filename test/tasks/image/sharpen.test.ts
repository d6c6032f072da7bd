import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  createAnimation,
  createDiscImage,
  createHalvesImage,
  createNoiseImage,
  createPlainImage,
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

const sharpen = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.sharpen', { file, ...options })

const measureDeviation = async (bytes: Uint8Array) =>
  Number(await runOnFile('identify', bytes, ['-format', '%[fx:standard_deviation]', '@']))

test('strengthens edges without changing the size', async () => {
  const file = await createNoiseImage(64, 48).blur(1.5).png().toBuffer()
  const mild = await sharpen(file)
  const strong = await sharpen(file, { amount: 3, flat: 5, jagged: 8 })
  expect(await identifyFrames(strong.bytes)).toEqual(['png 64x48'])
  expect(await measureDeviation(mild.bytes)).toBeGreaterThan(await measureDeviation(file))
  expect(await measureDeviation(strong.bytes)).toBeGreaterThan(await measureDeviation(mild.bytes))
})

test('removes specks first', async () => {
  const speck = {
    input: { create: { width: 1, height: 1, channels: 3 as const, background: '#000' } },
    left: 10,
    top: 10,
  }
  const file = await createPlainImage(20, 20, '#ffffff').composite([speck]).png().toBuffer()
  expect(await readPixel((await sharpen(file)).bytes, 10, 10)).toEqual([0, 0, 0, 255])
  expect(await readPixel((await sharpen(file, { denoise: 1 })).bytes, 10, 10)).toEqual([255, 255, 255, 255])
})

test('keeps transparency without dark edges', async () => {
  const { bytes } = await sharpen(await createDiscImage(60).png().toBuffer(), { amount: 2 })
  expect((await readPixel(bytes, 0, 0))[3]).toBe(0)
  expect(isColorClose(await readPixel(bytes, 30, 8), [255, 255, 255, 255])).toBe(true)
})

test.each(['gif', 'webp'] as const)('sharpens each frame of an animated %s separately', async format => {
  const file = await createAnimation(format, [
    createPlainImage(40, 20, '#c00000'),
    createPlainImage(40, 20, '#0000c0'),
    createHalvesImage(40, 20),
  ])
  const { bytes } = await sharpen(file, { amount: 5, flat: 8 })
  expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
  expect(isColorClose(await readPixel(bytes, 20, 19, 0), [192, 0, 0])).toBe(true)
  expect(isColorClose(await readPixel(bytes, 20, 0, 1), [0, 0, 192])).toBe(true)
})
