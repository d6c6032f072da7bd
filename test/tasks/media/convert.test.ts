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
  sine,
} from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const convert = (file: string | Uint8Array, options: Record<string, unknown>) =>
  runJob(pools, 'media.convert', { file, speedPreset: 'ultrafast', ...options })

test('copies picture, sound and subtitles if only the container changes', async () => {
  const { bytes, chargedMicros, warnings } = await convert(sample('clip.mp4'), { to: 'mkv' })
  expect(listStreams(bytes)).toEqual(['h264 64x48', 'aac 16000/1'])
  expect(hashPackets(bytes)).toEqual(hashPackets(record('mkv', '-i @0 -c copy', [await readSample()])))
  expect([chargedMicros, warnings]).toEqual([3_000n, []])
  const mov = await convert(sample('captioned.mkv'), { to: 'mp4' })
  expect(listStreams(mov.bytes)).toEqual(['h264 64x48', 'opus 48000/1', 'opus 48000/1', 'mov_text'])
  expect(describeRecording(mov.bytes).streams.map(({ tags }) => tags.language)).toEqual(['und', 'eng', 'ger', 'eng'])
})

test('encodes sound that MP4 cannot hold', async () => {
  const { bytes } = await convert(record('flac', '-f lavfi -i sine=d=0.2'), { to: 'mp4' })
  expect(listStreams(bytes)).toEqual(['aac 44100/1'])
})

async function readSample(): Promise<Buffer> {
  const { readFile } = await import('node:fs/promises')
  return readFile(sample('clip.mp4'))
}

function hashPackets(bytes: Uint8Array): string[] {
  const args = ['-select_streams', 'v', '-show_packets', '-show_data_hash', 'md5', '-show_entries', 'packet=data_hash']
  return JSON.parse(probeWith(bytes, args)).packets.map((packet: { data_hash: string }) => packet.data_hash)
}

test.each([
  [{ to: 'webm', width: 32 }, ['vp9 32x24', 'opus 48000/1'], 20_000n],
  [{ to: 'mp4', videoCodec: 'h265', width: 96 }, ['hevc 96x72', 'aac 16000/1'], 20_000n],
  [{ to: 'mp4', videoCodec: 'av1', mute: true }, ['av1 64x48'], 30_000n],
  [{ to: 'avi', fps: 5 }, ['h264 64x48', 'mp3 16000/1'], 10_000n],
  [{ to: 'mov', width: 33, height: 21, fit: 'pad', fps: 50 }, ['h264 34x22', 'aac 16000/1'], 15_000n],
])('encodes with %o', async (options, streams, micros) => {
  const { bytes, chargedMicros } = await convert(sample('clip.mp4'), options)
  expect(listStreams(bytes)).toEqual(streams)
  expect(chargedMicros).toBe(micros)
})

test.each([{ width: 32 }, { videoCodec: 'copy' }, {}])('begins at zero with %o', async options => {
  const reordered = record('mp4', '-f lavfi -i testsrc2=s=64x48:r=10:d=1 -f lavfi -i sine=d=1 -bf 2 -pix_fmt yuv420p')
  const { bytes } = await convert(reordered, { to: 'mp4', ...options })
  expect(describeRecording(bytes).streams.map(({ start_time: start }) => Number(start))).toEqual([0, 0])
})

/** The corner that is red in the source, of a video of 64x32. */
const CORNERS = { 'top left': [4, 4], 'top right': [-5, 4], 'bottom right': [-5, -5], 'bottom left': [4, -5] }

test.each([
  [{ rotate: 90 }, '32x64', 'top right'],
  [{ rotate: 180 }, '64x32', 'bottom right'],
  [{ rotate: 270, width: 64 }, '64x128', 'bottom left'],
  [{ flip: 'horizontal' }, '64x32', 'top right'],
  [{ rotate: 90, flip: 'vertical' }, '32x64', 'bottom right'],
  [{ rotate: 90, width: 40, height: 40, fit: 'stretch' }, '40x40', 'top right'],
] as const)('rotates and flips with %o', async (options, size, corner) => {
  const source = record('mp4', '-f lavfi -i color=blue:s=64x32:r=10:d=0.3,drawbox=0:0:16:8:red:fill -pix_fmt yuv420p')
  const { bytes } = await convert(source, { to: 'mp4', ...options })
  expect(listStreams(bytes)).toEqual([`h264 ${size}`])
  const [width, height] = size.split('x').map(Number) as [number, number]
  const [frame] = readFrames(bytes, width, height)
  const isRed = ([x, y]: readonly number[]) => {
    const [red, , blue] = pixelAt(frame!, width, (x! + width) % width, (y! + height) % height)
    return red! > 150 && blue! < 100
  }
  expect(Object.entries(CORNERS).flatMap(([name, at]) => (isRed(at) ? [name] : []))).toEqual([corner])
})

test('turns the picture upright, with square pixels, even sides and a constant rate', async () => {
  const odd = record('mkv', '-f lavfi -i testsrc2=s=65x49:r=10:d=0.5 -c:v ffv1 -pix_fmt yuv444p -aspect 2:1')
  const wide = describeRecording((await convert(odd, { to: 'mp4' })).bytes).streams[0]!
  expect(wide).toMatchObject({
    width: 96,
    height: 48,
    pix_fmt: 'yuv420p',
    sample_aspect_ratio: '1:1',
    color_space: 'bt709',
  })
  const lying = record(
    'mp4',
    '-f lavfi -i color=red:s=64x48:r=10:d=0.5,drawbox=0:0:32:48:color=blue:t=fill -pix_fmt yuv420p',
  )
  const turned = record('mp4', '-i @0 -c copy -metadata:s:v rotate=90', [lying])
  const { bytes, result } = await convert(turned, { to: 'mp4', videoCodec: 'h264' })
  expect(result.media).toMatchObject({ width: 48, height: 64 })
  expect(JSON.stringify(describeRecording(bytes))).not.toContain('rotation')
  const [frame] = readFrames(bytes, 48, 64)
  expect(pixelAt(frame!, 48, 24, 8)[0]).toBeGreaterThan(150)
  expect(pixelAt(frame!, 48, 24, 56)[2]).toBeGreaterThan(150)
  const kept = await convert(turned, { to: 'mkv' })
  expect(kept.result.media).toMatchObject({ width: 48, height: 64 })
})

test('maps high dynamic range to standard, unless it is kept', async () => {
  const tags = '-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc'
  const hdr = record(
    'mp4',
    `-f lavfi -i color=white:s=64x64:r=5:d=0.4 -pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=error -preset ultrafast ${tags}`,
  )
  const { bytes } = await convert(hdr, { to: 'mp4' })
  const [stream] = describeRecording(bytes).streams
  expect(stream).toMatchObject({
    codec_name: 'h264',
    pix_fmt: 'yuv420p',
    color_transfer: 'bt709',
    color_primaries: 'bt709',
  })
  const [r, g, b] = pixelAt(readFrames(bytes, 64, 64)[0]!, 64, 32, 32)
  expect(Math.max(r!, g!, b!) - Math.min(r!, g!, b!)).toBeLessThan(12)
  const kept = describeRecording((await convert(hdr, { to: 'mp4', hdr: 'keep', width: 32 })).bytes).streams[0]
  expect(kept).toMatchObject({ codec_name: 'hevc', pix_fmt: 'yuv420p10le', color_transfer: 'smpte2084' })
  await expect(convert(hdr, { to: 'mp4', hdr: 'keep', videoCodec: 'h264' })).rejects.toMatchObject({
    code: 'CONFLICTING_OPTIONS',
  })
})

test('makes a constant rate of a recording with gaps, and keeps sound that begins late in its place', async () => {
  const inputs = `-f lavfi -i testsrc2=s=64x48:r=10:d=2 ${sine(440, 1)}`
  const graph = "[0:v]select='not(between(n,3,11))'[v];[1:a]adelay=500[a]"
  const gaps = record(
    'mkv',
    `${inputs} -filter_complex ${graph} -map [v] -map [a] -vsync vfr -preset ultrafast -c:a libopus`,
  )
  const { bytes } = await convert(gaps, { to: 'mp4', width: 64 })
  const { packets } = JSON.parse(probeWith(bytes, ['-select_streams', 'v', '-show_entries', 'packet=duration_time']))
  const durations = packets.map((packet: { duration_time: string }) => packet.duration_time).slice(0, -1)
  expect(new Set(durations).size).toBe(1)
  const samples = readSamples(bytes)
  expect(measureHertz(samples, 0.1, 0.4)).toBeLessThan(100)
  expect(Math.abs(measureHertz(samples, 0.7, 1.3) - 440)).toBeLessThan(20)
})

test('reaches a size in two passes, and says if it cannot', async () => {
  const noise = record(
    'mp4',
    '-f lavfi -i nullsrc=s=128x96:r=10:d=2,geq=random(1)*255:128:128 -pix_fmt yuv420p -preset ultrafast',
  )
  const { bytes, result, chargedMicros } = await convert(noise, { to: 'mp4', targetBytes: 60_000 })
  expect(result.targetMet).toBe(true)
  expect(bytes.length).toBeLessThanOrEqual(60_000)
  expect(chargedMicros).toBe(10_000n)
  const missed = await convert(noise, { to: 'mp4', targetBytes: 1000 })
  expect([missed.result.targetMet, missed.warnings]).toEqual([false, ['TARGET_NOT_MET']])
})

test('takes the sound alone, one track by its language, and drops what has no place', async () => {
  const flac = await convert(sample('captioned.mkv'), { to: 'flac', audioTrack: 'de', start: '10%', end: 0.6 })
  expect([listStreams(flac.bytes), flac.chargedMicros]).toEqual([['flac 48000/1'], 1_000n])
  expect(Math.abs(measureHertz(readSamples(flac.bytes), 0.1, 0.4) - 880)).toBeLessThan(20)
  const avi = await convert(sample('captioned.mkv'), { to: 'avi', audioTrack: 2, audioCodec: 'mp3' })
  expect([listStreams(avi.bytes), avi.warnings]).toEqual([['h264 64x48', 'mp3 48000/1'], ['SUBTITLES_DROPPED']])
})

test.each([
  [{ to: 'webm', videoCodec: 'h264' }, 'CONFLICTING_OPTIONS'],
  [{ to: 'webm', videoCodec: 'copy' }, 'INCOMPATIBLE_STREAMS'],
  [{ to: 'mp4', videoCodec: 'copy', width: 32 }, 'CONFLICTING_OPTIONS'],
  [{ to: 'mp4', crf: 20, bitrateKbps: 100 }, 'CONFLICTING_OPTIONS'],
  [{ to: 'mp4', crf: 60 }, 'INVALID_PARAM'],
  [{ to: 'mp4', width: 32, fit: 'pad' }, 'MISSING_FIELD'],
  [{ to: 'mp4', audioTrack: 3 }, 'TRACK_NOT_FOUND'],
  [{ to: 'mp3', mute: true }, 'CONFLICTING_OPTIONS'],
  [{ to: 'mp3', width: 32 }, 'CONFLICTING_OPTIONS'],
  [{ to: 'mp4', mute: true, audioCodec: 'aac' }, 'CONFLICTING_OPTIONS'],
  [{ to: 'mp4', start: 1, end: 1 }, 'BAD_TIME_RANGE'],
])('refuses %o', async (options, code) => {
  await expect(convert(sample('clip.mp4'), options)).rejects.toMatchObject({ code })
})
