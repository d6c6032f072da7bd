import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  createDiscImage,
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

const extend = (file: Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'image.extend', { file, ...options })

test.each([
  { options: { all: 5 }, size: '50x30', redFrom: [5, 5] },
  { options: { top: 3, left: 7 }, size: '47x23', redFrom: [7, 3] },
  { options: { to: { width: 60, height: 60 } }, size: '60x60', redFrom: [10, 20] },
  { options: { to: { width: 60, height: 60 }, gravity: 'southeast' }, size: '60x60', redFrom: [20, 40] },
  { options: { aspect: '1:1', gravity: 'north' }, size: '40x40', redFrom: [0, 0] },
])('extends by $options', async ({ options, size, redFrom }) => {
  const { bytes } = await extend(await createPlainImage(40, 20).png().toBuffer(), { ...options, background: '#00ff00' })
  expect(await identifyFrames(bytes)).toEqual([`png ${size}`])
  expect(await readPixel(bytes, redFrom[0]!, redFrom[1]!)).toEqual([255, 0, 0])
  if (redFrom[0]! > 0) expect(await readPixel(bytes, redFrom[0]! - 1, redFrom[1]!)).toEqual([0, 255, 0])
})

test('fills the border with every fill mode', async () => {
  const file = await createHalvesImage(40, 20).png().toBuffer()
  const corner = async (fill: string) => readPixel((await extend(file, { left: 20, fill })).bytes, 0, 10)
  expect(await corner('copy')).toEqual([255, 0, 0])
  expect(await corner('mirror')).toEqual([255, 0, 0])
  expect(await corner('repeat')).toEqual([0, 0, 255])
  const blurred = await extend(file, { aspect: '1:1', fill: 'blur' })
  expect(await identifyFrames(blurred.bytes)).toEqual(['png 40x40'])
  expect(isColorClose(await readPixel(blurred.bytes, 2, 2), [255, 0, 0], 60)).toBe(true)
  expect(await readPixel(blurred.bytes, 38, 20)).toEqual([0, 0, 255])
})

test('adds a transparent border, and fills transparent areas for jpeg', async () => {
  const clear = await extend(await createPlainImage(20, 20).png().toBuffer(), { all: 5, background: 'transparent' })
  expect((await readPixel(clear.bytes, 1, 1))[3]).toBe(0)
  const jpeg = await extend(await createDiscImage(40).png().toBuffer(), {
    all: 5,
    background: '#0000ff',
    format: 'jpeg',
  })
  expect(isColorClose(await readPixel(jpeg.bytes, 1, 1), [0, 0, 255], 20)).toBe(true)
})

test.each(['gif', 'webp'] as const)('extends every frame of an animated %s', async format => {
  const { bytes } = await extend(await createThreeFrames(format), { all: 4, background: '#ffffff' })
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 48, pages: 3 })
  expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
  expect(isColorClose(await readPixel(bytes, 20, 14, 2), [0, 0, 255])).toBe(true)
  expect(isColorClose(await readPixel(bytes, 1, 1, 2), [255, 255, 255])).toBe(true)
})

test('rejects missing, conflicting and impossible sizes', async () => {
  const file = await createPlainImage(40, 20).png().toBuffer()
  await expect(extend(file, {})).rejects.toMatchObject({ code: 'MISSING_FIELD' })
  await expect(extend(file, { all: 2, aspect: '1:1' })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  await expect(extend(file, { to: { width: 10, height: 100 } })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
  await expect(extend(file, { all: 10_000 })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
})
