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
import { runJob, testPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
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
