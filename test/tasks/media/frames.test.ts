import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { record, sample, video } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const take = (file: string | Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'media.frames', { file, ...options })
const times = (files: readonly object[]) => files.map(file => (file as { timeSec: number }).timeSec)

test('takes frames at an interval, in a number, at times and at scenes', async () => {
  const every = await take(sample('clip.mp4'), { every: 0.3, width: 32 })
  expect(times(every.files)).toEqual([0, 0.3, 0.6, 0.9])
  expect(await sharp(every.files[3]!.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 32, height: 24 })
  expect(every.chargedMicros).toBe(2_400n)
  expect(times((await take(sample('clip.mp4'), { count: 2, start: 0.4, format: 'png' })).files)).toEqual([0.4, 0.7])
  const picked = await take(sample('clip.mp4'), { times: [0.2, '100%'], format: 'webp' })
  expect(await sharp(picked.files[1]!.bytes).metadata()).toMatchObject({ format: 'webp', width: 64 })
  const scenes = record(
    'mp4',
    '-f lavfi -i color=red:s=64x48:r=10:d=0.5[a];color=blue:s=64x48:r=10:d=0.5[b];[a][b]concat -pix_fmt yuv420p -preset ultrafast',
  )
  const cuts = await take(scenes, { scene: 0.3 })
  expect([times(cuts.files), cuts.chargedMicros]).toEqual([[0.5], 2_100n])
})

test('returns no frame twice if they are uneven, and puts many into a zip', async () => {
  const uneven = record(
    'mkv',
    `${video('64x48', 2, 10).replace('-pix_fmt', "-vf select='lt(n,3)+gt(n,17)' -vsync vfr -pix_fmt")}`,
  )
  expect(times((await take(uneven, { every: 0.5 })).files)).toEqual([0, 1.8])
  const zipped = await take(sample('clip.mp4'), { every: 0.5, zip: true })
  expect(zipped.bytes.subarray(0, 2).toString()).toBe('PK')
  expect(times(zipped.result.parts as { timeSec: number }[])).toEqual([0, 0.5])
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ every: 1, count: 2 }, 'CONFLICTING_OPTIONS'],
  [{ times: [7] }, 'BAD_TIME_RANGE'],
  [{ every: 0.04, zip: false, end: 1 }, undefined],
])('answers %o with %s', async (options, code) => {
  const call = take(sample('clip.mp4'), options)
  if (code) await expect(call).rejects.toMatchObject({ code })
  else expect((await call).files.length).toBe(10)
})
