import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { disc, identified, isNear, pixel, plain, timing, traffic } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LAYER = {
  gravity: 'center',
  x: 0,
  y: 0,
  opacity: 1,
  blend: 'over',
  rotate: 0,
  tile: false,
  font: 'DejaVu Sans',
  fontSize: 20,
  color: '#000000',
}
const composite = (file: Uint8Array, layers: object[], options: object = {}) =>
  runJob(pools, 'image.composite', { file, layers: layers.map(layer => ({ ...LAYER, ...layer })), ...options })

const base = () => plain(80, 40, '#ffffff').png().toBuffer()
const dot = () => plain(10, 10, '#0000ff').png().toBuffer()
const BLUE = [0, 0, 255]
const WHITE = [255, 255, 255]

test.each([
  { layer: { gravity: 'northwest', x: 3, y: 2 }, inside: [4, 3], outside: [1, 1] },
  { layer: { gravity: 'southeast', x: 3, y: 2 }, inside: [75, 36], outside: [78, 39] },
  { layer: {}, inside: [40, 20], outside: [33, 20] },
  { layer: { gravity: 'west', scale: 0.25 }, inside: [18, 20], outside: [22, 20] },
  { layer: { gravity: 'northwest', x: -5, y: -5 }, inside: [2, 2], outside: [6, 6] },
])('lays a picture where $layer says', async ({ layer, inside, outside }) => {
  const { bytes, units } = await composite(await base(), [{ file: await dot(), ...layer }])
  expect(await identified(bytes)).toEqual(['png 80x40'])
  expect(await pixel(bytes, inside[0]!, inside[1]!)).toEqual(BLUE)
  expect(await pixel(bytes, outside[0]!, outside[1]!)).toEqual(WHITE)
  expect(units).toBe(3)
})

test('blends, thins, turns and tiles', async () => {
  const file = await dot()
  const thin = await composite(await base(), [{ file, opacity: 0.5 }])
  expect(isNear(await pixel(thin.bytes, 40, 20), [127, 127, 255], 4)).toBe(true)
  const dark = await composite(await plain(80, 40, '#808080').png().toBuffer(), [{ file, blend: 'multiply' }])
  expect(isNear(await pixel(dark.bytes, 40, 20), [0, 0, 128], 4)).toBe(true)
  const turned = await composite(await base(), [{ file, rotate: 45 }])
  expect([await pixel(turned.bytes, 40, 14), await pixel(turned.bytes, 35, 15)]).toEqual([BLUE, WHITE])
  const tiled = await composite(await base(), [{ file, tile: true }])
  expect([await pixel(tiled.bytes, 1, 1), await pixel(tiled.bytes, 78, 38)]).toEqual([BLUE, BLUE])
})

test('cuts a layer that is larger than the base, and refuses one that is far larger', async () => {
  const wide = await plain(100, 60, '#0000ff').png().toBuffer()
  expect(await identified((await composite(await base(), [{ file: wide }])).bytes)).toEqual(['png 80x40'])
  const huge = await plain(800, 400).png().toBuffer()
  await expect(composite(await base(), [{ file: huge }])).rejects.toMatchObject({
    code: 'LAYER_TOO_LARGE',
    hints: { index: 0 },
  })
  await expect(composite(await base(), [{}])).rejects.toMatchObject({ code: 'MISSING_FIELD' })
  const both = { file: await dot(), text: 'a' }
  await expect(composite(await base(), [both])).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
})

test('writes text of any script in its colour', async () => {
  for (const text of ['Hi & <b>', 'שלום', '日本']) {
    const { bytes } = await composite(await base(), [{ text, color: '#ff0000', fontSize: 24 }])
    const { channels } = await sharp(bytes).stats()
    expect(channels[0]!.min).toBe(255)
    expect(channels[1]!.min).toBeLessThan(60)
  }
})

test('keeps edges of transparency clean', async () => {
  const { bytes } = await composite(await plain(80, 80, '#ffffff').png().toBuffer(), [
    { file: await disc(60).png().toBuffer() },
  ])
  const { channels } = await sharp(bytes).stats()
  expect(Math.min(...channels.map(({ min }) => min))).toBeGreaterThan(250)
})

test.each(['gif', 'webp'] as const)('lies on every frame of an animated %s', async format => {
  const white = await plain(6, 6, '#ffffff').png().toBuffer()
  const { bytes } = await composite(await traffic(format), [{ file: white, gravity: 'northwest' }])
  expect((await timing(bytes, format)).delays).toEqual([100, 150, 200])
  for (const [page, color] of [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
  ].entries()) {
    expect(isNear(await pixel(bytes, 2, 2, page), WHITE, 30)).toBe(true)
    expect(isNear(await pixel(bytes, 30, 15, page), color, 30)).toBe(true)
  }
})

test('an animated layer makes an animation of a still picture', async () => {
  const { bytes } = await composite(await base(), [{ file: await traffic('gif') }], { format: 'webp' })
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 80, pages: 3, delay: [100, 150, 200] })
  expect(isNear(await pixel(bytes, 40, 20, 1), [0, 255, 0], 30)).toBe(true)
})

test('draws every script, and refuses fonts and letters that are not here', async () => {
  const paper = await plain(200, 60, '#ffffff').png().toBuffer()
  for (const text of ['日本語', 'مرحبا', 'हिन्दी']) {
    const { bytes } = await composite(paper, [{ text, font: 'Noto Sans' }])
    const { channels } = await sharp(bytes).stats()
    expect(channels[0]!.min).toBeLessThan(60)
  }
  await expect(composite(paper, [{ text: 'x' }, { text: 'x', font: 'Comic Sans MS' }])).rejects.toMatchObject({
    code: 'FONT_UNAVAILABLE',
    hints: { font: 'Comic Sans MS', index: 1, available: expect.arrayContaining(['DejaVu Sans']) },
  })
  await expect(composite(paper, [{ text: '\u{10FFFD}' }])).rejects.toMatchObject({
    code: 'FONT_UNAVAILABLE',
    hints: { characters: ['\u{10FFFD}'], index: 0 },
  })
})
