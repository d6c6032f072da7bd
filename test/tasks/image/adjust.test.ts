import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  createDiscImage,
  createNoiseImage,
  createPlainImage,
  createThreeFrames,
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

const adjust = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.adjust', { file, ...options })

test.each([
  { options: { brightness: 2 }, wanted: [200, 100, 60] },
  { options: { contrast: 2 }, wanted: [72, 0, 0] },
  { options: { negate: true }, wanted: [155, 205, 225] },
  { options: { saturation: 0 }, wanted: [62, 62, 62] },
  { options: { temperature: 100 }, wanted: [125, 50, 22] },
  { options: { sepia: 1 }, wanted: [83, 74, 58] },
  { options: { gamma: 2.2 }, wanted: [167, 122, 96] },
  { options: { hue: 120 }, wanted: [0, 76, 48] },
])('turns 100, 50, 30 with $options into $wanted', async ({ options, wanted }) => {
  const { bytes } = await adjust(await createPlainImage(20, 20, '#64321e').png().toBuffer(), options)
  const found = await readPixel(bytes, 10, 10)
  expect(isColorClose(found, wanted, 25), found.join()).toBe(true)
})

test.each([8, 16])('keeps the transparency of an image of %i bits', async depth => {
  const color = { r: 100, g: 50, b: 30, alpha: 0.5 }
  const plain = sharp({ create: { width: 20, height: 20, channels: 4, background: color } })
  const file = await (depth === 16 ? plain.toColourspace('rgb16') : plain).png().toBuffer()
  for (const options of [{ negate: true }, { brightness: 2 }, { contrast: 2 }, { sepia: 1 }, { hue: 120 }]) {
    const { bytes } = await adjust(file, options)
    const [pixel, [opaque]] = [await readPixel(bytes, 10, 10), await readPixel(await opaqueOf(options), 10, 10)]
    expect(pixel[3], JSON.stringify(options)).toBe(128)
    expect(Math.abs(pixel[0]! - opaque!), JSON.stringify(options)).toBeLessThanOrEqual(2)
  }
})

async function opaqueOf(options: Record<string, unknown>): Promise<Uint8Array> {
  return (await adjust(await createPlainImage(20, 20, '#64321e').png().toBuffer(), options)).bytes
}

test('stretches levels globally or by tile', async () => {
  const flat = await createNoiseImage(128, 128).linear(0.2, 100).png().toBuffer()
  const measureDeviation = async (file: Uint8Array) =>
    Number(await runOnFile('identify', file, ['-format', '%[fx:standard_deviation]', '@']))
  for (const options of [{ normalize: true }, { clahe: { tile: 32, maxSlope: 5 } }]) {
    expect(await measureDeviation((await adjust(flat, options)).bytes)).toBeGreaterThan(
      (await measureDeviation(flat)) * 1.5,
    )
  }
})

test('tints without changing transparency', async () => {
  const tinted = await adjust(await createPlainImage(20, 20, '#808080').png().toBuffer(), { tint: '#ff0000' })
  const [red, green] = await readPixel(tinted.bytes, 5, 5)
  expect(red! - green!).toBeGreaterThan(40)
  const { bytes } = await adjust(await createDiscImage(40).png().toBuffer(), {
    negate: true,
    brightness: 0.5,
    clahe: { tile: 8, maxSlope: 3 },
  })
  expect((await readPixel(bytes, 0, 0))[3]).toBe(0)
  expect((await readPixel(bytes, 20, 20))[3]).toBe(255)
})

test('keeps 16 bits', async () => {
  const deep = await createPlainImage(20, 20, '#404040').toColourspace('rgb16').png().toBuffer()
  const { bytes } = await adjust(deep, { brightness: 2 })
  expect(await runOnFile('identify', bytes, ['-format', '%z', '@'])).toBe('16')
  expect(isColorClose(await readPixel(bytes, 5, 5), [128, 128, 128], 3)).toBe(true)
})

test.each(['gif', 'webp'] as const)('adjusts every frame of an animated %s', async format => {
  const { bytes } = await adjust(await createThreeFrames(format), { negate: true })
  expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
  expect(isColorClose(await readPixel(bytes, 5, 5, 0), [0, 255, 255])).toBe(true)
  expect(isColorClose(await readPixel(bytes, 5, 5, 2), [255, 255, 0])).toBe(true)
})

test('rejects calls without changes and unknown colours', async () => {
  const file = await createPlainImage(9, 9).png().toBuffer()
  await expect(adjust(file)).rejects.toMatchObject({ code: 'MISSING_FIELD' })
  await expect(adjust(file, { tint: 'nosuchcolour' })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
})
