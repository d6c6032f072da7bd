import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runOnFile } from '../../support/images/measure.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const NONE = ['-define', 'png:exclude-chunk=pHYs']
const SHAPE_ONLY = ['-units', 'Undefined', '-density', '72']
const at = (dpi: number) => ['-units', 'PixelsPerInch', '-density', String(dpi)]

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="9" height="9"/></svg>'

function draw(extension: string, options: string[]): Uint8Array {
  if (extension === 'svg') return Buffer.from(SVG)
  return execFileSync('convert', ['-size', '40x30', 'xc:#cc3333', ...options, `${extension}:-`])
}

const dpiOf = async (file: Uint8Array) => (await runJob(pools, 'image.metadata', { file })).result.dpi

/** As exiftool reads them; empty where no resolution is recorded. */
const readResolution = async (file: Uint8Array) =>
  (await runOnFile('exiftool', file, ['-s3', '-PixelsPerUnitX', '-XResolution', '-ResolutionUnit', '@']))
    .trim()
    .split('\n')
    .filter(line => line !== '')

const UNRECORDED = [
  { extension: 'png', options: NONE },
  { extension: 'png', options: SHAPE_ONLY },
  { extension: 'jpg', options: SHAPE_ONLY },
  { extension: 'tif', options: SHAPE_ONLY },
  { extension: 'gif', options: [] },
  { extension: 'webp', options: [] },
  { extension: 'svg', options: [] },
]

test.each(UNRECORDED)('makes up no resolution for $extension drawn with $options', async ({ extension, options }) => {
  const file = draw(extension, options)
  expect(await dpiOf(file)).toBeUndefined()
  const png = await runJob(pools, 'image.convert', { file, to: 'png' })
  expect(await readResolution(png.bytes)).toEqual([])
  const jpeg = await runJob(pools, 'image.convert', { file, to: 'jpeg' })
  expect(await dpiOf(jpeg.bytes)).toBeUndefined()
  const tiff = await runJob(pools, 'image.convert', { file, to: 'tiff' })
  expect(await readResolution(tiff.bytes)).toEqual(['1', 'None'])
  expect(await dpiOf(tiff.bytes)).toBeUndefined()
})

test.each(['png', 'jpg', 'tif'])('keeps the 150 dpi that a %s file records', async extension => {
  const file = draw(extension, at(150))
  expect(await dpiOf(file)).toBe(150)
  const png = await runJob(pools, 'image.convert', { file, to: 'png' })
  expect((await readResolution(png.bytes)).map(Number)).toEqual([expect.closeTo(150 / 0.0254, -1)])
  const tiff = await runJob(pools, 'image.convert', { file, to: 'tiff' })
  const [across, unit] = await readResolution(tiff.bytes)
  expect(Number(across)).toBeCloseTo(150, 1)
  expect(unit).toBe('inches')
})

test('makes up no resolution while it draws on an image', async () => {
  const turned = await runJob(pools, 'image.rotate', { file: draw('jpg', SHAPE_ONLY), degrees: 30, format: 'png' })
  expect(await readResolution(turned.bytes)).toEqual([])
  const dense = await runJob(pools, 'image.rotate', { file: draw('png', NONE), degrees: 30, dpi: 300 })
  expect(await dpiOf(dense.bytes)).toBe(300)
})
