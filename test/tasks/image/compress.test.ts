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

test.each(['gif', 'webp'] as const)('keeps frames and delays of an animated %s', async format => {
  const { bytes } = await compress(await traffic(format, 200, 100))
  expect((await timing(bytes, format)).delays).toEqual([100, 150, 200])
})

test('refuses what it cannot compress', async () => {
  await expect(compress(Buffer.from('not a picture'))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})
