import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { disc, halves, identified, isNear, pixel, plain, timing, traffic } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const extend = (file: Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'image.extend', { file, ...options })

test.each([
  { options: { all: 5 }, size: '50x30', redFrom: [5, 5] },
  { options: { top: 3, left: 7 }, size: '47x23', redFrom: [7, 3] },
  { options: { to: { width: 60, height: 60 } }, size: '60x60', redFrom: [10, 20] },
  { options: { to: { width: 60, height: 60 }, gravity: 'southeast' }, size: '60x60', redFrom: [20, 40] },
  { options: { aspect: '1:1', gravity: 'north' }, size: '40x40', redFrom: [0, 0] },
])('extends by $options', async ({ options, size, redFrom }) => {
  const { bytes } = await extend(await plain(40, 20).png().toBuffer(), { ...options, background: '#00ff00' })
  expect(await identified(bytes)).toEqual([`png ${size}`])
  expect(await pixel(bytes, redFrom[0]!, redFrom[1]!)).toEqual([255, 0, 0])
  if (redFrom[0]! > 0) expect(await pixel(bytes, redFrom[0]! - 1, redFrom[1]!)).toEqual([0, 255, 0])
})

test('fills the border in every way', async () => {
  const file = await halves(40, 20).png().toBuffer()
  const corner = async (fill: string) => pixel((await extend(file, { left: 20, fill })).bytes, 0, 10)
  expect(await corner('copy')).toEqual([255, 0, 0])
  expect(await corner('mirror')).toEqual([255, 0, 0])
  expect(await corner('repeat')).toEqual([0, 0, 255])
  const blurred = await extend(file, { aspect: '1:1', fill: 'blur' })
  expect(await identified(blurred.bytes)).toEqual(['png 40x40'])
  expect(isNear(await pixel(blurred.bytes, 2, 2), [255, 0, 0], 60)).toBe(true)
  expect(await pixel(blurred.bytes, 38, 20)).toEqual([0, 0, 255])
})

test('a transparent border, and one under transparency for jpeg', async () => {
  const clear = await extend(await plain(20, 20).png().toBuffer(), { all: 5, background: 'transparent' })
  expect((await pixel(clear.bytes, 1, 1))[3]).toBe(0)
  const jpeg = await extend(await disc(40).png().toBuffer(), { all: 5, background: '#0000ff', format: 'jpeg' })
  expect(isNear(await pixel(jpeg.bytes, 1, 1), [0, 0, 255], 20)).toBe(true)
})

test.each(['gif', 'webp'] as const)('extends every frame of an animated %s', async format => {
  const { bytes } = await extend(await traffic(format), { all: 4, background: '#ffffff' })
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 48, pages: 3 })
  expect((await timing(bytes, format)).delays).toEqual([100, 150, 200])
  expect(isNear(await pixel(bytes, 20, 14, 2), [0, 0, 255])).toBe(true)
  expect(isNear(await pixel(bytes, 1, 1, 2), [255, 255, 255])).toBe(true)
})

test('refuses sizes that cannot be', async () => {
  const file = await plain(40, 20).png().toBuffer()
  await expect(extend(file, {})).rejects.toMatchObject({ code: 'MISSING_FIELD' })
  await expect(extend(file, { all: 2, aspect: '1:1' })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  await expect(extend(file, { to: { width: 10, height: 100 } })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
  await expect(extend(file, { all: 10_000 })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
})
