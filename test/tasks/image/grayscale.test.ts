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

const grayscale = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.grayscale', { file, ...options })

test.each([
  { method: 'luma', grey: 62 },
  { method: 'average', grey: 67 },
  { method: 'lightness', grey: 75 },
])('converts with the method $method', async ({ method, grey }) => {
  const { bytes } = await grayscale(await createPlainImage(20, 20, '#643c32').png().toBuffer(), { method })
  expect(isColorClose(await readPixel(bytes, 5, 5), [grey, grey, grey], 6)).toBe(true)
})

test.each(['png', 'jpeg', 'tiff'])('writes a single channel for %s', async format => {
  const { bytes } = await grayscale(await createPlainImage(20, 20, '#643c32').png().toBuffer(), { format })
  expect(await runOnFile('identify', bytes, ['-format', '%[channels] %[colorspace]', '@'])).toMatch(/gray/i)
  expect(await runOnFile('exiftool', bytes, ['-ColorType', '-ColorComponents', '-SamplesPerPixel', '@'])).toMatch(
    /Grayscale|: 1/,
  )
})

test('converts to black and white by threshold and by dithering', async () => {
  const file = await createNoiseImage(64, 64).png().toBuffer()
  for (const options of [{ threshold: 128 }, { dither: true }]) {
    const { bytes } = await grayscale(file, options)
    expect(await runOnFile('identify', bytes, ['-format', '%k %[bit-depth]', '@'])).toBe('2 1')
  }
  const mean = async (bytes: Uint8Array) => Number(await runOnFile('identify', bytes, ['-format', '%[fx:mean]', '@']))
  const light = await grayscale(await createPlainImage(64, 64, '#404040').png().toBuffer(), { dither: true })
  expect(await mean(light.bytes)).toBeCloseTo(0.25, 1)
})

test('keeps transparency and 16 bits', async () => {
  const { bytes, result } = await grayscale(await createDiscImage(40).png().toBuffer(), { threshold: 100 })
  expect(result.image).toMatchObject({ hasAlpha: true })
  expect(await runOnFile('identify', bytes, ['-format', '%[fx:p{0,0}.a] %[fx:p{20,20}.a]', '@'])).toBe('0 1')
  const deep = await createPlainImage(20, 20, '#406080').toColourspace('rgb16').png().toBuffer()
  expect(await runOnFile('identify', (await grayscale(deep)).bytes, ['-format', '%z', '@'])).toBe('16')
})

test.each(['gif', 'webp'] as const)('converts every frame of an animated %s', async format => {
  const { bytes } = await grayscale(await createThreeFrames(format))
  expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
  for (const [page, grey] of [54, 182, 18].entries())
    expect(isColorClose(await readPixel(bytes, 5, 5, page), [grey, grey, grey])).toBe(true)
})
