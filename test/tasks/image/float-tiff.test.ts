import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { convertWith, readPixel } from '../../support/images/measure.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const SHADES = [0, 85, 170, 255]
const STEP = 20
const [WIDTH, HEIGHT] = [SHADES.length * STEP, 40]
const FLOAT = ['-colorspace', 'Gray', '-depth', '32', '-define', 'quantum:format=floating-point']

/** Four bars from black to white, stored as fractions from 0 to `max`. */
async function makeTiff(max: number): Promise<Buffer> {
  const data = Buffer.from(Array.from({ length: WIDTH * HEIGHT }, (_, at) => SHADES[Math.floor((at % WIDTH) / STEP)]!))
  const png = await sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } })
    .png()
    .toBuffer()
  const range = ['-define', `quantum:minimum=0`, '-define', `quantum:maximum=${max}`]
  return convertWith('convert-im6.q16', ['@in', ...FLOAT, ...range, '@out'], png, 'tif')
}

const readBars = (image: Uint8Array) =>
  Promise.all(SHADES.map(async (_, index) => (await readPixel(image, index * STEP + STEP / 2, HEIGHT / 2))[0]!))

test.each([
  ['convert', { to: 'png' }],
  ['resize', { height: 20, fit: 'fill', width: WIDTH }],
  ['adjust', { saturation: 1.1 }],
  ['crop', { width: WIDTH, height: HEIGHT }],
  ['extend', { right: 100, background: '#808080' }],
  ['compress', { quality: 90 }],
])('%s reads fractional shades of grey from 0 to 1', async (op, options) => {
  const file = await makeTiff(1)
  expect(await sharp(file).metadata()).toMatchObject({ depth: 'float', space: 'b-w' })
  const { bytes } = await runJob(pools, `image.${op}`, { file, ...options })
  const readRow =
    op === 'resize' ? sharp(bytes).resize({ width: WIDTH, height: HEIGHT, fit: 'fill' }).png() : sharp(bytes)
  const bars = await readBars(await readRow.toBuffer())
  for (const [index, shade] of SHADES.entries()) expect(Math.abs(bars[index]! - shade)).toBeLessThan(3)
  if (op === 'extend') expect((await readPixel(bytes, WIDTH + 50, 20))[0]).toBe(128)
})

test('reads fractional shades of grey from 0 to 255 as before', async () => {
  const { bytes } = await runJob(pools, 'image.convert', { file: await makeTiff(255), to: 'png' })
  for (const [index, bar] of (await readBars(bytes)).entries()) expect(Math.abs(bar - SHADES[index]!)).toBeLessThan(3)
})
