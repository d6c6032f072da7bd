import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runOnFile } from '../../support/images/measure.ts'
import { sample } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const animate = (options: Record<string, unknown>) =>
  runJob(pools, 'media.gif', { file: sample('clip.mp4'), ...options })

test('writes a gif, webp and apng that others read', async () => {
  const gif = await animate({ duration: 0.5, fps: 10, loop: 3 })
  expect(await sharp(gif.bytes, { animated: true }).metadata()).toMatchObject({
    format: 'gif',
    width: 64,
    pages: 5,
    loop: 3,
  })
  expect(await runOnFile('gifsicle', gif.bytes, ['--info', '@'], '.gif')).toContain('5 images')
  expect([gif.result.durationSec, gif.chargedMicros]).toEqual([0.5, 5_000n])
  const webp = await animate({ duration: 0.5, fps: 10, width: 32, format: 'webp', boomerang: true })
  expect(await sharp(webp.bytes, { animated: true }).metadata()).toMatchObject({ format: 'webp', width: 32, pages: 9 })
  const apng = await animate({ start: '50%', fps: 4, speed: 0.5, width: 32, format: 'apng' })
  expect(apng.bytes.includes('acTL')).toBe(true)
  expect(apng.result).toMatchObject({ durationSec: 1, width: 32, height: 24 })
})

test('says that it is not wider than the video if it should be', async () => {
  const wide = await animate({ duration: 0.5, width: 200 })
  expect([wide.result.width, wide.warnings]).toEqual([64, ['NOT_ENLARGED']])
  expect((await animate({ duration: 0.5 })).warnings).toEqual([])
  expect((await animate({ duration: 0.5, width: 64 })).warnings).toEqual([])
})

const lengthOf = async (bytes: Uint8Array, format: string) => {
  if (format === 'apng') {
    const packets = ['-v', 'error', '-show_entries', 'packet=duration_time', '-of', 'csv=p=0', '@']
    const lengths = (await runOnFile('ffprobe', bytes, packets, '.png')).match(/[\d.]+/g)!
    return lengths.reduce((sum, each) => sum + Number(each), 0)
  }
  const { delay = [] } = await sharp(bytes, { animated: true }).metadata()
  return delay.reduce((sum, each) => sum + each, 0) / 1000
}

test.each(['gif', 'webp', 'apng'])('says how long the frames of a %s are shown', async format => {
  for (const options of [{}, { boomerang: true }, { fps: 12 }, { speed: 0.3 }]) {
    const { bytes, result } = await animate({ start: 0.45, fps: 5, format, ...options })
    expect(result.durationSec).toBeCloseTo(await lengthOf(bytes, format), 3)
  }
})

test('becomes smaller to reach a size', async () => {
  const free = await animate({ fps: 10 })
  const small = await animate({ fps: 10, maxBytes: Math.round(free.bytes.length * 0.7) })
  expect(small.bytes.length).toBeLessThanOrEqual(free.bytes.length * 0.7)
  expect(small.result.targetMet).toBe(true)
  await expect(animate({ format: 'webp', colors: 16 })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  await expect(animate({ start: 1 })).rejects.toMatchObject({ code: 'BAD_TIME_RANGE' })
})
