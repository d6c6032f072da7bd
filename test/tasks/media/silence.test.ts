import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { describeRecording, measureLevel, readSamples, record, sample } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const find = (file: string | Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.silence', { file, ...options })

/** Sound for half a second, silence for one, sound for half a second, silence for half a second. */
const sound = "aevalsrc='sin(880*PI*t)*(lt(t,0.5)+between(t,1.5,2))':s=8000:d=2.5"

test('finds silences and speech', async () => {
  const { result, chargedMicros } = await find(record('wav', `-f lavfi -i ${sound}`), { minMs: 300 })
  expect(result.silences).toEqual([
    { start: expect.closeTo(0.5, 1), end: expect.closeTo(1.5, 1) },
    { start: expect.closeTo(2, 1), end: 2.5 },
  ])
  expect(result).toMatchObject({
    speech: [{ start: 0 }, { end: expect.closeTo(2, 1) }],
    totalSilenceSec: expect.closeTo(1.5, 1),
  })
  expect(chargedMicros).toBe(1_000n)
  const auto = await find(record('wav', `-f lavfi -i ${sound}`), { minMs: 300, thresholdDb: 'auto' })
  expect(auto.result).toMatchObject({ totalSilenceSec: expect.closeTo(1.5, 1) })
})

test('cuts them out of picture and sound alike', async () => {
  const video = record(
    'mp4',
    `-f lavfi -i ${sound} -f lavfi -i testsrc2=s=64x48:r=10:d=2.5 -pix_fmt yuv420p -preset ultrafast`,
  )
  const { bytes, chargedMicros } = await find(video, { action: 'remove', minMs: 300, keepMs: 100 })
  const [image, sounding] = describeRecording(bytes).streams
  expect([Number(image!.duration), Number(sounding!.duration)]).toEqual([
    expect.closeTo(1.3, 1),
    expect.closeTo(1.3, 1),
  ])
  expect(measureLevel(readSamples(bytes), 0.75, 1.1)).toBeGreaterThan(0.3)
  expect(chargedMicros).toBe(10_000n)
  const edges = await find(video, { action: 'remove', minMs: 300, edgesOnly: true, fillMs: 0 })
  expect((edges.result.media as { durationSec: number }).durationSec).toBeCloseTo(2, 1)
})

test('refuses to leave nothing', async () => {
  const silent = record('wav', '-f lavfi -i anullsrc=r=8000 -t 1')
  await expect(find(silent, { action: 'remove' })).rejects.toMatchObject({ code: 'ALL_SILENT' })
  await expect(find(silent, { fillMs: 100 })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  expect((await find(sample('tone.wav'), { action: 'remove' })).result.media).toMatchObject({ durationSec: 0.6 })
})
