import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  createHalvesImage,
  createNoiseImage,
  createPlainImage,
  createThreeFrames,
  FOREIGN_ENCODERS,
  runOnFile,
} from '../../support/images/measure.ts'
import { encodePng } from '../../support/images/png.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const describe = async (file: Uint8Array, include?: string[]) =>
  (await runJob(pools, 'image.metadata', include ? { file, include } : { file })).result

const LOCATION = { GPSLatitude: '48/1 51/1 2964/100', GPSLatitudeRef: 'N', GPSLongitude: '2/1 17/1 4020/100' }
const CAMERA = {
  IFD0: { Make: 'Acme', Model: 'Acme X1', Copyright: 'Ada 2026' },
  IFD2: { DateTimeOriginal: '2026:11:20 14:30:00', FNumber: '28/10', ExposureTime: '1/125', LensModel: '35mm f/2' },
  IFD3: { ...LOCATION, GPSLongitudeRef: 'W', GPSAltitude: '3500/100' },
}

test('reads size, orientation, colour and tags of a photo as exiftool does', async () => {
  const file = await createHalvesImage(80, 40)
    .withExif(CAMERA)
    .withMetadata({ orientation: 6, density: 300 })
    .jpeg()
    .toBuffer()
  const tagged = await createPlainImage(80, 40).withExif(CAMERA).jpeg().toBuffer()
  expect(await describe(file)).toMatchObject({
    format: 'jpeg',
    mime: 'image/jpeg',
    width: 80,
    height: 40,
    displayWidth: 40,
    displayHeight: 80,
    orientation: 6,
    dpi: 300,
    pages: 1,
    animated: false,
    hasAlpha: false,
    bitDepth: 8,
    sizeBytes: file.length,
  })
  const { exif, raw } = (await describe(tagged)) as { exif: Record<string, unknown>; raw: Record<string, unknown> }
  expect(exif).toEqual({
    camera: 'Acme X1',
    lens: '35mm f/2',
    exposure: { seconds: 1 / 125, fNumber: 2.8 },
    takenAt: '2026-11-20T14:30:00',
    gps: { lat: 48.8582333, lon: -2.2945, alt: 35 },
  })
  expect(raw).toMatchObject({ Copyright: 'Ada 2026' })
  const [expected] = JSON.parse(await runOnFile('exiftool', tagged, ['-json', '-n', '@'])) as Record<string, number>[]
  expect(expected!.GPSLatitude).toBeCloseTo(48.8582333, 5)
  expect(expected!.GPSLongitude).toBeCloseTo(-2.2945, 5)
})

test('reads frames, delays and loop count of an animation', async () => {
  for (const format of ['gif', 'webp'] as const) {
    const facts = { format, pages: 3, animated: true, delaysMs: [100, 150, 200], loop: 3 }
    expect(await describe(await createThreeFrames(format))).toMatchObject({ ...facts, width: 40, height: 20 })
  }
})

test('returns only the requested sections', async () => {
  const file = await createPlainImage(40, 40).withIccProfile('p3').withExif(CAMERA).png().toBuffer()
  const bare = await describe(file, [])
  expect(Object.keys(bare)).not.toEqual(expect.arrayContaining(['exif']))
  const { iccName } = await describe(file, ['icc'])
  expect(iccName).toMatch(/P3/)
})

test('computes statistics and hashes of the pixels', async () => {
  const file = await createNoiseImage(64, 48).png().toBuffer()
  const { stats, hashes } = (await describe(file, ['stats', 'hashes'])) as {
    stats: { entropy: number; mean: number[]; isOpaque: boolean }
    hashes: Record<string, string>
  }
  expect(stats.isOpaque).toBe(true)
  expect(stats.entropy).toBeGreaterThan(5)
  expect(hashes.sha256).toBe(createHash('sha256').update(file).digest('hex'))
  expect(hashes.perceptual).toMatch(/^[0-9a-f]{16}$/)
  expect(hashes.blurhash!.length).toBe(28)
})

test('reads IPTC and XMP that exiftool wrote', async () => {
  const { convertWith: written } = await import('../../support/images/measure.ts')
  const tags = ['-Keywords=tower', '-Keywords=river', '-IPTC:Caption-Abstract=A tower', '-XMP:Title=Tower']
  const jpeg = await createPlainImage(20, 20).jpeg().toBuffer()
  const file = await written('exiftool', ['-q', ...tags, '-o', '@out', '@in'], jpeg, 'jpg')
  const { iptc, xmp } = await describe(file, ['iptc', 'xmp'])
  expect(iptc).toEqual({ keywords: ['tower', 'river'], caption: ['A tower'] })
  expect(xmp).toContain('Tower')
})

test('reads only the header of very large images', async () => {
  const file = encodePng(30_000, 5000, deflateSync(Buffer.alloc(2 ** 20)))
  expect(await describe(file)).toMatchObject({ width: 30_000, height: 5000 })
  await expect(describe(file, ['stats'])).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
})

test.each(Object.keys(FOREIGN_ENCODERS))('reads %s', async format => {
  const file = await FOREIGN_ENCODERS[format]!(await createHalvesImage(48, 32).png().toBuffer())
  expect(await describe(file, ['hashes'])).toMatchObject({ format, width: 48, height: 32 })
})

test.each([
  Buffer.from('not an image'),
  Buffer.from([0xff, 0xd8, 0xff]),
  Buffer.from('BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0'),
])('rejects a file that is no image: %j', async file => {
  await expect(describe(file)).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})

test.each(['tiff', 'psd', 'jp2'] as const)('reads the EXIF of %s as exiftool does', async format => {
  const encode = format === 'tiff' ? undefined : FOREIGN_ENCODERS[format]
  const plain = createNoiseImage(40, 30)
  const bare = encode ? await encode(await plain.png().toBuffer()) : await plain.tiff().toBuffer()
  const tags = [
    '-Make=Acme',
    '-FNumber=2.8',
    '-GPSLatitude=48.5',
    '-GPSLatitudeRef=N',
    '-GPSLongitude=2.5',
    '-GPSLongitudeRef=E',
  ]
  await using folder = await freshFolder()
  const path = join(folder.path, `image.${format}`)
  writeFileSync(path, bare)
  execFileSync('exiftool', ['-q', '-overwrite_original', ...tags, path])
  const file = readFileSync(path)
  const { exif } = await describe(file)
  expect(exif).toMatchObject({
    camera: expect.stringContaining('Acme'),
    exposure: { fNumber: 2.8 },
    gps: { lat: 48.5, lon: 2.5 },
  })
})
