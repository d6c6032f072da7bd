import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { listStreams, measureHertz, readSamples, record, sample, sine } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const extract = (file: string | Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.audio-extract', { file, ...options })

test('copies the sound into a file that fits its codec', async () => {
  const aac = await extract(sample('clip.mp4'))
  expect([listStreams(aac.bytes), aac.chargedMicros]).toEqual([['aac 16000/1'], 2_000n])
  expect(aac.result.output).toMatchObject({ contentType: 'audio/x-m4a', name: 'audio.m4a' })
  const ac3 = record('mkv', `${sine(440, 0.3, 48_000)} -c:a ac3`)
  expect((await extract(ac3)).result.output).toMatchObject({ name: 'audio.ac3' })
})

test('finds a track by its language, and gives all of them', async () => {
  const german = await extract(sample('captioned.mkv'), { track: 'ger', to: 'wav' })
  expect(Math.abs(measureHertz(readSamples(german.bytes), 0.2, 0.8) - 880)).toBeLessThan(10)
  expect(german.chargedMicros).toBe(1_000n)
  const { files } = await extract(sample('captioned.mkv'), { allTracks: true })
  expect(files.map(({ track, language, name }) => [track, language, name])).toEqual([
    [1, 'eng', 'track-1.ogg'],
    [2, 'ger', 'track-2.ogg'],
  ])
  expect(Math.abs(measureHertz(readSamples(files[1]!.bytes), 0.2, 0.8) - 880)).toBeLessThan(10)
})

test.each([
  [{ track: 'fr' }, 'TRACK_NOT_FOUND'],
  [{ track: 3 }, 'TRACK_NOT_FOUND'],
  [{ gainDb: 3 }, 'CONFLICTING_OPTIONS'],
  [{ allTracks: true, track: 2 }, 'CONFLICTING_OPTIONS'],
  [{ to: 'wav', start: 9 }, 'BAD_TIME_RANGE'],
])('refuses %o', async (options, code) => {
  await expect(extract(sample('captioned.mkv'), options)).rejects.toMatchObject({ code })
})
