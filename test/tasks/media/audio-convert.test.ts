import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { PYTHON, runProgram } from '../../support/machine/programs.ts'
import {
  describeRecording,
  listStreams,
  measureHertz,
  measureLevel,
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

const convert = (file: string | Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'media.audio-convert', { file, ...options })

test.each([
  ['mp3', 'mp3 8000/1'],
  ['m4a', 'aac 8000/1'],
  ['aac', 'aac 8000/1'],
  ['ogg', 'vorbis 8000/1'],
  ['opus', 'opus 48000/1'],
  ['flac', 'flac 8000/1'],
  ['wav', 'pcm_s16le 8000/1'],
  ['aiff', 'pcm_s16be 8000/1'],
])('writes %s without changing rate and channels', async (to, stream) => {
  const { bytes, result, warnings } = await convert(sample('tone.wav'), { to })
  expect(listStreams(bytes)).toEqual([stream])
  expect(warnings).toEqual([])
  const seconds = (result.media as { durationSec: number }).durationSec
  expect(Math.abs(seconds - 0.6)).toBeLessThan(0.2)
  expect(Math.abs(measureHertz(readSamples(bytes), 0.2, 0.5) - 440)).toBeLessThan(10)
})

test('keeps every sample and the tags in wav and flac, as python and ffprobe read them', async () => {
  const { bytes } = await convert(sample('tone.wav'), { to: 'wav' })
  const script = 'import sys,io,wave; w=wave.open(io.BytesIO(sys.stdin.buffer.read())); print(w.getparams()[:4])'
  expect(runProgram(PYTHON, ['-c', script], bytes)).toContain('(1, 2, 8000, 4800)')
  const flac = await convert(sample('tone.wav'), { to: 'flac', bitDepth: 24 })
  const { format, streams } = describeRecording(flac.bytes)
  expect(format.tags?.TITLE ?? format.tags?.title).toBe('Tone')
  expect(streams[0]).toMatchObject({ bits_per_raw_sample: '24', duration: '0.600000' })
})

test('cuts, amplifies and fades', async () => {
  const { bytes, chargedMicros } = await convert(sample('tone.wav'), {
    to: 'wav',
    start: 0.1,
    end: '00:00:00.500',
    gainDb: 6,
    fadeInMs: 100,
    fadeOutMs: 100,
  })
  const samples = readSamples(bytes)
  const before = measureLevel(readSamples(await pcm(sample('tone.wav'))), 0.2, 0.4)
  expect(samples.length).toBe(3200)
  expect(measureLevel(samples, 0.15, 0.25) / before).toBeCloseTo(2, 1)
  expect(measureLevel(samples, 0, 0.02)).toBeLessThan(before / 2)
  expect(measureLevel(samples, 0.38, 0.4)).toBeLessThan(before / 2)
  expect(chargedMicros).toBe(1_000n)
})

async function pcm(path: string): Promise<Buffer> {
  return (await convert(path, { to: 'wav' })).bytes
}

test('mixes surround sound down with the dialogue, and says what a format cannot hold', async () => {
  const centre = record('wav', `${sine(1000, 0.5, 96_000)} -af pan=5.1|FC=c0 -c:a pcm_s24le`)
  const { bytes, warnings } = await convert(centre, { to: 'mp3' })
  expect(listStreams(bytes)).toEqual(['mp3 48000/2'])
  expect(measureLevel(readSamples(bytes), 0.1, 0.4)).toBeGreaterThan(0.02)
  expect(warnings).toEqual(['SAMPLE_RATE_CHANGED', 'CHANNELS_REDUCED'])
  const surround = await convert(centre, { to: 'opus' })
  expect(listStreams(surround.bytes)).toEqual(['opus 48000/6'])
})

test('keeps a cover and tags where there is a place for them', async () => {
  const png = await import('sharp').then(({ default: sharp }) =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
  )
  const plain = record('flac', `${sine(440, 0.3)} -c:a flac -metadata artist=Ada`)
  const source = record('mp3', '-i @0 -i @1 -map 0 -map 1 -c:a libmp3lame -c:v copy -disposition:v attached_pic', [
    plain,
    png,
  ])
  const m4a = await convert(source, { to: 'm4a' })
  expect(listStreams(m4a.bytes)).toEqual(['aac 16000/1', 'png 8x8'])
  expect(describeRecording(m4a.bytes).format.tags?.artist).toBe('Ada')
  expect((await convert(source, { to: 'ogg' })).warnings).toEqual(['COVER_DROPPED'])
  const bare = await convert(source, { to: 'mp3', tags: 'strip', cover: 'strip' })
  expect(listStreams(bare.bytes)).toEqual(['mp3 16000/1'])
  expect(describeRecording(bare.bytes).format.tags?.artist).toBeUndefined()
  const ogg = record('ogg', '-i @0 -c:a libvorbis', [plain])
  expect(describeRecording((await convert(ogg, { to: 'mp3' })).bytes).format.tags?.artist).toBe('Ada')
})

test('reads old telephone formats and the sound of a video', async () => {
  const old = [
    record('wav', `${sine(440, 0.5, 8000)} -c:a pcm_mulaw`),
    record('wav', `${sine(440, 0.5, 8000)} -c:a pcm_u8`),
    record('au', `${sine(440, 0.5, 8000)} -c:a pcm_mulaw`),
    record('wav', `${sine(440, 0.5, 8000)} -c:a libgsm_ms`),
    sample('clip.mp4'),
  ]
  for (const file of old) expect((await convert(file, { to: 'mp3' })).result.media).toMatchObject({ audioCodec: 'mp3' })
})

test.each([
  [{ to: 'mp3', sampleRate: 96_000 }, 'INVALID_PARAM'],
  [{ to: 'flac', bitDepth: 32 }, 'INVALID_PARAM'],
  [{ to: 'flac', bitrate: 128 }, 'CONFLICTING_OPTIONS'],
  [{ to: 'mp3', sampleRate: 44_100, bitrate: 512 }, 'INVALID_PARAM'],
  [{ to: 'ogg', sampleRate: 44_100, channels: 1, bitrate: 16 }, 'INVALID_PARAM'],
  [{ to: 'opus', channels: 1, bitrate: 257 }, 'INVALID_PARAM'],
  [{ to: 'mp3', bitDepth: 24 }, 'CONFLICTING_OPTIONS'],
  [{ to: 'mp3', start: 0.5, end: 0.2 }, 'BAD_TIME_RANGE'],
  [{ to: 'mp3', end: 2 }, 'BAD_TIME_RANGE'],
  [{ to: 'mp3', fadeInMs: 5000 }, 'BAD_TIME_RANGE'],
])('refuses %o', async (options, code) => {
  await expect(convert(sample('tone.wav'), options)).rejects.toMatchObject({ code })
})

test('refuses what has no sound', async () => {
  const silent = record('mp4', '-f lavfi -i color=red:s=64x48:d=0.2')
  await expect(convert(silent, { to: 'mp3' })).rejects.toMatchObject({ code: 'NO_AUDIO_STREAM' })
})
