import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { describeRecording, measureHertz, readSamples, sample } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const play = (file: string | Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'media.speed', { file, speedPreset: 'ultrafast', ...options })

test('changes the length exactly and keeps the pitch', async () => {
  const { bytes, result, chargedMicros } = await play(sample('captioned.mkv'), { factor: 0.25 })
  expect(result.media).toMatchObject({ durationSec: expect.closeTo(4, 0), fps: 10 })
  expect(Math.abs(measureHertz(readSamples(bytes), 1, 3) - 440)).toBeLessThan(15)
  expect(describeRecording(bytes).streams.map(({ codec_type }) => codec_type)).toEqual([
    'video',
    'audio',
    'audio',
    'subtitle',
  ])
  expect(chargedMicros).toBe(10_000n)
})

test('plays sound alone faster, with a higher pitch if asked to', async () => {
  const kept = await play(sample('tone.wav'), { factor: 4 })
  expect(readSamples(kept.bytes).length).toBeGreaterThan(1000)
  expect(readSamples(kept.bytes).length).toBeLessThan(1400)
  const shifted = await play(sample('tone.wav'), { factor: 2, pitch: 'shift' })
  expect(Math.abs(measureHertz(readSamples(shifted.bytes), 0.05, 0.25) - 880)).toBeLessThan(15)
  expect(shifted.chargedMicros).toBe(1_000n)
})

test('makes frames between frames', async () => {
  const { result } = await play(sample('clip.mp4'), { factor: 0.5, smooth: 'blend', fpsCap: 5 })
  expect(result.media).toMatchObject({ fps: 5, durationSec: expect.closeTo(2, 1) })
})
