import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { FOREIGN, halves, noise, plain, seenBy, traffic } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const describe = async (file: Uint8Array, include?: string[]) =>
  (await runJob(pools, 'image.metadata', include ? { file, include } : { file })).result

const PLACE = { GPSLatitude: '48/1 51/1 2964/100', GPSLatitudeRef: 'N', GPSLongitude: '2/1 17/1 4020/100' }
const CAMERA = {
  IFD0: { Make: 'Acme', Model: 'Acme X1', Copyright: 'Ada 2026' },
  IFD2: { DateTimeOriginal: '2026:11:20 14:30:00', FNumber: '28/10', ExposureTime: '1/125', LensModel: '35mm f/2' },
  IFD3: { ...PLACE, GPSLongitudeRef: 'W', GPSAltitude: '3500/100' },
}

test('tells size, turn, colour and tags of a photo, as exiftool does', async () => {
  const file = await halves(80, 40).withExif(CAMERA).withMetadata({ orientation: 6, density: 300 }).jpeg().toBuffer()
  const tagged = await plain(80, 40).withExif(CAMERA).jpeg().toBuffer()
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
  const [seen] = JSON.parse(await seenBy('exiftool', tagged, ['-json', '-n', '@'])) as Record<string, number>[]
  expect(seen!.GPSLatitude).toBeCloseTo(48.8582333, 5)
  expect(seen!.GPSLongitude).toBeCloseTo(-2.2945, 5)
})

test('tells frames, delays and rounds of an animation', async () => {
  for (const format of ['gif', 'webp'] as const) {
    const facts = { format, pages: 3, animated: true, delaysMs: [100, 150, 200], loop: 3 }
    expect(await describe(await traffic(format))).toMatchObject({ ...facts, width: 40, height: 20 })
  }
})

test('gives only what is asked for', async () => {
  const file = await plain(40, 40).withIccProfile('p3').withExif(CAMERA).png().toBuffer()
  const bare = await describe(file, [])
  expect(Object.keys(bare)).not.toEqual(expect.arrayContaining(['exif']))
  const { iccName } = await describe(file, ['icc'])
  expect(iccName).toMatch(/P3/)
})

test('figures and hashes of the pixels', async () => {
  const file = await noise(64, 48).png().toBuffer()
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
  const { written } = await import('../../support/pictures.ts')
  const tags = ['-Keywords=tower', '-Keywords=river', '-IPTC:Caption-Abstract=A tower', '-XMP:Title=Tower']
  const jpeg = await plain(20, 20).jpeg().toBuffer()
  const file = await written('exiftool', ['-q', ...tags, '-o', '@out', '@in'], jpeg, 'jpg')
  const { iptc, xmp } = await describe(file, ['iptc', 'xmp'])
  expect(iptc).toEqual({ keywords: ['tower', 'river'], caption: ['A tower'] })
  expect(xmp).toContain('Tower')
})

test('reads pictures of any size by their head', async () => {
  const file = await plain(30_000, 5000).png({ compressionLevel: 9 }).toBuffer()
  expect(await describe(file)).toMatchObject({ width: 30_000, height: 5000 })
  await expect(describe(file, ['stats'])).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
})

test.each(Object.keys(FOREIGN))('reads %s', async format => {
  const file = await FOREIGN[format]!(await halves(48, 32).png().toBuffer())
  expect(await describe(file, ['hashes'])).toMatchObject({ format, width: 48, height: 32 })
})

test.each([
  Buffer.from('not a picture'),
  Buffer.from([0xff, 0xd8, 0xff]),
  Buffer.from('BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0'),
])('refuses what is no picture: %j', async file => {
  await expect(describe(file)).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})
