import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  BLUE,
  createAnimation,
  createPlainImage,
  GREEN,
  identifyFrames,
  readTiming,
} from '../../support/images/measure.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const trim = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.trim', { file, ...options })

/** A blue box of 10 by 8 pixels on a background, at the given position. */
const drawBox = (left: number, top: number, background = '#ffffff') =>
  sharp({ create: { width: 60, height: 40, channels: 4, background } }).composite([
    { input: { create: { width: 10, height: 8, channels: 4, background: BLUE } }, left, top },
  ])

test.each([
  { options: {}, size: '10x8', trimmed: { top: 5, right: 30, bottom: 27, left: 20 } },
  { options: { padding: 3 }, size: '16x14', trimmed: { top: 2, right: 27, bottom: 24, left: 17 } },
  { options: { sides: ['left'] }, size: '40x40', trimmed: { top: 0, right: 0, bottom: 0, left: 20 } },
  { options: { symmetric: true }, size: '20x30', trimmed: { top: 5, right: 20, bottom: 5, left: 20 } },
  { options: { color: 'white' }, size: '10x8', trimmed: { top: 5, right: 30, bottom: 27, left: 20 } },
])('trims with $options', async ({ options, size, trimmed }) => {
  const { bytes, result, warnings } = await trim(await drawBox(20, 5).png().toBuffer(), options)
  expect(result.trimmed).toEqual(trimmed)
  expect(await identifyFrames(bytes)).toEqual([`png ${size}`])
  expect(warnings).toEqual([])
})

test('trims transparent borders and respects the threshold', async () => {
  const { result } = await trim(await drawBox(20, 5, 'rgba(255, 0, 0, 0)').png().toBuffer())
  expect(result.image).toMatchObject({ width: 10, height: 8, hasAlpha: true })
  const faint = await createPlainImage(60, 40, '#ffffff')
    .composite([{ input: { create: { width: 10, height: 8, channels: 3, background: '#f0f0f0' } }, left: 20, top: 5 }])
    .png()
    .toBuffer()
  expect((await trim(faint, { threshold: 30 })).warnings).toEqual(['NOTHING_TO_TRIM'])
  expect((await trim(faint, { threshold: 10 })).result.image).toMatchObject({ width: 10, height: 8 })
})

test('returns an image of one colour unchanged with a warning', async () => {
  const { result, warnings } = await trim(await createPlainImage(30, 20).jpeg().toBuffer())
  expect(warnings).toEqual(['NOTHING_TO_TRIM'])
  expect(result.image).toMatchObject({ width: 30, height: 20 })
})

test.each(['gif', 'webp'] as const)('trims an animated %s to the union of its frames', async format => {
  const frames = [drawBox(10, 10), drawBox(30, 20), createPlainImage(60, 40, '#ffffff')]
  const { bytes, result } = await trim(await createAnimation(format, frames))
  expect(result.trimmed).toEqual({ top: 10, right: 20, bottom: 12, left: 10 })
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 30, pages: 3 })
  expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
})

test('rejects an unknown colour', async () => {
  await expect(
    trim(await createPlainImage(9, 9, GREEN).png().toBuffer(), { color: 'nosuchcolour' }),
  ).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'color' },
  })
})
