import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  createDiscImage,
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

const DEFAULT_LAYER = {
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
  runJob(pools, 'image.composite', { file, layers: layers.map(layer => ({ ...DEFAULT_LAYER, ...layer })), ...options })

const makeBase = () => createPlainImage(80, 40, '#ffffff').png().toBuffer()
const makeDot = () => createPlainImage(10, 10, '#0000ff').png().toBuffer()
const BLUE = [0, 0, 255]
const WHITE = [255, 255, 255]

test('turns the base and the layers as their tags say', async () => {
  const half = await createPlainImage(20, 20, '#0000ff').png().toBuffer()
  const file = await createPlainImage(40, 20, '#ffffff')
    .composite([{ input: half, gravity: 'west' }])
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 100 })
    .toBuffer()
  const onBase = await composite(file, [{ file: await makeDot(), gravity: 'south' }], { format: 'png' })
  expect(await identifyFrames(onBase.bytes)).toEqual(['png 20x40'])
  const onWhite = await composite(await createPlainImage(60, 60, '#ffffff').png().toBuffer(), [
    { file, gravity: 'northwest' },
  ])
  for (const { bytes } of [onBase, onWhite]) {
    expect(isColorClose(await readPixel(bytes, 10, 5), BLUE)).toBe(true)
    expect(isColorClose(await readPixel(bytes, 3, 35), WHITE)).toBe(true)
  }
})

test.each([
  { layer: { gravity: 'northwest', x: 3, y: 2 }, inside: [4, 3], outside: [1, 1] },
  { layer: { gravity: 'southeast', x: 3, y: 2 }, inside: [75, 36], outside: [78, 39] },
  { layer: {}, inside: [40, 20], outside: [33, 20] },
  { layer: { gravity: 'west', scale: 0.25 }, inside: [18, 20], outside: [22, 20] },
  { layer: { gravity: 'northwest', x: -5, y: -5 }, inside: [2, 2], outside: [6, 6] },
])('places an image at $layer', async ({ layer, inside, outside }) => {
  const { bytes, units } = await composite(await makeBase(), [{ file: await makeDot(), ...layer }])
  expect(await identifyFrames(bytes)).toEqual(['png 80x40'])
  expect(await readPixel(bytes, inside[0]!, inside[1]!)).toEqual(BLUE)
  expect(await readPixel(bytes, outside[0]!, outside[1]!)).toEqual(WHITE)
  expect(units).toBe(3)
})

test('applies blend mode, opacity, rotation and tiling', async () => {
  const file = await makeDot()
  const thin = await composite(await makeBase(), [{ file, opacity: 0.5 }])
  expect(isColorClose(await readPixel(thin.bytes, 40, 20), [127, 127, 255], 4)).toBe(true)
  const dark = await composite(await createPlainImage(80, 40, '#808080').png().toBuffer(), [
    { file, blend: 'multiply' },
  ])
  expect(isColorClose(await readPixel(dark.bytes, 40, 20), [0, 0, 128], 4)).toBe(true)
  const turned = await composite(await makeBase(), [{ file, rotate: 45 }])
  expect([await readPixel(turned.bytes, 40, 14), await readPixel(turned.bytes, 35, 15)]).toEqual([BLUE, WHITE])
  const tiled = await composite(await makeBase(), [{ file, tile: true }])
  expect([await readPixel(tiled.bytes, 1, 1), await readPixel(tiled.bytes, 78, 38)]).toEqual([BLUE, BLUE])
})

test.each([
  ['dest-in', [0, 255]],
  ['dest-out', [255, 0]],
  ['xor', [255, 0]],
] as const)('cuts by %s, also of an image without transparency', async (blend, alphas) => {
  const dot = { file: await makeDot(), blend }
  const { bytes } = await composite(await makeBase(), [dot])
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
  const readAlpha = (x: number, y: number) => data[(y * info.width + x) * 4 + 3]
  expect([info.channels, readAlpha(1, 1), readAlpha(40, 20)]).toEqual([4, ...alphas])
  const jpeg = await composite(await makeBase(), [dot], { format: 'jpeg' })
  const [x, y] = blend === 'dest-in' ? [1, 1] : [40, 20]
  expect(isColorClose(await readPixel(jpeg.bytes, x, y), WHITE, 4)).toBe(true)
})

test('clips a layer larger than the base and rejects one that is far larger', async () => {
  const wide = await createPlainImage(100, 60, '#0000ff').png().toBuffer()
  expect(await identifyFrames((await composite(await makeBase(), [{ file: wide }])).bytes)).toEqual(['png 80x40'])
  const huge = await createPlainImage(800, 400).png().toBuffer()
  await expect(composite(await makeBase(), [{ file: huge }])).rejects.toMatchObject({
    code: 'LAYER_TOO_LARGE',
    hints: { index: 0 },
  })
  await expect(composite(await makeBase(), [{}])).rejects.toMatchObject({ code: 'MISSING_FIELD' })
  const both = { file: await makeDot(), text: 'a' }
  await expect(composite(await makeBase(), [both])).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
})

test('renders text in any script in the given colour', async () => {
  for (const text of ['Hi & <b>', 'שלום', '日本']) {
    const { bytes } = await composite(await makeBase(), [{ text, color: '#ff0000', fontSize: 24 }])
    const { channels } = await sharp(bytes).stats()
    expect(channels[0]!.min).toBe(255)
    expect(channels[1]!.min).toBeLessThan(60)
  }
})

test('leaves no dark edges around transparent layers', async () => {
  const { bytes } = await composite(await createPlainImage(80, 80, '#ffffff').png().toBuffer(), [
    { file: await createDiscImage(60).png().toBuffer() },
  ])
  const { channels } = await sharp(bytes).stats()
  expect(Math.min(...channels.map(({ min }) => min))).toBeGreaterThan(250)
})

test.each(['gif', 'webp'] as const)('draws a layer on every frame of an animated %s', async format => {
  const white = await createPlainImage(6, 6, '#ffffff').png().toBuffer()
  const { bytes } = await composite(await createThreeFrames(format), [{ file: white, gravity: 'northwest' }])
  expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
  for (const [page, color] of [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
  ].entries()) {
    expect(isColorClose(await readPixel(bytes, 2, 2, page), WHITE, 30)).toBe(true)
    expect(isColorClose(await readPixel(bytes, 30, 15, page), color, 30)).toBe(true)
  }
})

test('makes an animation from a still image and an animated layer', async () => {
  const { bytes } = await composite(await makeBase(), [{ file: await createThreeFrames('gif') }], { format: 'webp' })
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 80, pages: 3, delay: [100, 150, 200] })
  expect(isColorClose(await readPixel(bytes, 40, 20, 1), [0, 255, 0], 30)).toBe(true)
})

test('renders every script and rejects missing fonts and characters', async () => {
  const background = await createPlainImage(200, 60, '#ffffff').png().toBuffer()
  for (const text of ['日本語', 'مرحبا', 'हिन्दी']) {
    const { bytes } = await composite(background, [{ text, font: 'Noto Sans' }])
    const { channels } = await sharp(bytes).stats()
    expect(channels[0]!.min).toBeLessThan(60)
  }
  await expect(composite(background, [{ text: 'x' }, { text: 'x', font: 'Comic Sans MS' }])).rejects.toMatchObject({
    code: 'FONT_UNAVAILABLE',
    hints: { font: 'Comic Sans MS', index: 1, available: expect.arrayContaining(['DejaVu Sans']) },
  })
  await expect(composite(background, [{ text: '\u{10FFFD}' }])).rejects.toMatchObject({
    code: 'FONT_UNAVAILABLE',
    hints: { characters: ['\u{10FFFD}'], index: 0 },
  })
})

test.each([{ scale: 10 }, { width: 5000 }, { width: 3000, height: 3000 }])(
  'rejects a layer that %o makes far larger than the base',
  async size => {
    const layer = await createPlainImage(20, 20).png().toBuffer()
    const rejection = { code: 'LAYER_TOO_LARGE', hints: { index: 0, limit: 4 * 80 * 40 } }
    await expect(composite(await makeBase(), [{ file: layer, ...size }])).rejects.toMatchObject(rejection)
    await expect(composite(await makeBase(), [{ text: 'Hi', ...size }])).rejects.toMatchObject(rejection)
  },
)

test('takes a large layer that is drawn small', async () => {
  const huge = await createPlainImage(800, 400).png().toBuffer()
  const { bytes } = await composite(await makeBase(), [{ file: huge, width: 40 }])
  expect(await identifyFrames(bytes)).toEqual(['png 80x40'])
})
