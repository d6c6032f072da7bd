import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  BLUE,
  createPlainImage,
  createThreeFrames,
  FOREIGN_ENCODERS,
  GREEN,
  identifyFrames,
  isColorClose,
  readPixel,
} from '../../support/images/measure.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const makeSheet = (files: Uint8Array[], options: object = {}) =>
  runJob(pools, 'image.contact-sheet', { files, cell: { width: 40, height: 40 }, ...options })

const red = () => createPlainImage(80, 40).jpeg().toBuffer()
const green = () => createPlainImage(40, 80, GREEN).png().toBuffer()
const blue = () => createPlainImage(60, 60, BLUE).webp().toBuffer()

test('arranges images in the order given', async () => {
  const { bytes, result, units } = await makeSheet([await red(), await green(), await blue()])
  expect(await identifyFrames(bytes)).toEqual(['png 120x120'])
  expect(result.image).toMatchObject({ width: 120, height: 120, hasAlpha: false })
  expect(units).toBe(3)
  expect(isColorClose(await readPixel(bytes, 36, 36), [255, 0, 0])).toBe(true)
  expect(isColorClose(await readPixel(bytes, 84, 36), [0, 255, 0])).toBe(true)
  expect(isColorClose(await readPixel(bytes, 36, 84), [0, 0, 255])).toBe(true)
  expect(await readPixel(bytes, 84, 84)).toEqual([255, 255, 255])
})

test('keeps JPEG if all images are, and nothing shows through', async () => {
  const files = [await red(), await red()]
  expect(await identifyFrames((await makeSheet(files)).bytes)).toEqual(['jpeg 120x72'])
  expect(await identifyFrames((await makeSheet(files, { background: '#0000' })).bytes)).toEqual(['png 120x72'])
  expect(await identifyFrames((await makeSheet(files, { format: 'png' })).bytes)).toEqual(['png 120x72'])
})

test('applies columns, gaps, colours and fit', async () => {
  const files = [await red(), await green()]
  const one = await makeSheet(files, { columns: 1, gap: 0, padding: 0, fit: 'contain', background: '#ffff00' })
  expect(await identifyFrames(one.bytes)).toEqual(['png 40x80'])
  expect(isColorClose(await readPixel(one.bytes, 20, 2), [255, 255, 0])).toBe(true)
  expect(isColorClose(await readPixel(one.bytes, 20, 60), [0, 255, 0])).toBe(true)
  const row = await makeSheet(files, { columns: 20, gap: 0, padding: 0, format: 'jpeg' })
  expect(await identifyFrames(row.bytes)).toEqual(['jpeg 80x40'])
})

test('writes labels below', async () => {
  const { bytes } = await makeSheet([await red()], { labels: ['W & <M>'], padding: 0 })
  expect(await identifyFrames(bytes)).toEqual(['jpeg 40x64'])
  const strip = await sharp(bytes).extract({ left: 0, top: 40, width: 40, height: 24 }).stats()
  expect(strip.channels[0]!.min).toBeLessThan(120)
})

test('says that animations and documents are shown by their first picture', async () => {
  const pages = await sharp([await green(), await green()], { join: { animated: true } })
    .tiff()
    .toBuffer()
  const { warnings } = await makeSheet([await red(), await createThreeFrames('gif'), pages])
  expect(warnings).toEqual(['ANIMATION_FLATTENED', 'PAGES_DROPPED'])
  expect((await makeSheet([await red(), await green()])).warnings).toEqual([])
})

test('shows the first frame of animations and reads foreign formats', async () => {
  const files = [await createThreeFrames('gif'), await FOREIGN_ENCODERS.bmp!(await blue().then(() => green()))]
  const { bytes } = await makeSheet(files, { padding: 0, gap: 0 })
  expect(isColorClose(await readPixel(bytes, 20, 20), [255, 0, 0])).toBe(true)
  expect(isColorClose(await readPixel(bytes, 60, 20), [0, 255, 0])).toBe(true)
})

test('names the broken file, or shows a placeholder for it', async () => {
  const files = [await red(), Buffer.from('not an image')]
  await expect(makeSheet(files)).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED', hints: { index: 1 } })
  const { bytes, warnings } = await makeSheet(files, { skipBroken: true })
  expect(warnings).toEqual(['INPUT_SKIPPED'])
  expect(await identifyFrames(bytes)).toEqual(['png 120x72'])
  await expect(
    makeSheet(Array(100).fill(await green()), { cell: { width: 4096, height: 4096 } }),
  ).rejects.toMatchObject({
    code: 'TOO_MANY_PIXELS',
  })
})
