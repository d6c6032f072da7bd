import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { noise, seenBy, traffic } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const strip = (file: Uint8Array, options: object = {}) => runJob(pools, 'image.exif-strip', { file, ...options })

const PRIVATE = {
  IFD0: { Make: 'Acme', Copyright: 'Ada 2026', Orientation: '6' },
  IFD3: { GPSLatitude: '48/1 51/1 0/1', GPSLatitudeRef: 'N', GPSLongitude: '2/1 17/1 0/1', GPSLongitudeRef: 'E' },
}

test.each(['jpeg', 'png', 'webp'] as const)('takes private data out of %s and leaves the pixels', async format => {
  const picture = noise(60, 40).withExif(PRIVATE).withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>').withIccProfile('p3')
  const file = await picture.toFormat(format).toBuffer()
  const { bytes, result } = await strip(Buffer.concat([file, Buffer.from('secret tail')]))
  expect(result).toMatchObject({ hadGps: true, removed: expect.arrayContaining(['exif', 'gps', 'trailing']) })
  const told = await seenBy('exiftool', bytes, ['-a', '-G1', '-s', '@'])
  expect(told).not.toMatch(/GPS|Acme|Ada 2026|XMP|Warning|Error/)
  expect(told).toMatch(/Orientation/)
  expect(told).toMatch(/ICC/)
  const pixels = (from: Uint8Array) => sharp(from).raw().toBuffer()
  expect((await pixels(bytes)).equals(await pixels(file))).toBe(true)
  const rights = await strip(file, { keep: ['copyright'] })
  const kept = await seenBy('exiftool', rights.bytes, ['-a', '-G1', '-s', '@'])
  expect(kept).toContain('Ada 2026')
  expect(kept).not.toMatch(/GPS|Acme|Orientation|ICC/)
})

test('keeps an animation, and a progressive picture', async () => {
  const webp = await strip(await traffic('webp'))
  expect(await sharp(webp.bytes).metadata()).toMatchObject({ pages: 3, delay: [100, 150, 200] })
  const file = await noise(60, 40).jpeg({ progressive: true }).toBuffer()
  expect((await strip(file)).bytes.equals(file)).toBe(true)
})

test('refuses what is cut off or of another kind', async () => {
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const file = await noise(60, 40).toFormat(format).toBuffer()
    await expect(strip(file.subarray(0, file.length >> 1))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
  }
  await expect(strip(await traffic('gif'))).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
})
