import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  animation,
  disc,
  halves,
  identified,
  isNear,
  noise,
  pixel,
  plain,
  seenBy,
  timing,
} from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const sharpen = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.sharpen', { file, ...options })

const spread = async (bytes: Uint8Array) =>
  Number(await seenBy('identify', bytes, ['-format', '%[fx:standard_deviation]', '@']))

test('makes edges stronger, at the same size', async () => {
  const file = await noise(64, 48).blur(1.5).png().toBuffer()
  const little = await sharpen(file)
  const much = await sharpen(file, { amount: 3, flat: 5, jagged: 8 })
  expect(await identified(much.bytes)).toEqual(['png 64x48'])
  expect(await spread(little.bytes)).toBeGreaterThan(await spread(file))
  expect(await spread(much.bytes)).toBeGreaterThan(await spread(little.bytes))
})

test('takes out specks first', async () => {
  const speck = {
    input: { create: { width: 1, height: 1, channels: 3 as const, background: '#000' } },
    left: 10,
    top: 10,
  }
  const file = await plain(20, 20, '#ffffff').composite([speck]).png().toBuffer()
  expect(await pixel((await sharpen(file)).bytes, 10, 10)).toEqual([0, 0, 0, 255])
  expect(await pixel((await sharpen(file, { denoise: 1 })).bytes, 10, 10)).toEqual([255, 255, 255, 255])
})

test('keeps transparency without dark edges', async () => {
  const { bytes } = await sharpen(await disc(60).png().toBuffer(), { amount: 2 })
  expect((await pixel(bytes, 0, 0))[3]).toBe(0)
  expect(isNear(await pixel(bytes, 30, 8), [255, 255, 255, 255])).toBe(true)
})

test.each(['gif', 'webp'] as const)('sharpens every frame of an animated %s by itself', async format => {
  const file = await animation(format, [plain(40, 20, '#c00000'), plain(40, 20, '#0000c0'), halves(40, 20)])
  const { bytes } = await sharpen(file, { amount: 5, flat: 8 })
  expect((await timing(bytes, format)).delays).toEqual([100, 150, 200])
  expect(isNear(await pixel(bytes, 20, 19, 0), [192, 0, 0])).toBe(true)
  expect(isNear(await pixel(bytes, 20, 0, 1), [0, 0, 192])).toBe(true)
})
