import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  describeRecording,
  listStreams,
  measureHertz,
  measureLevel,
  pixelAt,
  readFrames,
  readSamples,
  record,
  sample,
  sine,
} from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const join = (files: readonly (string | Uint8Array)[], options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.concat', { files, speedPreset: 'ultrafast', ...options })
const clip = (name: string, size: string, rate: number, sound = '') =>
  record('mp4', `-f lavfi -i color=${name}:s=${size}:r=${rate}:d=1 ${sound} -pix_fmt yuv420p -preset ultrafast`)

test('joins clips of other sizes, rates and without sound, in step', async () => {
  const red = clip('red', '64x48', 10, sine(300, 1.4))
  const lime = clip('lime', '48x64', 20)
  const blue = clip('blue', '64x48', 10, sine(900, 0.6))
  const { bytes, result, chargedMicros } = await join([red, lime, blue], { chapters: true })
  expect(result).toMatchObject({
    copied: false,
    media: { width: 64, height: 48, fps: 20, durationSec: expect.closeTo(3, 1) },
  })
  const frames = readFrames(bytes, 64, 48)
  const colorAt = (at: number) => pixelAt(frames[at]!, 64, 32, 24).map(value => value > 150)
  expect([colorAt(10), colorAt(30), colorAt(50)]).toEqual([
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ])
  expect(Math.max(...pixelAt(frames[30]!, 64, 3, 24))).toBeLessThan(30)
  const samples = readSamples(bytes)
  expect(Math.abs(measureHertz(samples, 0.1, 0.9) - 300)).toBeLessThan(20)
  expect(measureLevel(samples, 1.1, 1.9)).toBeLessThan(0.01)
  expect(Math.abs(measureHertz(samples, 2.1, 2.5) - 900)).toBeLessThan(30)
  expect(describeRecording(bytes).chapters.length).toBe(3)
  expect(chargedMicros).toBe(10_000n)
})

test('copies clips that are alike, and refuses to copy others', async () => {
  const { bytes, result, chargedMicros } = await join([sample('clip.mp4'), sample('clip.mp4')])
  expect([result.copied, chargedMicros, listStreams(bytes)]).toEqual([true, 3_000n, ['h264 64x48', 'aac 16000/1']])
  expect(describeRecording(bytes).streams[0]!.nb_frames).toBe('20')
  const other = join([sample('clip.mp4'), clip('red', '48x64', 10)], { mode: 'copy' })
  await expect(other).rejects.toMatchObject({ code: 'INCOMPATIBLE_STREAMS' })
})

test('crossfades picture and sound alike', async () => {
  const { bytes, result } = await join(
    [clip('red', '64x48', 10, sine(300, 1)), clip('blue', '64x48', 10, sine(900, 1))],
    {
      transition: 'crossfade',
      transitionMs: 400,
    },
  )
  expect(result.media).toMatchObject({ durationSec: expect.closeTo(1.6, 1) })
  expect(listStreams(bytes)).toEqual(['h264 64x48', 'aac 16000/1'])
  const [r, , b] = pixelAt(readFrames(bytes, 64, 48)[8]!, 64, 32, 24)
  expect(Math.min(r!, b!)).toBeGreaterThan(50)
  const long = join([sample('clip.mp4'), sample('clip.mp4')], { transition: 'crossfade', transitionMs: 5000 })
  await expect(long).rejects.toMatchObject({ code: 'BAD_TIME_RANGE' })
})

test('names the file that cannot be joined', async () => {
  await expect(join([sample('clip.mp4'), sample('tone.wav')])).rejects.toMatchObject({
    code: 'NO_VIDEO_STREAM',
    hints: { index: 1 },
  })
  await expect(join([sample('clip.mp4'), Buffer.from('?\0')])).rejects.toMatchObject({
    code: 'MEDIA_DECODE_FAILED',
    hints: { index: 1 },
  })
})

test('shows an image for as long as asked, upright and on the background', async () => {
  const lying = await sharp({ create: { width: 64, height: 32, channels: 3, background: '#00f' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const clear = await sharp({ create: { width: 64, height: 48, channels: 4, background: '#0000' } })
    .png()
    .toBuffer()
  const { bytes, result, chargedMicros } = await join([clip('red', '64x48', 10, sine(300, 1)), lying, clear], {
    durationsSec: [null, 0.5, 1],
    background: '#00ff00',
  })
  expect(result).toMatchObject({ copied: false, media: { width: 64, height: 48, fps: 10, durationSec: 2.5 } })
  expect(chargedMicros).toBe(10_000n)
  const frames = readFrames(bytes, 64, 48)
  expect(frames).toHaveLength(25)
  const colorAt = (at: number, x: number) => pixelAt(frames[at]!, 64, x, 24).map(value => value > 150)
  expect([colorAt(5, 32), colorAt(12, 32), colorAt(12, 4), colorAt(20, 32)]).toEqual([
    [true, false, false],
    [false, false, true],
    [false, true, false],
    [false, true, false],
  ])
  expect(measureLevel(readSamples(bytes), 1.1, 2.4)).toBeLessThan(0.01)
})

test.each([
  [25, 4, 1.25, 125],
  [30, 4, 1.25, 150],
  [10, 6, 0.25, 15],
  [2, 4, 0.1, 4],
])('at %d frames a second, %d pictures of %d s are together right to a frame', async (fps, count, seconds, frames) => {
  const files = Array.from({ length: count }, () => sample('gradient.png'))
  const options = { durationsSec: files.map(() => seconds), fps, size: { width: 64, height: 48 } }
  const { bytes, result } = await join(files, options)
  expect(readFrames(bytes, 64, 48)).toHaveLength(frames)
  expect((result.media as { durationSec: number }).durationSec).toBeCloseTo(frames / fps, 2)
})

test('says which file needs a duration, and which has one of its own', async () => {
  const still = sample('gradient.png')
  await expect(join([still, sample('clip.mp4')])).rejects.toMatchObject({
    code: 'MISSING_FIELD',
    hints: { field: 'durationsSec', index: 0 },
  })
  for (const durationsSec of [[1, 2], [1]])
    await expect(join([still, sample('clip.mp4')], { durationsSec })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
  const broken = join([sample('clip.mp4'), readFileSync(still).subarray(0, 60)], { durationsSec: [null, 1] })
  await expect(broken).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED', hints: { index: 1 } })
})

test('joins sounds, with fades or crossfaded, for the price of sound', async () => {
  const low = record('wav', `${sine(300, 1)} -ar 44100 -ac 1`)
  const high = record('wav', `${sine(900, 1)} -ar 22050 -ac 1`)
  const { bytes, result, chargedMicros } = await join([low, sample('clip.mp4'), high], {
    format: 'flac',
    audioFadeMs: 200,
  })
  expect([listStreams(bytes), chargedMicros]).toEqual([['flac 44100/1'], 1_000n])
  expect(result).toMatchObject({ output: { contentType: 'audio/flac' }, media: { audioCodec: 'flac' }, copied: false })
  const samples = readSamples(bytes)
  expect(Math.abs(measureHertz(samples, 0.1, 0.7) - 300)).toBeLessThan(20)
  expect(measureLevel(samples, 0.98, 1)).toBeLessThan(measureLevel(samples, 0.5, 0.6) / 4)
  const { seconds } = describeSound(bytes)
  const crossed = await join([low, high], { format: 'mp3', transition: 'crossfade', transitionMs: 400 })
  expect([seconds, describeSound(crossed.bytes).seconds]).toEqual([expect.closeTo(3, 1), expect.closeTo(1.6, 1)])
})

const describeSound = (bytes: Buffer) => ({ seconds: Number(describeRecording(bytes).format.duration) })

test.each([
  ['a picture', [sample('tone.wav'), sample('gradient.png')], {}, 'NO_AUDIO_STREAM'],
  ['a silent video', [sample('tone.wav'), clip('red', '64x48', 10)], {}, 'NO_AUDIO_STREAM'],
  ['a size', [sample('tone.wav'), sample('tone.wav')], { size: 'largest' }, 'CONFLICTING_OPTIONS'],
  ['chapters', [sample('tone.wav'), sample('tone.wav')], { chapters: true }, 'CONFLICTING_OPTIONS'],
  [
    'two kinds of fade',
    [sample('tone.wav'), sample('tone.wav')],
    { transition: 'crossfade', audioFadeMs: 9 },
    'CONFLICTING_OPTIONS',
  ],
  ['copying', [sample('tone.wav'), sample('tone.wav')], { mode: 'copy' }, 'INCOMPATIBLE_STREAMS'],
] as const)('refuses %s where sounds are joined', async (_, files, options, code) => {
  await expect(join(files, { format: 'mp3', ...options })).rejects.toMatchObject({ code })
})
