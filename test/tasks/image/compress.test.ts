import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { disc, halves, identified, noise, pixel, plain, seenBy, timing, traffic } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const compress = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'image.compress', { file, ...options })

const photo = () => noise(400, 300).blur(2)

test.each(['jpeg', 'webp', 'avif'] as const)('makes %s smaller and alike', async format => {
  const file = await photo().toFormat(format, { quality: 100 }).toBuffer()
  const { bytes, result } = await compress(file)
  expect(bytes.length).toBeLessThan(file.length * 0.8)
  expect(result).toMatchObject({ originalBytes: file.length, outputBytes: bytes.length, image: { format, width: 400 } })
  expect(result.quality).toBeGreaterThanOrEqual(30)
  if (format !== 'avif') expect(await identified(bytes)).toEqual([`${format} 400x300`])
})

test('loses nothing of PNG unless a palette is asked for', async () => {
  const file = await photo().png({ compressionLevel: 1 }).toBuffer()
  const { bytes, result } = await compress(file)
  const { written } = await import('../../support/pictures.ts')
  const pixels = async (png: Uint8Array) =>
    (await written('convert-im6.q16', ['@in', '@out'], png, 'rgb')).toString('base64')
  expect(await pixels(bytes)).toBe(await pixels(file))
  expect(result.quality).toBeUndefined()
  const indexed = await compress(file, { palette: true })
  expect(Number(await seenBy('identify', indexed.bytes, ['-format', '%k', '@']))).toBeLessThanOrEqual(256)
})

test('reaches a size by quality, then by pixels where that is allowed', async () => {
  const file = await photo().jpeg({ quality: 95 }).toBuffer()
  const met = await compress(file, { maxBytes: 9000 })
  expect(met.bytes.length).toBeLessThanOrEqual(9000)
  expect(met.result).toMatchObject({ targetMet: true, image: { width: 400 } })
  const missed = await compress(file, { maxBytes: 600 })
  expect([missed.result.targetMet, missed.warnings]).toEqual([false, ['TARGET_NOT_MET']])
  const scaled = await compress(file, { maxBytes: 600, allowResize: true })
  expect(scaled.bytes.length).toBeLessThanOrEqual(600)
  expect((scaled.result.image as { width: number }).width).toBeLessThan(400)
})

test('chooses the smallest format for what it shows', async () => {
  const auto = await compress(await photo().png().toBuffer(), { format: 'auto' })
  expect((auto.result.image as { format: string }).format).toMatch(/webp|avif|jpeg/)
  const clear = await compress(await disc(200).png().toBuffer(), { format: 'auto' })
  expect(clear.result.image).toMatchObject({ hasAlpha: true })
  expect((await pixel(clear.bytes, 0, 0))[3]).toBe(0)
})

test('is never larger, and then costs the least', async () => {
  const file = await halves(200, 200).png({ palette: true, compressionLevel: 9 }).toBuffer()
  const { bytes, result, units } = await compress(file)
  expect(bytes.length).toBeLessThanOrEqual(file.length)
  if (result.unchanged) expect([bytes.equals(file), units]).toEqual([true, 1])
  const tiny = await plain(1, 1).jpeg({ mozjpeg: true, quality: 20 }).toBuffer()
  const same = await compress(tiny, { quality: 100 })
  expect([same.result.unchanged, same.units, same.bytes.equals(tiny)]).toEqual([true, 1, true])
})

test('what comes back as it was has lost what it told of its owner, unless that is to stay', async () => {
  const tiny = await noise(64, 64)
    .withExif({ IFD0: { Make: 'Acme', Copyright: 'Ada 2026' } })
    .jpeg({ quality: 20, mozjpeg: true })
    .toBuffer()
  const tags = async (options: object) => {
    const { result, bytes } = await compress(tiny, { quality: 100, progressive: false, ...options })
    expect([result.unchanged, result.outputBytes]).toEqual([true, bytes.length])
    return seenBy('exiftool', bytes, ['-s', '@'])
  }
  expect(await tags({})).not.toMatch(/Acme|Ada/)
  expect(await tags({ metadata: 'copyright' })).toMatch(/Ada 2026/)
  expect(await tags({ metadata: 'copyright' })).not.toMatch(/Acme/)
  expect(await tags({ metadata: 'keep' })).toMatch(/Acme/)
})

test('writes a vector picture shorter, and it looks the same', async () => {
  const shape = '<circle cx="20.0000" cy="20.0000" r="15.50000" fill="#ff0000"/>'
  const text = `<!-- by Ada -->\n<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">\n  <g>\n    ${shape}\n  </g>\n</svg>\n`
  const { bytes, result } = await compress(Buffer.from(text))
  expect(result).toMatchObject({ image: { width: 40, height: 40, format: 'svg' }, originalBytes: text.length })
  expect(bytes.length).toBeLessThan(text.length * 0.7)
  expect(bytes.toString()).not.toMatch(/Ada/)
  const drawn = (from: Uint8Array) => sharp(from).raw().toBuffer()
  expect((await drawn(bytes)).equals(await drawn(Buffer.from(text)))).toBe(true)
  expect((await compress(bytes)).result).toMatchObject({ unchanged: true, saved: 0 })
})

test('a vector picture that laughs a billion times is refused', async () => {
  const entities = 'abcdefghij'
    .split('')
    .map((name, at, all) => `<!ENTITY ${name} "${at ? `&${all[at - 1]};`.repeat(10) : 'ha'}">`)
  const bomb = `<!DOCTYPE svg [${entities.join('')}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&j;</text></svg>`
  await expect(compress(Buffer.from(bomb))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})

test.each(['gif', 'webp'] as const)('keeps frames and delays of an animated %s', async format => {
  const { bytes } = await compress(await traffic(format, 200, 100))
  expect((await timing(bytes, format)).delays).toEqual([100, 150, 200])
})

test('refuses what it cannot compress', async () => {
  await expect(compress(Buffer.from('not a picture'))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})
