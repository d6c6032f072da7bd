import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { readPixel } from '../../support/images/measure.ts'
import { record, sample, sine } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const take = (file: string | Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.thumbnail', { file, ...options })

test('takes the frame of a time, of a percentage and the very last one, in the format asked for', async () => {
  const two = record(
    'mp4',
    '-f lavfi -i color=red:s=64x48:r=10:d=1[a];color=blue:s=64x48:r=10:d=0.1[b];[a][b]concat -pix_fmt yuv420p -preset ultrafast',
  )
  for (const [at, channel] of [
    [0.2, 0],
    ['00:00:01.1', 2],
    ['100%', 2],
  ] as const) {
    const { bytes, chargedMicros } = await take(two, { at, format: 'png' })
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 64, height: 48 })
    expect((await readPixel(bytes, 30, 20))[channel]).toBeGreaterThan(240)
    expect(chargedMicros).toBe(2_000n)
  }
  const jpeg = await take(two, { at: 0, width: 31, quality: 95 })
  expect(await sharp(jpeg.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 31, height: 23 })
  const [r, g, b] = await readPixel(jpeg.bytes, 15, 10)
  expect([r! > 235, g! < 20, b! < 20]).toEqual([true, true, true])
  const webp = await take(two, { at: 0, width: 20, height: 20, fit: 'crop', format: 'webp' })
  expect(await sharp(webp.bytes).metadata()).toMatchObject({ format: 'webp', width: 20, height: 20 })
})

test('chooses a frame that shows something', async () => {
  const scenes = 'color=black:s=64x48:r=5:d=2[a];testsrc2=s=64x48:r=5:d=3[b];[a][b]concat'
  const video = record('mp4', `-f lavfi -i ${scenes} -g 5 -pix_fmt yuv420p -preset ultrafast`)
  const { bytes, result } = await take(video)
  expect(result.timeSec).toBeGreaterThan(2)
  expect((await sharp(bytes).stats()).channels[0]!.mean).toBeGreaterThan(40)
})

test('takes the cover of a song', async () => {
  const cover = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'lime' } })
    .jpeg()
    .toBuffer()
  const song = record('mp3', '-i @0 -i @1 -map 0:a -map 1 -c:v copy -disposition:v attached_pic', [
    readFileSync(sample('tone.wav')),
    cover,
  ])
  const { bytes, result } = await take(song, { format: 'png' })
  expect(result).toMatchObject({ source: 'cover', width: 20, height: 10 })
  expect((await readPixel(bytes, 5, 5))[1]).toBeGreaterThan(230)
  await expect(take(song, { source: 'frame' })).rejects.toMatchObject({ code: 'NO_VIDEO_STREAM' })
  await expect(take(record('wav', sine(440, 0.1)))).rejects.toMatchObject({ code: 'NO_VIDEO_STREAM' })
})

test('refuses a time beyond the end', async () => {
  await expect(take(sample('clip.mp4'), { at: 5 })).rejects.toMatchObject({
    code: 'BAD_TIME_RANGE',
    hints: { field: 'at', at: 5, seconds: 1 },
  })
})
