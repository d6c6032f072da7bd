import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { PYTHON, runProgram } from '../../support/machine/programs.ts'
import {
  describeRecording,
  listStreams,
  measureHertz,
  measureLevel,
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

const mix = (inputs: unknown[], options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.audio-mix', { inputs, to: 'wav', ...options })

/** A wave of this height. */
const tone = (hertz: number, seconds: number, height: number, options = '') =>
  record('wav', `-f lavfi -i aevalsrc=${height}*sin(2*PI*${hertz}*t):s=8000:d=${seconds} ${options}`)
const LEVEL = Math.SQRT1_2

/** The samples of a wav of 16 bits as python reads them, a list for each channel. */
function readWav(bytes: Uint8Array): number[][] {
  const script =
    'import sys,io,wave,array,json; w=wave.open(io.BytesIO(sys.stdin.buffer.read())); n=w.getnchannels(); ' +
    'a=array.array("h",w.readframes(w.getnframes())); print(json.dumps([list(a[c::n]) for c in range(n)]))'
  return JSON.parse(runProgram(PYTHON, ['-c', script], bytes))
}

test('adds sounds at their own volume, and each where it belongs to the sample', async () => {
  const [low, high] = [tone(300, 1, 0.25), tone(1200, 0.5, 0.25)]
  const { bytes, result, chargedMicros } = await mix([low, { content: high, delayMs: 300, gainDb: -6.0206 }])
  expect([result.media, chargedMicros]).toMatchObject([{ durationSec: 1 }, 1_000n])
  const [samples = []] = readWav(bytes)
  expect(samples.length).toBe(8000)
  const expected = (at: number) => {
    const second = at >= 2400 && at < 6400 ? 0.125 * Math.sin((2 * Math.PI * 1200 * (at - 2400)) / 8000) : 0
    return 32768 * (0.25 * Math.sin((2 * Math.PI * 300 * at) / 8000) + second)
  }
  const worst = Math.max(...samples.map((value, at) => Math.abs(value - expected(at))))
  expect(worst).toBeLessThan(4)
})

test('limits a sum that would clip, and normalises one that is quiet', async () => {
  const loud = tone(300, 0.5, 0.9)
  const [limited = []] = readWav((await mix([loud, loud])).bytes)
  const peak = Math.max(...limited.map(Math.abs))
  expect([peak > 30_000, peak < 32_200]).toEqual([true, true])
  expect(limited.filter(value => Math.abs(value) === peak).length).toBeLessThan(400)
  const quiet = tone(300, 0.5, 0.05)
  const [raised = []] = readWav((await mix([quiet, quiet], { normalize: true })).bytes)
  expect(Math.max(...raised.map(Math.abs)) / 32_768).toBeCloseTo(10 ** (-1 / 20), 2)
})

test('repeats, cuts, fades and places', async () => {
  const voice = tone(300, 1, 0.25)
  const click = tone(1000, 0.4, 0.25)
  const looped = await mix([
    { content: voice, gainDb: -60 },
    { content: click, start: 0.1, end: 0.35, loop: true },
  ])
  const samples = readSamples(looped.bytes)
  expect(samples.length).toBe(8000)
  for (const at of [0.1, 0.4, 0.9]) expect(measureLevel(samples, at, at + 0.05)).toBeCloseTo(0.25 * LEVEL, 1)
  const faded = readSamples(
    (await mix([{ content: voice, fadeInMs: 300, fadeOutMs: 300 }, tone(300, 0.1, 0.001)])).bytes,
  )
  expect(measureLevel(faded, 0, 0.03)).toBeLessThan(0.02)
  expect(measureLevel(faded, 0.97, 1)).toBeLessThan(0.02)
  expect(measureLevel(faded, 0.4, 0.6)).toBeCloseTo(0.25 * LEVEL, 2)
  const [left = [], right = []] = readWav(
    (
      await mix([
        { content: voice, pan: -1 },
        { content: click, pan: 0.5 },
      ])
    ).bytes,
  )
  const at = (values: number[], from: number) =>
    measureLevel(
      Float32Array.from(values, v => v / 32768),
      from,
      from + 0.1,
    )
  expect([at(left, 0.6), at(right, 0.6)]).toEqual([expect.closeTo(0.25 * LEVEL, 2), 0])
  expect(at(right, 0.2)).toBeCloseTo(0.25 * LEVEL, 2)
})

test('a repeated sound that is too long to be kept is read again for every repetition', async () => {
  const long = record('mp3', '-f lavfi -i sine=500:r=8000:d=301 -b:a 8k')
  const { result } = await mix(
    [
      { content: tone(300, 1, 0.1), delayMs: 306_000 },
      { content: long, loop: true },
    ],
    {
      to: 'mp3',
      bitrate: 16,
    },
  )
  expect((result.media as { durationSec: number }).durationSec).toBeCloseTo(307, 0)
})

test('lowers the others by the decibels asked for while one speaks', async () => {
  const speech = tone(300, 2, 0.5, "-af volume=enable='lt(t,0.8)':volume=1,volume=enable='gte(t,0.8)':volume=0")
  const music = tone(1000, 2, 0.25)
  const { bytes } = await mix([speech, music], { duck: { under: 0, by: -20 } })
  const samples = readSamples(bytes)
  const alone = samples.map((value, at) => value - (at < 6400 ? 0.5 * Math.sin((2 * Math.PI * 300 * at) / 8000) : 0))
  expect(measureLevel(alone, 0.4, 0.75) / (0.25 * LEVEL)).toBeCloseTo(0.1, 1)
  expect(measureLevel(samples, 1.9, 2) / (0.25 * LEVEL)).toBeGreaterThan(0.9)
  await expect(mix([speech, music], { duck: { under: 2 } })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
})

test('mixes other rates and channels, in the format asked for', async () => {
  const surround = record('wav', `${sine(1000, 0.5, 48_000)} -af pan=5.1|FC=c0`)
  const { bytes, warnings } = await mix([tone(300, 0.5, 0.2), surround], { to: 'flac', bitDepth: 24 })
  expect([listStreams(bytes), warnings]).toEqual([['flac 48000/2'], ['CHANNELS_REDUCED']])
  expect(listStreams((await mix([tone(300, 0.3, 0.2), surround], { to: undefined, channels: 1 })).bytes)).toEqual([
    'mp3 48000/1',
  ])
  const shortest = await mix([tone(300, 0.5, 0.2), tone(300, 0.2, 0.2)], { length: 'shortest', sampleRate: 16_000 })
  expect([listStreams(shortest.bytes), shortest.result.media]).toMatchObject([
    ['pcm_s16le 16000/1'],
    { durationSec: 0.2 },
  ])
})

test('puts sound under a video whose picture is copied', async () => {
  const { bytes, result } = await mix([{ content: sample('clip.mp4'), gainDb: -60 }, tone(900, 3, 0.25)], {
    to: undefined,
    keepVideo: true,
  })
  expect(result.media).toMatchObject({ videoCodec: 'h264', audioCodec: 'aac', durationSec: expect.closeTo(1, 1) })
  expect(readFrames(bytes, 64, 48)).toEqual(readFrames(readFileSync(sample('clip.mp4')), 64, 48))
  expect(Math.abs(measureHertz(readSamples(bytes), 0.2, 0.8) - 900)).toBeLessThan(20)
  const silent = record('mkv', '-f lavfi -i color=red:s=64x48:r=10:d=1 -preset ultrafast')
  const dubbed = await mix([silent, tone(900, 0.3, 0.25)], { to: undefined, keepVideo: true })
  expect(describeRecording(dubbed.bytes).format).toMatchObject({ format_name: 'matroska,webm' })
  expect((dubbed.result.media as { durationSec: number }).durationSec).toBeLessThan(1.2)
})

test('ends for a recording whose table of times is damaged', async () => {
  const damaged = record('m4a', '-f lavfi -i sine=440:r=16000:d=3 -c:a aac')
  damaged[damaged.indexOf('stts') - 4] = 63
  const { result } = await mix([damaged, tone(300, 0.5, 0.1)])
  expect((result.media as { durationSec: number }).durationSec).toBeLessThan(4)
})

const quiet = tone(300, 0.3, 0.1)
test.each([
  [[sample('clip.mp4'), quiet], { keepVideo: true }, 'CONFLICTING_OPTIONS'],
  [[quiet, quiet], { keepVideo: true, to: undefined }, 'NO_VIDEO_STREAM'],
  [[sample('clip.mp4'), quiet], { keepVideo: true, to: undefined, length: 'longest' }, 'CONFLICTING_OPTIONS'],
  [[{ content: sample('clip.mp4'), loop: true }, quiet], { keepVideo: true, to: undefined }, 'CONFLICTING_OPTIONS'],
  [[{ content: quiet, pan: 1 }, quiet], { channels: 1 }, 'CONFLICTING_OPTIONS'],
  [[quiet, { content: quiet, delayMs: 500 }], { length: 'first' }, 'BAD_TIME_RANGE'],
  [[quiet, { content: quiet, start: 1 }], {}, 'BAD_TIME_RANGE'],
  [[quiet, { content: quiet, fadeInMs: 1000 }], {}, 'BAD_TIME_RANGE'],
  [[quiet, { content: quiet, delayMs: 3_600_000 }], {}, 'TOO_LONG'],
])('refuses %# of what does not fit together', async (inputs, options, code) => {
  await expect(mix(inputs, options)).rejects.toMatchObject({ code })
})

test('names the input that has no sound', async () => {
  const silent = record('mp4', '-f lavfi -i color=red:s=64x48:d=0.2')
  await expect(mix([quiet, silent])).rejects.toMatchObject({ code: 'NO_AUDIO_STREAM', hints: { index: 1 } })
})
