import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { animation, disc, halves, identified, isNear, pixel, plain, timing } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const blur = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.blur', { file, ...options })

test('blurs all of a picture, at its size', async () => {
  const { bytes } = await blur(await halves(80, 40).png().toBuffer(), { sigma: 8 })
  expect(await identified(bytes)).toEqual(['png 80x40'])
  const [red, , blue] = await pixel(bytes, 40, 20)
  expect(Math.abs(red! - blue!)).toBeLessThan(60)
})

test.each([
  { shape: 'rect', corner: 'changed' },
  { shape: 'ellipse', corner: 'same' },
])('blurs a part in the shape of $shape alone', async ({ shape, corner }) => {
  const file = await halves(80, 40).png().toBuffer()
  const regions = [{ x: 38, y: '25%', width: 24, height: 20, shape }]
  const { bytes, warnings } = await blur(file, { sigma: 10, regions })
  expect(await pixel(bytes, 36, 20)).toEqual([255, 0, 0])
  expect(await pixel(bytes, 50, 5)).toEqual([0, 0, 255])
  expect(isNear(await pixel(bytes, 44, 20), [0, 0, 255])).toBe(false)
  expect(isNear(await pixel(bytes, 39, 11), [255, 0, 0])).toBe(corner === 'same')
  expect(warnings).toEqual([])
})

test('makes blocks of one colour', async () => {
  const file = await halves(75, 40).png().toBuffer()
  const { bytes } = await blur(file, { mode: 'pixelate', blockSize: 20 })
  expect(await identified(bytes)).toEqual(['png 75x40'])
  expect(await pixel(bytes, 20, 5)).toEqual(await pixel(bytes, 39, 19))
  expect(isNear(await pixel(bytes, 2, 2), [255, 0, 0])).toBe(true)
})

test('softens the edge of a part, and keeps transparency', async () => {
  const regions = [{ x: 20, y: 10, width: 40, height: 20 }]
  const soft = await blur(await halves(80, 40).png().toBuffer(), {
    mode: 'pixelate',
    blockSize: 40,
    regions,
    feather: 10,
  })
  expect(soft.result.image).toMatchObject({ hasAlpha: false })
  const clear = await blur(await disc(80).png().toBuffer(), {
    regions: [{ x: 0, y: 0, width: 20, height: 20 }],
    sigma: 8,
  })
  expect((await pixel(clear.bytes, 2, 2))[3]).toBe(0)
  expect(await pixel(clear.bytes, 40, 40)).toEqual([255, 255, 255, 255])
})

test.each(['gif', 'webp'] as const)('blurs every frame of an animated %s by itself', async format => {
  const file = await animation(format, [plain(40, 20, '#ff0000'), plain(40, 20, '#0000ff'), plain(40, 20, '#00ff00')])
  const { bytes } = await blur(file, { sigma: 10 })
  expect((await timing(bytes, format)).delays).toEqual([100, 150, 200])
  for (const [page, color] of [
    [255, 0, 0],
    [0, 0, 255],
    [0, 255, 0],
  ].entries()) {
    expect(isNear(await pixel(bytes, 20, 0, page), color)).toBe(true)
    expect(isNear(await pixel(bytes, 20, 19, page), color)).toBe(true)
  }
})

test('warns of what can be undone, and refuses what is outside', async () => {
  const file = await plain(80, 40).png().toBuffer()
  const regions = [{ x: 0, y: 0, width: 10, height: 10 }]
  expect((await blur(file, { sigma: 2, regions })).warnings).toEqual(['BLUR_REVERSIBLE'])
  await expect(blur(file, { regions: [{ x: 75, y: 0, width: 10, height: 10 }] })).rejects.toMatchObject({
    code: 'BAD_REGION',
  })
})
