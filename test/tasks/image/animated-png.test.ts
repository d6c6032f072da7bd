import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { countPngFrames, isAnimatedPng } from '../../../tasks/formats/raster/animated-png.ts'
import { runOnFile } from '../../support/images/measure.ts'
import { createNoisyPng, encodeChunk } from '../../support/images/png.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const SOURCE = [
  '-f',
  'lavfi',
  '-i',
  'testsrc=size=64x48:rate=5:duration=0.6,pad=72:56:4:4',
  '-metadata',
  'title=secret',
]
const PLAIN = execFileSync('ffmpeg', ['-v', 'error', ...SOURCE, '-plays', '0', '-f', 'apng', '-'])
const AFTER_HEADER = 33
const TEXT = encodeChunk('tEXt', Buffer.from('Author\0secret'))
const ANIMATED = Buffer.concat([PLAIN.subarray(0, AFTER_HEADER), TEXT, PLAIN.subarray(AFTER_HEADER)])
const run = (op: string, options: object = {}, file: Uint8Array = ANIMATED) =>
  runJob(pools, `image.${op}`, { file, ...options })

test('tells how many frames an animated PNG has', async () => {
  expect((await run('metadata')).result).toMatchObject({ format: 'png', animated: true, pages: 3, width: 72 })
  expect((await run('metadata', {}, createNoisyPng(16))).result).toMatchObject({ animated: false, pages: 1 })
  expect([ANIMATED, ANIMATED.subarray(0, 99), ANIMATED.subarray(0, 40), Buffer.alloc(40)].map(countPngFrames)).toEqual([
    3, 1, 1, 1,
  ])
  expect([ANIMATED.subarray(0, 99), createNoisyPng(16)].map(isAnimatedPng)).toEqual([true, false])
})

test.each([
  ['resize', { width: 32 }],
  ['convert', { to: 'webp' }],
  ['convert', { to: 'bmp' }],
  ['rotate', { degrees: 90 }],
  ['crop', { width: 10, height: 10 }],
  ['grayscale', {}],
  ['extend', { all: 5 }],
  ['trim', {}],
])('warns that %s keeps the first frame only', async (op, options) => {
  expect((await run(op, options)).warnings).toEqual(['ANIMATION_FLATTENED'])
})

test('does not warn where one frame is asked for', async () => {
  expect((await run('resize', { width: 32, animation: 'first' })).warnings).toEqual([])
})

test.each(['keep', 'auto'])('compress keeps all frames with format %s, and no private metadata', async format => {
  const { bytes, result, warnings } = await run('compress', { format })
  expect(result).toMatchObject({ unchanged: true, image: { format: 'png', pages: 3, width: 72, height: 56 } })
  expect(warnings).toEqual([])
  const frames = ['-v', 'error', '-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0', '@']
  expect(Number(await runOnFile('ffprobe', bytes, frames))).toBe(3)
  expect([ANIMATED, bytes].map(file => Buffer.from(file).includes('secret'))).toEqual([true, false])
})

test('compress tells that an animation misses the size asked for', async () => {
  const { result, warnings } = await run('compress', { maxBytes: 100 })
  expect([result.targetMet, warnings]).toEqual([false, ['TARGET_NOT_MET']])
})
