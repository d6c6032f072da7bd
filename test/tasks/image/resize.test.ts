import { deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { encodePng } from '../../support/images/png.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const resize = (file: Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'image.resize', { file, ...options })

const RED = { r: 200, g: 20, b: 20 }
const plain = (width: number, height: number, background: object | string = RED) =>
  sharp({ create: { width, height, channels: 3, background: background as string } })

/** Left half red, right half blue. */
function halves(width: number, height: number): Sharp {
  const right = { create: { width: Math.floor(width / 2), height, channels: 3 as const, background: '#0000ff' } }
  return plain(width, height)
    .composite([{ input: right, gravity: 'east' }])
    .removeAlpha()
}

/** Frames of one colour each, with different delays. */
async function animation(format: 'gif' | 'webp', colors: string[], size = 40): Promise<Buffer> {
  const frames = await Promise.all(
    colors.map(background =>
      plain(size, size / 2, background)
        .png()
        .toBuffer(),
    ),
  )
  const joined = sharp(frames, { join: { animated: true } })
  const options = { delay: colors.map((_, index) => 100 + index * 50), loop: 3 }
  return format === 'gif' ? joined.gif(options).toBuffer() : joined.webp({ ...options, lossless: true }).toBuffer()
}

async function pixel(bytes: Uint8Array, left: number, top: number, page = 0): Promise<number[]> {
  const image = sharp(bytes, { page }).extract({ left, top, width: 1, height: 1 })
  return [...(await image.raw().toBuffer())]
}

const isNear = (found: number[], wanted: number[], by = 12) =>
  wanted.every((value, index) => Math.abs(found[index]! - value) <= by)

test.each([
  { options: { width: 100 }, size: [100, 50] },
  { options: { height: 50 }, size: [100, 50] },
  { options: { width: 100, height: 100 }, size: [100, 50] },
  { options: { width: 100, height: 100, fit: 'cover' }, size: [100, 100] },
  { options: { width: 100, height: 100, fit: 'contain' }, size: [100, 100] },
  { options: { width: 100, height: 100, fit: 'fill' }, size: [100, 100] },
  { options: { width: 100, height: 100, fit: 'outside' }, size: [200, 100] },
  { options: { width: '25%' }, size: [100, 50] },
  { options: { width: 100, dpr: 2 }, size: [200, 100] },
  { options: { width: 4000 }, size: [400, 200], warnings: ['NOT_ENLARGED'] },
  { options: { width: 800, enlarge: true }, size: [800, 400] },
  { options: { width: 100, height: 100, fit: 'cover', position: { x: 1, y: 0.5 } }, size: [100, 100] },
  { options: { width: 100, height: 100, fit: 'contain', position: { x: 0, y: 1 } }, size: [100, 100] },
])('resizes 400 by 200 with $options to $size', async ({ options, size, warnings = [] }) => {
  const answer = await resize(await halves(400, 200).png().toBuffer(), options)
  const { width, height, format } = await sharp(answer.bytes).metadata()
  expect([width, height]).toEqual(size)
  expect(format).toBe('png')
  expect(answer.result.image).toMatchObject({ width, height, format: 'png', pages: 1, hasAlpha: false })
  expect(answer.units).toBe(1)
  expect(answer.warnings).toEqual(warnings)
})

test('keeps the part that position names with fit cover', async () => {
  const file = await halves(400, 200).png().toBuffer()
  const renderCenter = async (position: unknown) => {
    const { bytes } = await resize(file, { width: 50, height: 100, fit: 'cover', position })
    return pixel(bytes, 25, 50)
  }
  expect(isNear(await renderCenter('west'), [200, 20, 20])).toBe(true)
  expect(isNear(await renderCenter('east'), [0, 0, 255])).toBe(true)
  expect(isNear(await renderCenter({ x: 0.05, y: 0.5 }), [200, 20, 20])).toBe(true)
  expect(isNear(await renderCenter({ x: 0.95, y: 0.5 }), [0, 0, 255])).toBe(true)
})

test('surrounds the image with the background with fit contain', async () => {
  const file = await plain(100, 50).png().toBuffer()
  const { bytes } = await resize(file, { width: 60, height: 60, fit: 'contain', background: '#00ff00' })
  expect(await pixel(bytes, 30, 2)).toEqual([0, 255, 0])
  expect(isNear(await pixel(bytes, 30, 30), [200, 20, 20])).toBe(true)
})

test('applies the EXIF orientation first and clears the tag', async () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const file = await halves(80, 40).withMetadata({ orientation }).jpeg().toBuffer()
    const { bytes } = await resize(file, { width: 40 })
    const meta = await sharp(bytes).metadata()
    expect([meta.width, meta.height]).toEqual(orientation >= 5 ? [40, 80] : [40, 20])
    expect(meta.orientation ?? 1).toBe(1)
  }
})

test.each(['gif', 'webp'] as const)('keeps frames, order, delays and loop of an animated %s', async format => {
  const file = await animation(format, ['#ff0000', '#00ff00', '#0000ff'])
  const answer = await resize(file, { width: 20 })
  const meta = await sharp(answer.bytes).metadata()
  expect(meta).toMatchObject({ width: 20, pages: 3, delay: [100, 150, 200], loop: 3 })
  expect(answer.result.image).toMatchObject({ width: 20, height: 10, pages: 3 })
  const frames = await Promise.all([0, 1, 2].map(page => pixel(answer.bytes, 10, 5, page)))
  expect(frames.map(frame => frame.slice(0, 3).indexOf(Math.max(...frame.slice(0, 3))))).toEqual([0, 1, 2])
  expect(answer.warnings).toEqual([])
})

test('converts an animation from gif to webp and flattens it with a warning where necessary', async () => {
  const file = await animation('gif', ['#ff0000', '#00ff00'])
  const webp = await resize(file, { width: 20, format: 'webp' })
  expect(await sharp(webp.bytes).metadata()).toMatchObject({ format: 'webp', pages: 2, delay: [100, 150], loop: 3 })
  const png = await resize(file, { width: 20, format: 'png' })
  expect(png.warnings).toEqual(['ANIMATION_FLATTENED'])
  expect(await sharp(png.bytes).metadata()).toMatchObject({ width: 20, height: 10 })
  const first = await resize(file, { width: 20, animation: 'first' })
  expect(first.result.image).toMatchObject({ pages: 1 })
  expect(first.warnings).toEqual([])
  const second = await resize(file, { width: 20, page: 2, format: 'png' })
  expect(isNear(await pixel(second.bytes, 10, 5), [0, 255, 0])).toBe(true)
  await expect(resize(file, { width: 20, page: 3 })).rejects.toMatchObject({
    code: 'BAD_RANGE',
    hints: { field: 'page' },
  })
})

test('crops every frame of an animation the same, around the salient part or a point', async () => {
  const file = await animation('gif', ['#ff0000', '#00ff00', '#0000ff'])
  for (const position of ['attention', 'entropy', 'north', { x: 0.2, y: 0.5 }]) {
    const { bytes } = await resize(file, { width: 10, height: 10, fit: 'cover', position })
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 10, height: 30 / 3, pages: 3 })
  }
})

test('keeps transparency without dark edges, and puts the background under it for jpeg', async () => {
  const dot = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><circle cx="100" cy="100" r="90" fill="#fff"/></svg>',
  )
  const file = await sharp(dot).png().toBuffer()
  const png = await resize(file, { width: 30 })
  expect(png.result.image).toMatchObject({ hasAlpha: true })
  const { data } = await sharp(png.bytes).raw().toBuffer({ resolveWithObject: true })
  for (let at = 0; at < data.length; at += 4) if (data[at + 3]! > 8) expect(data[at]!).toBeGreaterThan(240)
  const jpeg = await resize(file, { width: 150, format: 'jpeg', background: 'tomato' })
  expect(isNear(await pixel(jpeg.bytes, 0, 0), [255, 99, 71], 20)).toBe(true)
})

test('converts CMYK and other colour spaces to sRGB, or keeps the profile on request', async () => {
  const cmyk = await plain(40, 40, '#d02020').toColourspace('cmyk').withIccProfile('cmyk').jpeg().toBuffer()
  expect((await sharp(cmyk).metadata()).space).toBe('cmyk')
  const answer = await resize(cmyk, { width: 20 })
  expect(await sharp(answer.bytes).metadata()).toMatchObject({ space: 'srgb', channels: 3 })
  expect(isNear(await pixel(answer.bytes, 10, 10), [208, 32, 32], 30)).toBe(true)
  const p3 = await plain(40, 40, '#ff0000').withIccProfile('p3').png().toBuffer()
  expect((await sharp((await resize(p3, { width: 20 })).bytes).metadata()).hasProfile).toBe(false)
  const kept = await resize(p3, { width: 20, icc: 'keep' })
  expect((await sharp(kept.bytes).metadata()).icc).toEqual((await sharp(p3).metadata()).icc)
})

test('strips metadata, keeps it, or keeps only the rights', async () => {
  const exif = {
    IFD0: { Copyright: 'Ada 2026', Artist: 'Ada', Make: 'Camera' },
    IFD3: { GPSLatitude: '1/1 2/1 3/1' },
  }
  const file = await plain(80, 40).withExif(exif).jpeg().toBuffer()
  const exifOf = async (options: object) =>
    (await sharp((await resize(file, { width: 40, ...options })).bytes).metadata()).exif?.toString('utf8')
  expect(await exifOf({})).toBeUndefined()
  expect(await exifOf({ metadata: 'keep' })).toContain('Camera')
  const rights = await exifOf({ metadata: 'copyright' })
  expect(rights).toContain('Ada 2026')
  expect(rights).not.toContain('Camera')
  const dense = await sharp((await resize(file, { width: 40, dpi: 300 })).bytes).metadata()
  expect(dense.density).toBe(300)
  expect(dense.exif?.toString('utf8') ?? '').not.toContain('Camera')
})

test('keeps 16 bits only for png and tiff', async () => {
  const file = await plain(40, 40).toColourspace('rgb16').png().toBuffer()
  expect((await sharp((await resize(file, { width: 20 })).bytes).metadata()).depth).toBe('ushort')
  expect((await sharp((await resize(file, { width: 20, format: 'webp' })).bytes).metadata()).depth).toBe('uchar')
})

test.each(['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const)('writes %s and reads it again', async format => {
  const file = await halves(64, 32).png().toBuffer()
  const first = await resize(file, { width: 32, format })
  expect(first.result).toMatchObject({
    output: { contentType: `image/${format}` },
    image: { width: 32, height: 16, format },
  })
  const again = await resize(first.bytes, { width: 16 })
  expect(again.result.image).toMatchObject({ width: 16, height: 8, format })
  expect(isNear(await pixel(again.bytes, 2, 4), [200, 20, 20], 40)).toBe(true)
})

test('renders an SVG at the requested size without loading its references', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="10" fill="#0000ff"/></svg>'
  const answer = await resize(Buffer.from(svg), { width: 400 })
  expect(answer.result.image).toMatchObject({ width: 400, height: 400, format: 'png' })
  expect((await pixel(answer.bytes, 198, 200)).slice(0, 3)).toEqual([0, 0, 255])
  expect((await pixel(answer.bytes, 202, 200))[3]).toBe(0)
  const linked =
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><image href="file:///w/in-1-0" width="10" height="10"/></svg>'
  expect((await pixel((await resize(Buffer.from(linked), { width: 10 })).bytes, 5, 5))[3]).toBe(0)
})

test('keeps at least one pixel of an extremely thin image', async () => {
  const answer = await resize(await plain(3000, 1).png().toBuffer(), { width: 10 })
  expect(answer.result.image).toMatchObject({ width: 10, height: 1 })
})

test('charges per started 25 megapixels of all frames, twice for avif', async () => {
  expect((await resize(await plain(6000, 5000).jpeg().toBuffer(), { width: 10 })).units).toBe(2)
  expect((await resize(await plain(100, 100).jpeg().toBuffer(), { width: 10, format: 'avif' })).chargedMicros).toBe(
    2_000n,
  )
})

test('rejects a truncated image, unless tolerant', async () => {
  const noise = {
    create: {
      width: 600,
      height: 400,
      channels: 3 as const,
      noise: { type: 'gaussian' as const, mean: 128, sigma: 30 },
      background: '#000',
    },
  }
  const whole = await sharp(noise).jpeg({ quality: 90 }).toBuffer()
  const file = whole.subarray(0, Math.floor(whole.length / 2))
  await expect(resize(file, { width: 300 })).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
  const answer = await resize(file, { width: 300, tolerant: true })
  expect(answer.result.image).toMatchObject({ width: 300, height: 200 })
  expect(answer.warnings).toEqual(['INPUT_DAMAGED'])
})

test('rejects a bomb of 30,000 by 30,000 pixels before decoding it', async () => {
  const bomb = encodePng(30_000, 30_000, deflateSync(Buffer.alloc(2 ** 20)))
  await expect(resize(bomb, { width: 100 })).rejects.toMatchObject({
    code: 'TOO_MANY_PIXELS',
    hints: { limit: 100_000_000, actual: 900_000_000 },
  })
})

test.each([
  { title: 'garbage', file: Buffer.from('not an image') },
  { title: 'a document', file: Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n') },
  { title: 'half a header', file: Buffer.from([0xff, 0xd8, 0xff]) },
])('rejects $title', async ({ file }) => {
  await expect(resize(file, { width: 100 })).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})

test('rejects missing or impossible sizes and unknown colours', async () => {
  const file = await plain(40, 20).png().toBuffer()
  await expect(resize(file, {})).rejects.toMatchObject({ code: 'MISSING_FIELD', hints: { field: 'width' } })
  await expect(resize(file, { width: 10, format: 'jpeg', background: 'nosuchcolour' })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'background' },
  })
  await expect(resize(file, { width: 20_000, enlarge: true, format: 'webp' })).rejects.toMatchObject({
    code: 'TOO_MANY_PIXELS',
    hints: { limit: 16_383 },
  })
  await expect(resize(file, { width: 30_000, enlarge: true })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
})
