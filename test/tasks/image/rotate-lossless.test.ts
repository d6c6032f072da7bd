import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const turn = (file: Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'image.rotate', { file, lossless: true, ...options })

/** A photograph without symmetry, in blocks of 16 pixels. */
function createPhoto(width = 64, height = 48) {
  const noise = (at: number) => (Math.imul(at + 1, 2_654_435_761) >>> 24) >> 2
  const pixels = Buffer.from(
    Array.from({ length: width * height * 3 }, (_, at) => ((at % (width * 3)) * 100) / width / 3 + at / 90 + noise(at)),
  )
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

const readPixels = (file: Uint8Array | Sharp) =>
  (file instanceof Uint8Array ? sharp(file) : file).raw().toBuffer({ resolveWithObject: true })

/** The greatest difference of a level between two images of the same size. */
async function compare(one: Uint8Array, other: Sharp): Promise<number> {
  const [left, right] = [await readPixels(one), await readPixels(await other.toBuffer())]
  expect([left.info.width, left.info.height]).toEqual([right.info.width, right.info.height])
  return left.data.reduce((most, level, at) => Math.max(most, Math.abs(level - right.data[at]!)), 0)
}

const CASES = [
  { options: { degrees: 90 }, expected: (image: Sharp) => image.rotate(90) },
  { options: { degrees: 180 }, expected: (image: Sharp) => image.rotate(180) },
  { options: { degrees: -90 }, expected: (image: Sharp) => image.rotate(270) },
  { options: { flip: true }, expected: (image: Sharp) => image.flip() },
  { options: { flop: true }, expected: (image: Sharp) => image.flop() },
  { options: { degrees: 90, flip: true }, expected: (image: Sharp) => image.rotate(90), andFlip: true },
  { options: { degrees: 270, flip: true }, expected: (image: Sharp) => image.rotate(270), andFlip: true },
  { options: { degrees: 180, flip: true, flop: true }, expected: (image: Sharp) => image },
]

test('turns every way that the pixels themselves turn', async () => {
  for (const orientation of [1, 3, 5, 6, 8]) {
    const photo = createPhoto().jpeg({ chromaSubsampling: '4:4:4' })
    const file = await photo.withMetadata({ orientation }).toBuffer()
    const upright = await sharp(file).autoOrient().png().toBuffer()
    for (const { options, expected, andFlip } of CASES) {
      const { bytes, warnings } = await turn(file, options)
      expect(warnings).toEqual([])
      const turned = await expected(sharp(upright)).png().toBuffer()
      const final = andFlip ? sharp(turned).flip() : sharp(turned)
      // Decoders round differently where blocks are turned; an encoder that loses would differ by tens.
      expect(await compare(bytes, final.png())).toBeLessThanOrEqual(2)
    }
  }
})

test('four quarter turns give back the same coefficients', async () => {
  const file = await createPhoto().jpeg({ quality: 70 }).toBuffer()
  let turned: Uint8Array = file
  for (let times = 0; times < 4; times++) turned = (await turn(turned, { degrees: 90 })).bytes
  expect((await readPixels(turned)).data.equals((await readPixels(file)).data)).toBe(true)
})

test('says when edges are trimmed, and keeps what metadata are asked for', async () => {
  const file = await createPhoto(70, 50)
    .jpeg()
    .withExif({ IFD0: { Artist: 'R. Oduya', Copyright: 'Harbour' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const { bytes, warnings, result } = await turn(file, { degrees: 90, metadata: 'keep' })
  expect(warnings).toEqual(['EDGES_TRIMMED'])
  expect(result.image).toMatchObject({ width: 64, height: 48, format: 'jpeg' })
  const tags = readTags(bytes)
  expect(tags).toMatchObject({ Artist: 'R. Oduya', Orientation: 'Horizontal (normal)' })
  const { bytes: stripped } = await turn(file, { degrees: 90 })
  expect(readTags(stripped)).not.toHaveProperty('Artist')
  const { result: plain } = await turn(file, {})
  expect(plain.image).toMatchObject({ width: 48, height: 70 })
})

function readTags(bytes: Uint8Array): Record<string, unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-turned-'))
  try {
    writeFileSync(join(folder, 'a.jpg'), bytes)
    return JSON.parse(execFileSync('exiftool', ['-j', join(folder, 'a.jpg')], { encoding: 'utf8' }))[0]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('refuses what cannot be without loss, and damaged files', async () => {
  const file = await createPhoto().jpeg().toBuffer()
  for (const [options, field] of [
    [{ degrees: 45 }, 'degrees'],
    [{ degrees: 90, quality: 50 }, 'quality'],
    [{ degrees: 90, metadata: 'copyright' }, 'metadata'],
    [{ degrees: 90, dpi: 72 }, 'dpi'],
  ] as const)
    await expect(turn(file, options)).rejects.toMatchObject({
      code: 'CONFLICTING_OPTIONS',
      hints: { fields: ['lossless', field] },
    })
  const cut = file.subarray(0, file.length / 2)
  await expect(turn(cut, { degrees: 90 })).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
  expect((await turn(cut, { degrees: 90, tolerant: true })).result.image).toMatchObject({ width: 48, height: 64 })
  const webp = await turn(readFileSync('tasks/samples/gradient.png'), { degrees: 45, format: 'webp' })
  expect(webp.result.image).toMatchObject({ format: 'webp' })
})
