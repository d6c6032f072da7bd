import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  createDiscImage,
  createHalvesImage,
  createNoiseImage,
  createPlainImage,
  createThreeFrames,
  identifyFrames,
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

const compress = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.compress', { file, ...options })

const makePhoto = () => createNoiseImage(400, 300).blur(2)

test.each(['jpeg', 'webp', 'avif'] as const)('makes %s smaller at similar quality', async format => {
  const file = await makePhoto().toFormat(format, { quality: 100 }).toBuffer()
  const { bytes, result } = await compress(file)
  expect(bytes.length).toBeLessThan(file.length * 0.8)
  expect(result).toMatchObject({ originalBytes: file.length, outputBytes: bytes.length, image: { format, width: 400 } })
  expect(result.quality).toBeGreaterThanOrEqual(30)
  if (format !== 'avif') expect(await identifyFrames(bytes)).toEqual([`${format} 400x300`])
})

test('compresses PNG losslessly unless a palette is requested', async () => {
  const file = await makePhoto().png({ compressionLevel: 1 }).toBuffer()
  const { bytes, result } = await compress(file)
  const { convertWith: written } = await import('../../support/images/measure.ts')
  const pixels = async (png: Uint8Array) =>
    (await written('convert-im6.q16', ['@in', '@out'], png, 'rgb')).toString('base64')
  expect(await pixels(bytes)).toBe(await pixels(file))
  expect(result.quality).toBeUndefined()
  const indexed = await compress(file, { palette: true })
  expect(Number(await runOnFile('identify', indexed.bytes, ['-format', '%k', '@']))).toBeLessThanOrEqual(256)
})

test('reaches a target size by quality, then by dimensions where allowed', async () => {
  const file = await makePhoto().jpeg({ quality: 95 }).toBuffer()
  const met = await compress(file, { maxBytes: 9000 })
  expect(met.bytes.length).toBeLessThanOrEqual(9000)
  expect(met.result).toMatchObject({ targetMet: true, image: { width: 400 } })
  const missed = await compress(file, { maxBytes: 600 })
  expect([missed.result.targetMet, missed.warnings]).toEqual([false, ['TARGET_NOT_MET']])
  const scaled = await compress(file, { maxBytes: 600, allowResize: true })
  expect(scaled.bytes.length).toBeLessThanOrEqual(600)
  expect((scaled.result.image as { width: number }).width).toBeLessThan(400)
})

test('chooses the smallest format for the content', async () => {
  const auto = await compress(await makePhoto().png().toBuffer(), { format: 'auto' })
  expect((auto.result.image as { format: string }).format).toMatch(/webp|avif|jpeg/)
  const clear = await compress(await createDiscImage(200).png().toBuffer(), { format: 'auto' })
  expect(clear.result.image).toMatchObject({ hasAlpha: true })
  expect((await readPixel(clear.bytes, 0, 0))[3]).toBe(0)
})

test('never returns a larger file and then charges one unit', async () => {
  const file = await createHalvesImage(200, 200).png({ palette: true, compressionLevel: 9 }).toBuffer()
  const { bytes, result, chargedMicros } = await compress(file)
  expect(bytes.length).toBeLessThanOrEqual(file.length)
  if (result.unchanged) expect([bytes.equals(file), chargedMicros]).toEqual([true, 1_000n])
  const tiny = await createPlainImage(1, 1).jpeg({ mozjpeg: true, quality: 20 }).toBuffer()
  const same = await compress(tiny, { quality: 100 })
  expect([same.result.unchanged, same.chargedMicros, same.bytes.equals(tiny)]).toEqual([true, 1_000n, true])
})

test('strips private metadata from an unchanged image, unless it is to be kept', async () => {
  const tiny = await createNoiseImage(64, 64)
    .withExif({ IFD0: { Make: 'Acme', Copyright: 'Ada 2026' } })
    .jpeg({ quality: 20, mozjpeg: true })
    .toBuffer()
  const tags = async (options: object) => {
    const { result, bytes } = await compress(tiny, { quality: 100, progressive: false, ...options })
    expect([result.unchanged, result.outputBytes]).toEqual([true, bytes.length])
    return runOnFile('exiftool', bytes, ['-s', '@'])
  }
  expect(await tags({})).not.toMatch(/Acme|Ada/)
  expect(await tags({ metadata: 'copyright' })).toMatch(/Ada 2026/)
  expect(await tags({ metadata: 'copyright' })).not.toMatch(/Acme/)
  expect(await tags({ metadata: 'keep' })).toMatch(/Acme/)
})

test('minifies an SVG without changing its rendering', async () => {
  const shape = '<circle cx="20.0000" cy="20.0000" r="15.50000" fill="#ff0000"/>'
  const text = `<!-- by Ada -->\n<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">\n  <g>\n    ${shape}\n  </g>\n</svg>\n`
  const { bytes, result } = await compress(Buffer.from(text))
  expect(result).toMatchObject({ image: { width: 40, height: 40, format: 'svg' }, originalBytes: text.length })
  expect(bytes.length).toBeLessThan(text.length * 0.7)
  expect(bytes.toString()).not.toMatch(/Ada/)
  const renderPixels = (from: Uint8Array) => sharp(from).raw().toBuffer()
  expect((await renderPixels(bytes)).equals(await renderPixels(Buffer.from(text)))).toBe(true)
  expect((await compress(bytes)).result).toMatchObject({ unchanged: true, saved: 0 })
})

test('rejects a billion-laughs SVG', async () => {
  const entities = 'abcdefghij'
    .split('')
    .map((name, at, all) => `<!ENTITY ${name} "${at ? `&${all[at - 1]};`.repeat(10) : 'ha'}">`)
  const bomb = `<!DOCTYPE svg [${entities.join('')}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&j;</text></svg>`
  await expect(compress(Buffer.from(bomb))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})

test.each(['gif', 'webp'] as const)('keeps frames and delays of an animated %s', async format => {
  const { bytes } = await compress(await createThreeFrames(format, 200, 100))
  expect((await readTiming(bytes, format)).delays).toEqual([100, 150, 200])
})

test('rejects a file that is no image', async () => {
  await expect(compress(Buffer.from('not an image'))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})

test.each(['webp', 'avif', 'png'] as const)(
  'names the content that it returns when %s cannot be made smaller',
  async format => {
    const small = await createPlainImage(3, 2).toFormat(format, { quality: 1 }).toBuffer()
    const { bytes, result } = await compress(small, { format: 'auto', quality: 100 })
    const { format: actual, width, height } = await sharp(bytes).metadata()
    const named = actual === 'heif' ? 'avif' : actual
    expect(result).toMatchObject({ image: { format: named, width, height }, output: { contentType: `image/${named}` } })
  },
)
