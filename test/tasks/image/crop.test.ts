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

const crop = (file: Uint8Array, options: Record<string, unknown>) => runJob(pools, 'image.crop', { file, ...options })

test.each([
  { options: { rect: { x: 10, y: 5, width: 30, height: 20 } }, found: { x: 10, y: 5, width: 30, height: 20 } },
  {
    options: { rect: { x: '50%', y: 0, width: '50%', height: '100%' } },
    found: { x: 40, y: 0, width: 40, height: 40 },
  },
  { options: { width: 20, height: 10 }, found: { x: 30, y: 15, width: 20, height: 10 } },
  { options: { width: 20, height: 10, gravity: 'southeast' }, found: { x: 60, y: 30, width: 20, height: 10 } },
  { options: { aspect: '1:1', gravity: 'west' }, found: { x: 0, y: 0, width: 40, height: 40 } },
  { options: { aspect: '16:9' }, found: { x: 4, y: 0, width: 71, height: 40 } },
  { options: { width: 20, height: 20, focus: { x: 0.9, y: 0.5 } }, found: { x: 60, y: 10, width: 20, height: 20 } },
  {
    options: { rect: { x: 70, y: -5, width: 30, height: 20 }, clamp: true },
    found: { x: 70, y: 0, width: 10, height: 15 },
  },
  { options: { width: 500, height: 10, clamp: true }, found: { x: 0, y: 15, width: 80, height: 10 } },
])('crops with $options', async ({ options, found }) => {
  const { bytes, result } = await crop(await createHalvesImage(80, 40).png().toBuffer(), options)
  expect(result.crop).toEqual(found)
  expect(await identifyFrames(bytes)).toEqual([`png ${found.width}x${found.height}`])
  const isRed = found.x + 1 < 40
  expect(await readPixel(bytes, 1, 1)).toEqual(isRed ? [255, 0, 0] : [0, 0, 255])
})

test.each(['attention', 'entropy'])('finds the salient part by %s', async gravity => {
  const spot = await sharp(
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="14" fill="#ff2200"/><path d="M0 0L40 40M0 40L40 0" stroke="#0f0" stroke-width="3"/></svg>',
    ),
  )
    .png()
    .toBuffer()
  const file = await createPlainImage(400, 300, '#d8d8d8')
    .composite([{ input: spot, left: 330, top: 20 }])
    .png()
    .toBuffer()
  const { result } = await crop(file, { width: 100, height: 100, gravity })
  const { x, y } = result.crop as { x: number; y: number }
  expect(x).toBeGreaterThan(230)
  expect(y).toBeLessThan(60)
})

test('crops the image as displayed, not as stored', async () => {
  const file = await createHalvesImage(80, 40).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer()
  const { bytes } = await crop(file, { rect: { x: 0, y: 40, width: 40, height: 40 } })
  expect(await identifyFrames(bytes)).toEqual(['jpeg 40x40'])
  expect(isColorClose(await readPixel(bytes, 20, 20), [0, 0, 255], 30)).toBe(true)
})

test.each(['gif', 'webp'] as const)('crops every frame of an animated %s the same', async format => {
  for (const gravity of ['north', 'attention', 'entropy']) {
    const { bytes } = await crop(await createThreeFrames(format), { width: 10, height: 10, gravity })
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 10, pages: 3 })
    expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
    expect(isColorClose(await readPixel(bytes, 5, 5, 1), [0, 255, 0])).toBe(true)
  }
})

test('rejects regions outside the image and missing, conflicting or unsupported options', async () => {
  const file = await createPlainImage(80, 40).png().toBuffer()
  const outside = { x: 70, y: 0, width: 20, height: 10 }
  const refusal = await crop(file, { rect: outside }).catch(error => error)
  expect(refusal.code).toBe('BAD_REGION')
  expect(refusal.hints).toEqual({ region: outside, width: 80, height: 40 })
  await expect(crop(file, { rect: { ...outside, x: 90 }, clamp: true })).rejects.toMatchObject({ code: 'BAD_REGION' })
  await expect(crop(file, { width: 100, height: 10 })).rejects.toMatchObject({ code: 'BAD_REGION' })
  await expect(crop(file, {})).rejects.toMatchObject({ code: 'MISSING_FIELD' })
  await expect(crop(file, { width: 10 })).rejects.toMatchObject({ code: 'MISSING_FIELD', hints: { field: 'height' } })
  await expect(crop(file, { aspect: '1:1', width: 9, height: 9 })).rejects.toMatchObject({
    code: 'CONFLICTING_OPTIONS',
  })
  await expect(crop(file, { aspect: '1:1', faces: true })).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' })
})
