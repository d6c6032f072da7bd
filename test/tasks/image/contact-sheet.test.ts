import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { BLUE, FOREIGN, GREEN, identified, isNear, pixel, plain, traffic } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const sheet = (files: Uint8Array[], options: object = {}) =>
  runJob(pools, 'image.contact-sheet', { files, cell: { width: 40, height: 40 }, ...options })

const red = () => plain(80, 40).jpeg().toBuffer()
const green = () => plain(40, 80, GREEN).png().toBuffer()
const blue = () => plain(60, 60, BLUE).webp().toBuffer()

test('lays pictures out in the order given', async () => {
  const { bytes, result, units } = await sheet([await red(), await green(), await blue()])
  expect(await identified(bytes)).toEqual(['png 120x120'])
  expect(result.image).toMatchObject({ width: 120, height: 120, hasAlpha: false })
  expect(units).toBe(3)
  expect(isNear(await pixel(bytes, 36, 36), [255, 0, 0])).toBe(true)
  expect(isNear(await pixel(bytes, 84, 36), [0, 255, 0])).toBe(true)
  expect(isNear(await pixel(bytes, 36, 84), [0, 0, 255])).toBe(true)
  expect(await pixel(bytes, 84, 84)).toEqual([255, 255, 255])
})

test('by columns, gaps and colours, whole or covering', async () => {
  const files = [await red(), await green()]
  const one = await sheet(files, { columns: 1, gap: 0, padding: 0, fit: 'contain', background: '#ffff00' })
  expect(await identified(one.bytes)).toEqual(['png 40x80'])
  expect(isNear(await pixel(one.bytes, 20, 2), [255, 255, 0])).toBe(true)
  expect(isNear(await pixel(one.bytes, 20, 60), [0, 255, 0])).toBe(true)
  const row = await sheet(files, { columns: 20, gap: 0, padding: 0, format: 'jpeg' })
  expect(await identified(row.bytes)).toEqual(['jpeg 80x40'])
})

test('writes labels below', async () => {
  const { bytes } = await sheet([await red()], { labels: ['W & <M>'], padding: 0 })
  expect(await identified(bytes)).toEqual(['png 40x64'])
  const strip = await sharp(bytes).extract({ left: 0, top: 40, width: 40, height: 24 }).stats()
  expect(strip.channels[0]!.min).toBeLessThan(120)
})

test('takes animations by their first frame, and foreign formats', async () => {
  const files = [await traffic('gif'), await FOREIGN.bmp!(await blue().then(() => green()))]
  const { bytes } = await sheet(files, { padding: 0, gap: 0 })
  expect(isNear(await pixel(bytes, 20, 20), [255, 0, 0])).toBe(true)
  expect(isNear(await pixel(bytes, 60, 20), [0, 255, 0])).toBe(true)
})

test('names the broken file, or puts a placeholder there', async () => {
  const files = [await red(), Buffer.from('not a picture')]
  await expect(sheet(files)).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED', hints: { index: 1 } })
  const { bytes, warnings } = await sheet(files, { skipBroken: true })
  expect(warnings).toEqual(['INPUT_SKIPPED'])
  expect(await identified(bytes)).toEqual(['png 120x72'])
  await expect(sheet(Array(100).fill(await green()), { cell: { width: 4096, height: 4096 } })).rejects.toMatchObject({
    code: 'TOO_MANY_PIXELS',
  })
})
