import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { parseMediaFacts } from '../../../tasks/formats/media/description.ts'
import { record, sample } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const probe = async (file: string | Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.probe', { file, ...options })

test('names what is in a file, with numbers as numbers', async () => {
  const { result, chargedMicros } = await probe(sample('captioned.mkv'))
  expect(result).toMatchObject({
    container: 'mkv',
    isAnimatedImage: false,
    hasBFrames: true,
    issues: [],
    streams: [
      { index: 0, type: 'video', codec: 'h264', width: 64, height: 48, displayAspect: '4:3', rotation: 0, vfr: false },
      { type: 'audio', codec: 'opus', sampleRate: 48_000, channels: 1, language: 'eng' },
      { type: 'audio', language: 'ger' },
      { type: 'subtitle', codec: 'subrip', language: 'eng' },
    ],
  })
  expect(chargedMicros).toBe(1_000n)
})

test('tells what an audiobook of four hours is', async () => {
  // A sample a byte, 100 a second.
  const size = 14_400 * 100
  const book = Buffer.alloc(44 + size, 128)
  book.write('RIFF\0\0\0\0WAVEfmt ', 'latin1')
  book.writeUInt32LE(36 + size, 4)
  for (const [at, value] of [16, 1 + (1 << 16), 100, 100, 1 + (8 << 16)].entries())
    book.writeUInt32LE(value, 16 + 4 * at)
  book.write('data', 36)
  book.writeUInt32LE(size, 40)
  const { result, chargedMicros } = await probe(book)
  expect([result.durationSec, chargedMicros]).toEqual([expect.closeTo(14_400, 0), 1_000n])
})

test('counts frames and finds damage if asked to', async () => {
  const clip = readFileSync(sample('clip.mp4'))
  const damaged = Buffer.from(clip)
  damaged.fill(0x55, 2600, 4200)
  const whole = await probe(clip, { deep: true })
  expect(whole.result).toMatchObject({ issues: [], faststart: true, streams: [{ frames: 10 }, {}] })
  expect(whole.chargedMicros).toBe(5_000n)
  const { issues } = (await probe(damaged, { deep: true })).result
  expect(issues).toEqual([expect.objectContaining({ code: 'DECODE_ERRORS' })])
})

test('tells why an MP4 cannot be opened', async () => {
  const clip = record('mp4', '-i @0 -c copy', [readFileSync(sample('clip.mp4'))])
  const cutOff = clip.subarray(0, clip.length - 4000)
  expect((await probe(cutOff)).result).toMatchObject({
    streams: [],
    issues: [{ code: 'INDEX_MISSING' }],
    faststart: false,
  })
  await expect(runJob(pools, 'media.convert', { file: cutOff, to: 'mkv' })).rejects.toMatchObject({
    code: 'MEDIA_DECODE_FAILED',
  })
})

test('finds the length that a recording of a browser does not tell', async () => {
  const live = record('webm', '-i @0 -c:v libvpx-vp9 -cpu-used 8 -deadline realtime -an -live 1', [
    readFileSync(sample('clip.mp4')),
  ])
  const { result } = await probe(live)
  expect(result).toMatchObject({ container: 'webm', streams: [{ codec: 'vp9' }] })
  expect(result.durationSec).toBeCloseTo(1, 0)
})

test('tells streams that nothing decodes, and rates of a clock, from real ones', () => {
  const streams = [
    { index: 0, codec_type: 'audio', codec_name: 'mp3', sample_rate: '0', channels: 0 },
    { index: 1, codec_type: 'video', width: 4, height: 2, r_frame_rate: '60/1', avg_frame_rate: '1000/1' },
  ]
  expect(parseMediaFacts({ streams }).streams).toMatchObject([{ type: 'data' }, { type: 'video', avgFps: 60 }])
})

test('knows an animation', async () => {
  const gif = record('gif', '-i @0 -vf scale=16:12', [readFileSync(sample('clip.mp4'))])
  expect((await probe(gif)).result).toMatchObject({ container: 'gif', isAnimatedImage: true })
})
