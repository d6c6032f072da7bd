import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/folder.ts'
import { noise, seenBy, traffic, written } from '../../support/pictures.ts'
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

/** The same picture with private data that exiftool writes, in any format it knows. */
async function tagged(picture: Uint8Array, ending: string): Promise<Buffer> {
  await using folder = await freshFolder()
  const path = join(folder.path, `picture.${ending}`)
  writeFileSync(path, picture)
  const place = ['-GPSLatitude=48.85', '-GPSLatitudeRef=N', '-GPSLongitude=2.28', '-GPSLongitudeRef=E']
  const people = ['-Make=Acme', '-Copyright=Ada 2026', '-XMP-exif:GPSLatitude=48.85', '-XMP-dc:Creator=Ada']
  execFileSync('exiftool', ['-q', '-overwrite_original', ...place, ...people, path])
  return readFileSync(path)
}

async function rawPixels(bytes: Uint8Array, ending: string): Promise<Buffer> {
  const isHeic = ending === 'heic'
  return sharp(isHeic ? await written('heif-convert', ['@in', '@out'], bytes, 'png') : bytes)
    .raw()
    .toBuffer()
}

const MAKERS: [string, () => Promise<Buffer>][] = [
  ['tif', () => noise(60, 40).tiff({ compression: 'lzw' }).toBuffer()],
  ['avif', () => noise(64, 48).avif({ effort: 0 }).toBuffer()],
  ['heic', async () => written('heif-enc', ['@in', '-o', '@out'], await noise(64, 48).png().toBuffer(), 'heic')],
]

test.each(MAKERS)('takes private data out of %s where it stands, and leaves the pixels', async (ending, make) => {
  const file = await tagged(await make(), ending)
  const { bytes, result } = await strip(file)
  expect(result).toMatchObject({ hadGps: true, removed: expect.arrayContaining(['exif', 'xmp']) })
  const told = await seenBy('exiftool', bytes, ['-a', '-G1', '-s', '@'], `.${ending}`)
  expect(told).not.toMatch(/GPS|Acme|Ada|Warning|Error/)
  expect(bytes.includes('Acme')).toBe(false)
  expect((await rawPixels(bytes, ending)).equals(await rawPixels(file, ending))).toBe(true)
})

test.each([
  ...MAKERS,
  ['jpg', () => noise(60, 40).jpeg().toBuffer()],
  ['png', () => noise(60, 40).png().toBuffer()],
  ['webp', () => noise(60, 40).webp().toBuffer()],
] as typeof MAKERS)('takes nothing but the place out of %s where only that is asked', async (ending, make) => {
  const { bytes, result } = await strip(await tagged(await make(), ending), { only: 'gps' })
  expect(result).toMatchObject({ hadGps: true, removed: ['gps'] })
  const told = await seenBy('exiftool', bytes, ['-a', '-G1', '-s', '@'], `.${ending}`)
  expect(told).not.toMatch(/GPSL|48\.85|48 deg|Error/)
  expect(told).toMatch(/Acme/)
  expect(told).toMatch(/Ada 2026/)
  expect(told).toMatch(/Creator/)
})

test.each(['jpeg', 'png', 'tiff'] as const)(
  'tells of the size on paper in %s only where that is kept',
  async format => {
    const file = await noise(60, 40).withDensity(240).toFormat(format).toBuffer()
    const kept = await strip(file, { keep: ['dpi'] })
    expect((await sharp(kept.bytes).metadata()).density).toBe(240)
    const gone = await strip(file)
    expect(gone.result.removed).toContain(format === 'jpeg' ? 'exif' : 'dpi')
    expect((await sharp(gone.bytes).metadata()).density ?? 72).toBe(72)
  },
)

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
