import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { listStreams, measureLoudness, record, sample, sine } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const level = (file: string | Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.loudnorm', { file, ...options })
interface Figures {
  input: { integrated: number | null }
  output: { integrated: number | null }
  linear: boolean
}

test('reaches the loudness of a preset without changing rate and channels', async () => {
  const quiet = record('flac', `${sine(1000, 4, 22_050)} -af volume=-20dB`)
  const { bytes, result, chargedMicros } = await level(quiet, { preset: 'streaming' })
  const { input, output, linear } = result.loudness as Figures
  expect(input.integrated).toBeLessThan(-35)
  expect([output.integrated, linear]).toEqual([expect.closeTo(-14, 0), true])
  expect([listStreams(bytes), chargedMicros]).toEqual([['flac 22050/1'], 2_000n])
  const again = await level(bytes, { measureOnly: true })
  expect((again.result.loudness as Figures).input.integrated).toBeCloseTo(-14, 0)
  expect(again.chargedMicros).toBe(1_000n)
})

test.each([
  [0.2, 1],
  [2.5, 2],
])('brings a clip of %s seconds with high peaks to the loudness', async (seconds, channels) => {
  // Quiet, with a click at nearly full scale every 100 ms.
  const clicks = `aevalsrc='0.1*sin(2000*PI*t)+0.85*lt(mod(t,0.1),0.0005)':s=44100:d=${seconds}`
  const { bytes, result } = await level(record('wav', `-f lavfi -i ${clicks} -ac ${channels}`), { target: -14 })
  const { integrated, truePeak } = measureLoudness(bytes, channels === 1)
  const { output } = result.loudness as Figures
  expect([integrated, output.integrated]).toEqual([expect.closeTo(-14, 0), expect.closeTo(-14, 0)])
  expect(truePeak).toBeLessThan(-1)
})

test('copies the picture of a video, and leaves silence as it is', async () => {
  expect(listStreams((await level(sample('clip.mp4'))).bytes)).toEqual(['h264 64x48', 'aac 16000/1'])
  const silent = await level(record('wav', '-f lavfi -i anullsrc=r=8000 -t 1'))
  expect([silent.warnings, listStreams(silent.bytes)]).toEqual([['SILENT'], ['pcm_s16le 8000/2']])
  for (const idle of [
    { preset: 'podcast', target: -20 },
    { measureOnly: true, to: 'mp3' },
  ])
    await expect(level(sample('tone.wav'), idle)).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
})
