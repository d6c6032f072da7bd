import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  createDiscImage,
  createHalvesImage,
  createPlainImage,
  createThreeFrames,
  runOnFile,
} from '../../support/images/measure.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const colorsOf = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.dominant-color', { file, ...options })

test('returns colours and their shares', async () => {
  const { result } = await colorsOf(await createHalvesImage(80, 40).png().toBuffer())
  expect(result).toMatchObject({ average: '#800080', hasAlpha: false, isDark: true })
  expect(result.palette).toEqual(
    [
      { hex: '#ff0000', rgb: [255, 0, 0], hsl: [0, 100, 50], share: expect.closeTo(0.5, 1), name: 'red' },
      { hex: '#0000ff', rgb: [0, 0, 255], hsl: [240, 100, 50], share: expect.closeTo(0.5, 1), name: 'blue' },
    ].sort((a, b) => (a.hex === result.dominant ? -1 : b.hex === result.dominant ? 1 : 0)),
  )
})

test.each([
  ['#d81b60', 'pink'],
  ['#e65441', 'red'],
  ['#ffc107', 'yellow'],
  ['#4caf50', 'green'],
  ['#795548', 'brown'],
  ['#1e88e5', 'blue'],
  ['#363636', 'black'],
  ['#505050', 'gray'],
  ['#5a5c5a', 'gray'],
  ['#b6b6b6', 'silver'],
  ['#f4f4f4', 'white'],
])('%s is called %s', async (hex, name) => {
  const { result } = await colorsOf(await createPlainImage(20, 20, hex).png().toBuffer(), { count: 1 })
  expect(result.palette).toMatchObject([{ name }])
})

test("agrees with ImageMagick's average", async () => {
  const file = await createPlainImage(50, 50, '#3a6ea5').png().toBuffer()
  const { result } = await colorsOf(file, { count: 1 })
  expect(result.dominant).toBe('#3a6ea5')
  expect(await runOnFile('convert-im6.q16', file, ['@', '-resize', '1x1!', '-format', '%[hex:u]', 'info:'])).toMatch(
    /3A6EA5/i,
  )
})

test('weights pixels by their opacity', async () => {
  const { result } = await colorsOf(await createDiscImage(80).png().toBuffer())
  expect(result).toMatchObject({ dominant: '#ffffff', hasAlpha: true, isDark: false })
  const nothing = await colorsOf(await createDiscImage(80).png().toBuffer(), { ignore: ['white'] })
  expect(nothing.result).toMatchObject({ dominant: null, average: null, palette: [] })
})

test('returns placeholders, for an animation from its first frame', async () => {
  const { result } = await colorsOf(await createThreeFrames('gif'), { count: 3 })
  expect(result.dominant).toBe('#ff0000')
  const { blurhash, thumbhash } = result.placeholder as Record<string, string>
  expect(blurhash).toHaveLength(28)
  expect(Buffer.from(thumbhash!, 'base64').length).toBeGreaterThan(4)
})

test('rejects a file that is no image', async () => {
  await expect(colorsOf(Buffer.from('not an image'))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})
