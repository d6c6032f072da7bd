import { execFileSync } from 'node:child_process'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { joinTiffs } from '../../../pools/tools/sharp/encode/tiff.ts'
import { convertWith } from '../../support/images/measure.ts'
import { encodeChunk } from '../../support/images/png.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

type Color = readonly [red: number, green: number, blue: number]
const [WIDTH, HEIGHT] = [60, 40]
/** One colour in two spaces: sRGB, and Display P3. */
const COLOR = { srgb: [230, 60, 30], p3: [213, 75, 47] } as const
const AFTER_HEADER = 33

/** An image of 16 bits a channel that names the space of its colours by a profile. */
async function makeImage(space: 'srgb' | 'p3', orientation?: number): Promise<Buffer> {
  const [r, g, b] = COLOR[space]
  const plain = () => sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: { r, g, b } } })
  const { icc } = await sharp(await plain().withIccProfile(space).png().toBuffer()).metadata()
  const deep = plain().toColourspace('rgb16')
  if (orientation !== undefined) deep.withMetadata({ orientation })
  const bytes = await deep.png().toBuffer()
  const profile = encodeChunk('iCCP', Buffer.concat([Buffer.from('profile\0\0'), deflateSync(icc!)]))
  return Buffer.concat([bytes.subarray(0, AFTER_HEADER), profile, bytes.subarray(AFTER_HEADER)])
}

/** A pixel in the middle, as another program reads it, without a look at profiles. */
async function readColor(image: Uint8Array): Promise<number[]> {
  const middle = ['-gravity', 'center', '-crop', '1x1+0+0', '+repage', '-depth', '8']
  return [...(await convertWith('convert-im6.q16', ['@in', ...middle, '@out'], Buffer.from(image), 'rgb'))]
}

function expectColor(found: readonly number[], expected: Color): void {
  for (const [index, value] of expected.entries()) expect(Math.abs(found[index]! - value), `${found}`).toBeLessThan(5)
}

test.each([
  ['convert', { to: 'png' }],
  ['convert', { to: 'jpeg', quality: 100 }],
  ['resize', { width: 30 }],
  ['crop', { width: 30, height: 30 }],
  ['extend', { right: 4 }],
  ['rotate', { degrees: 90 }],
  ['compress', { format: 'jpeg', quality: 95 }],
])('image.%s %j brings colours of 16 bits from their profile to sRGB', async (name, options) => {
  for (const space of ['srgb', 'p3'] as const) {
    const { bytes } = await runJob(pools, `image.${name}`, { file: await makeImage(space), ...options })
    expectColor(await readColor(bytes), COLOR.srgb)
  }
})

test('the profile is kept with its colours where that is asked for, and so is the orientation', async () => {
  const { bytes } = await runJob(pools, 'image.convert', { file: await makeImage('p3'), to: 'png', icc: 'keep' })
  expect((await sharp(bytes).metadata()).hasProfile).toBe(true)
  expectColor(await readColor(bytes), COLOR.p3)
  const turned = await runJob(pools, 'image.convert', { file: await makeImage('p3', 6), to: 'png' })
  expect(await sharp(turned.bytes).metadata()).toMatchObject({ width: HEIGHT, height: WIDTH, depth: 'ushort' })
})

test('the most common colour is that of the profile', async () => {
  const { result } = await runJob(pools, 'image.dominant-color', { file: await makeImage('p3') })
  expectColor((result.palette as { rgb: number[] }[])[0]!.rgb, COLOR.srgb)
})

test('so are those of a page after one of 8 bits', async () => {
  const plain = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#fff' } })
    .tiff()
    .toBuffer()
  const deep = await convertWith('convert-im6.q16', ['@in', '@out'], await makeImage('p3'), 'tiff')
  const file = joinTiffs([plain, deep])
  const { bytes } = await runJob(pools, 'image.convert', { file, to: 'png', page: 2 })
  expectColor(await readColor(bytes), COLOR.srgb)
})

test('so are those of every page of a TIFF', async () => {
  const page = await makeImage('p3')
  const file = await convertWith('convert-im6.q16', ['@in', '(', '+clone', ')', '@out'], page, 'tiff')
  expect(await sharp(file).metadata()).toMatchObject({ pages: 2, depth: 'ushort', hasProfile: true })
  const pdf = await runJob(pools, 'pdf.from-images', { files: [file] })
  for (const number of [1, 2]) {
    const { bytes } = await runJob(pools, 'image.convert', { file, to: 'png', page: number })
    expectColor(await readColor(bytes), COLOR.srgb)
    const shown = execFileSync('pdftoppm', ['-png', '-r', '72', '-f', `${number}`, '-l', `${number}`, '-'], {
      input: pdf.bytes,
    })
    expectColor(await readColor(shown), COLOR.srgb)
  }
})
