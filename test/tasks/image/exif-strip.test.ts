import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { convertWith, createNoiseImage, createThreeFrames, runOnFile } from '../../support/images/measure.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const strip = (file: Uint8Array, options: object = {}) => runJob(pools, 'image.exif-strip', { file, ...options })

const PRIVATE_EXIF = {
  IFD0: { Make: 'Acme', Copyright: 'Ada 2026', Orientation: '6' },
  IFD3: { GPSLatitude: '48/1 51/1 0/1', GPSLatitudeRef: 'N', GPSLongitude: '2/1 17/1 0/1', GPSLongitudeRef: 'E' },
}

test.each(['jpeg', 'png', 'webp'] as const)('removes private data from %s and keeps the pixels', async format => {
  const image = createNoiseImage(60, 40)
    .withExif(PRIVATE_EXIF)
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
    .withIccProfile('p3')
  const file = await image.toFormat(format).toBuffer()
  const { bytes, result } = await strip(Buffer.concat([file, Buffer.from('secret tail')]))
  expect(result).toMatchObject({ hadGps: true, removed: expect.arrayContaining(['exif', 'gps', 'trailing']) })
  const tags = await runOnFile('exiftool', bytes, ['-a', '-G1', '-s', '@'])
  expect(tags).not.toMatch(/GPS|Acme|Ada 2026|XMP|Warning|Error/)
  expect(tags).toMatch(/Orientation/)
  expect(tags).toMatch(/ICC/)
  const pixels = (from: Uint8Array) => sharp(from).raw().toBuffer()
  expect((await pixels(bytes)).equals(await pixels(file))).toBe(true)
  const rights = await strip(file, { keep: ['copyright'] })
  const kept = await runOnFile('exiftool', rights.bytes, ['-a', '-G1', '-s', '@'])
  expect(kept).toContain('Ada 2026')
  expect(kept).not.toMatch(/GPS|Acme|Orientation|ICC/)
})

/** The same image with private data written by exiftool, which supports all these formats. */
async function writePrivateTags(image: Uint8Array, ending: string): Promise<Buffer> {
  await using folder = await freshFolder()
  const path = join(folder.path, `picture.${ending}`)
  writeFileSync(path, image)
  const location = ['-GPSLatitude=48.85', '-GPSLatitudeRef=N', '-GPSLongitude=2.28', '-GPSLongitudeRef=E']
  const camera = ['-Make=Acme', '-Copyright=Ada 2026', '-XMP-exif:GPSLatitude=48.85', '-XMP-dc:Creator=Ada']
  execFileSync('exiftool', ['-q', '-overwrite_original', ...location, ...camera, path])
  return readFileSync(path)
}

async function decodePixels(bytes: Uint8Array, ending: string): Promise<Buffer> {
  const isHeic = ending === 'heic'
  return sharp(isHeic ? await convertWith('heif-convert', ['@in', '@out'], bytes, 'png') : bytes)
    .raw()
    .toBuffer()
}

const MAKERS: [string, () => Promise<Buffer>][] = [
  ['tif', () => createNoiseImage(60, 40).tiff({ compression: 'lzw' }).toBuffer()],
  ['avif', () => createNoiseImage(64, 48).avif({ effort: 0 }).toBuffer()],
  [
    'heic',
    async () => convertWith('heif-enc', ['@in', '-o', '@out'], await createNoiseImage(64, 48).png().toBuffer(), 'heic'),
  ],
]

test.each(MAKERS)('removes private data from %s in place and keeps the pixels', async (ending, make) => {
  const file = await writePrivateTags(await make(), ending)
  const { bytes, result } = await strip(file)
  expect(result).toMatchObject({ hadGps: true, removed: expect.arrayContaining(['exif', 'xmp']) })
  const tags = await runOnFile('exiftool', bytes, ['-a', '-G1', '-s', '@'], `.${ending}`)
  expect(tags).not.toMatch(/GPS|Acme|Ada|Warning|Error/)
  expect(bytes.includes('Acme')).toBe(false)
  expect((await decodePixels(bytes, ending)).equals(await decodePixels(file, ending))).toBe(true)
})

test.each([
  ...MAKERS,
  ['jpg', () => createNoiseImage(60, 40).jpeg().toBuffer()],
  ['png', () => createNoiseImage(60, 40).png().toBuffer()],
  ['webp', () => createNoiseImage(60, 40).webp().toBuffer()],
] as typeof MAKERS)('removes only the location from %s on request', async (ending, make) => {
  const { bytes, result } = await strip(await writePrivateTags(await make(), ending), { only: 'gps' })
  expect(result).toMatchObject({ hadGps: true, removed: ['gps'] })
  const tags = await runOnFile('exiftool', bytes, ['-a', '-G1', '-s', '@'], `.${ending}`)
  expect(tags).not.toMatch(/GPSL|48\.85|48 deg|Error/)
  expect(tags).toMatch(/Acme/)
  expect(tags).toMatch(/Ada 2026/)
  expect(tags).toMatch(/Creator/)
})

test.each(['jpeg', 'png', 'tiff'] as const)('keeps the print resolution of %s only on request', async format => {
  const file = await createNoiseImage(60, 40).withDensity(240).toFormat(format).toBuffer()
  const kept = await strip(file, { keep: ['dpi'] })
  expect((await sharp(kept.bytes).metadata()).density).toBe(240)
  const gone = await strip(file)
  expect(gone.result.removed).toContain(format === 'jpeg' ? 'exif' : 'dpi')
  expect((await sharp(gone.bytes).metadata()).density ?? 72).toBe(72)
})

test('keeps animations and progressive images', async () => {
  const webp = await strip(await createThreeFrames('webp'))
  expect(await sharp(webp.bytes).metadata()).toMatchObject({ pages: 3, delay: [100, 150, 200] })
  const file = await createNoiseImage(60, 40).jpeg({ progressive: true }).toBuffer()
  expect((await strip(file)).bytes.equals(file)).toBe(true)
})

test('rejects truncated files and other formats', async () => {
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const file = await createNoiseImage(60, 40).toFormat(format).toBuffer()
    await expect(strip(file.subarray(0, file.length >> 1))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
  }
  await expect(strip(await createThreeFrames('gif'))).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
})
