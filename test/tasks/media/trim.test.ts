import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import {
  describeRecording,
  listStreams,
  measureHertz,
  pixelAt,
  probeWith,
  readFrames,
  readSamples,
  record,
  sample,
} from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
let scenes: Buffer
beforeAll(async () => {
  pools = await sharedPools()
  scenes = recordScenes()
})
afterAll(() => pools[Symbol.asyncDispose]())

/** Three scenes of a second: red with 300 Hz, lime with 600 Hz, blue with 1200 Hz; key frames every second. */
function recordScenes(): Buffer {
  const scene = (name: string, hertz: number, at: number) =>
    `color=${name}:s=64x48:r=10:d=1[v${at}];sine=${hertz}:r=16000:d=1[a${at}]`
  const graph = `${scene('red', 300, 0)};${scene('lime', 600, 1)};${scene('blue', 1200, 2)};[v0][a0][v1][a1][v2][a2]concat=n=3:v=1:a=1[v][a]`
  const captions = '1\n00:00:00,200 --> 00:00:01,500\nacross\n\n2\n00:00:02,100 --> 00:00:02,900\nblue\n'
  const chapters =
    ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=First\n[CHAPTER]\nTIMEBASE=1/1\nSTART=1\nEND=3\ntitle=Later\n'
  const maps = '-map [v] -map [a] -map 0 -map_chapters 1 -g 10 -pix_fmt yuv420p -preset ultrafast -c:s mov_text'
  return record('mp4', `-i @0 -i @1 -filter_complex ${graph} ${maps}`, [captions, chapters])
}

const trim = (file: string | Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'media.trim', { file, speedPreset: 'ultrafast', ...options })

/** The number of frames of each colour, in order. */
function listColors(bytes: Uint8Array): string[] {
  const bright = readFrames(bytes, 64, 48).filter(frame => Math.max(...pixelAt(frame, 64, 32, 24)) > 60)
  const names = bright.map(frame => {
    const pixel = pixelAt(frame, 64, 32, 24)
    return ['red', 'lime', 'blue'][pixel.indexOf(Math.max(...pixel))]!
  })
  return names.filter((name, at) => name !== names[at - 1])
}

test('cuts at the exact time, with sound, subtitles and chapters in step', async () => {
  const { bytes, result, chargedMicros } = await trim(scenes, { start: 0.7, end: '00:02.3' })
  expect(result.media).toMatchObject({ durationSec: expect.closeTo(1.6, 1) })
  expect([listColors(bytes), readFrames(bytes, 64, 48).length]).toEqual([['red', 'lime', 'blue'], 16])
  const samples = readSamples(bytes)
  for (const [hertz, from, to] of [
    [300, 0.05, 0.25],
    [600, 0.4, 1.2],
    [1200, 1.4, 1.55],
  ] as const)
    expect(Math.abs(measureHertz(samples, from, to) - hertz)).toBeLessThan(40)
  expect(chargedMicros).toBe(10_000n)
  expect(readSubtitles(bytes)).toEqual(['0.00-0.80', '1.40-1.60'])
  expect(describeRecording(bytes).chapters).toMatchObject([
    {},
    { start_time: '0.300000', end_time: '1.600000', tags: { title: 'Later' } },
  ])
})

function readSubtitles(bytes: Uint8Array): string[] {
  const { packets } = JSON.parse(
    probeWith(bytes, ['-select_streams', 's', '-show_entries', 'packet=pts_time,duration_time,size']),
  )
  return packets
    .filter(({ size }: { size: string }) => Number(size) > 2)
    .map(
      ({ pts_time, duration_time }: Record<string, string>) =>
        `${Number(pts_time).toFixed(2)}-${(Number(pts_time) + Number(duration_time)).toFixed(2)}`,
    )
}

test('joins parts in the order given, or removes them', async () => {
  const swapped = await trim(scenes, {
    segments: [
      { start: 2.2, end: 2.6 },
      { start: 0.2, end: 0.6 },
    ],
    fadeMs: 100,
  })
  expect(listColors(swapped.bytes)).toEqual(['blue', 'red'])
  expect(Math.abs(measureHertz(readSamples(swapped.bytes), 0.5, 0.7) - 300)).toBeLessThan(40)
  const removed = await trim(scenes, { start: 0.9, end: 2, invert: true })
  expect(listColors(removed.bytes)).toEqual(['red', 'blue'])
  expect(readSubtitles(removed.bytes)).toEqual(['0.20-0.90', '1.00-1.80'])
})

test('copies from the key frame before, and says where', async () => {
  const { bytes, result, chargedMicros } = await trim(scenes, { start: 1.37, end: 2.2, mode: 'copy' })
  expect([listColors(bytes)[0], chargedMicros]).toEqual(['lime', 2_000n])
  expect(result.actualStart).toBeCloseTo(1, 2)
  expect(result.actualEnd).toBeGreaterThan(2.1)
})

test('cuts sound alone, to the sample', async () => {
  const { bytes, result, chargedMicros } = await trim(sample('tone.wav'), { start: 0.1, duration: 0.25 })
  expect([listStreams(bytes), readSamples(bytes).length, chargedMicros]).toEqual([['pcm_s16le 8000/1'], 2000, 1_000n])
  expect(result.output).toMatchObject({ contentType: 'audio/wav' })
  const copy = await trim(sample('tone.wav'), {
    segments: [
      { start: 0, end: 0.1 },
      { start: 0.3, end: '100%' },
    ],
    mode: 'copy',
  })
  expect(Math.abs(readSamples(copy.bytes).length - 3200)).toBeLessThan(2500)
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ start: 0.5, segments: [{ start: 0, end: 1 }] }, 'CONFLICTING_OPTIONS'],
  [{ end: 1, duration: 1 }, 'CONFLICTING_OPTIONS'],
  [{ end: 4 }, 'BAD_TIME_RANGE'],
  [{ start: 0, invert: true }, 'BAD_TIME_RANGE'],
  [{ start: 1, mode: 'copy', fadeMs: 10 }, 'CONFLICTING_OPTIONS'],
])('refuses %o', async (options, code) => {
  await expect(trim(scenes, options)).rejects.toMatchObject({ code })
})
