import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { readSamples, record, sample } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const draw = (file: string | Buffer, options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.waveform', { file, ...options })
/** Left is half as high as right, and both are silent in the second half. */
const stereo = record(
  'wav',
  '-f lavfi -i aevalsrc=0.25*sin(2*PI*500*t)*lt(t\\,0.5)|0.5*sin(2*PI*500*t)*lt(t\\,0.5):s=8000:d=1 -c:a pcm_s16le',
)

/** How many pixels are opaque in a column. */
async function readColumns(bytes: Buffer) {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const columns = Array.from({ length: info.width }, (_, x) =>
    Array.from({ length: info.height }, (__, y) => data[(y * info.width + x) * 4 + 3]! > 0),
  )
  return { columns, data, info }
}

test('gives the peaks of every point, as they are in the samples', async () => {
  const { result, chargedMicros } = await draw(stereo, {
    format: 'json',
    samplesPerPixel: 80,
    bits: 16,
    normalize: false,
    channels: 'split',
  })
  expect(result).toMatchObject({
    version: 2,
    channels: 2,
    sampleRate: 8000,
    samplesPerPixel: 80,
    bits: 16,
    length: 100,
    durationSec: 1,
  })
  const data = result.data as number[]
  expect([data.length, chargedMicros]).toEqual([400, 1_000n])
  expect(data.slice(40, 44).map(value => Math.round(value / 327.68))).toEqual([-25, 25, -50, 50])
  expect(data.slice(300, 304)).toEqual([0, 0, 0, 0])
  const mono = await draw(sample('tone.wav'), { format: 'json', samplesPerPixel: 100, bits: 16, normalize: false })
  const samples = readSamples(readFileSync(sample('tone.wav')))
  const expected = Array.from({ length: 48 }, (_, at) => samples.subarray(at * 100, at * 100 + 100)).flatMap(part => [
    Math.round(Math.min(...part) * 32_768),
    Math.round(Math.max(...part) * 32_768),
  ])
  expect(mono.result.data).toEqual(expected)
})

test('counts points by width and by time, raises them to the full height, and scales them', async () => {
  const byWidth = await draw(stereo, { format: 'json', width: 50 })
  expect([byWidth.result.length, byWidth.result.samplesPerPixel, byWidth.result.bits]).toEqual([50, 160, 8])
  expect(Math.max(...(byWidth.result.data as number[]))).toBe(127)
  const byTime = await draw(stereo, {
    format: 'json',
    pixelsPerSecond: 20,
    normalize: false,
    scale: 'sqrt',
    start: 0.1,
    end: 0.4,
  })
  expect([byTime.result.length, byTime.result.durationSec]).toEqual([6, 0.3])
  expect((byTime.result.data as number[])[1]! / 128).toBeCloseTo(Math.sqrt(0.375), 1)
})

test('draws bars around the middle or from the bottom, or what the samples reach', async () => {
  const options = { width: 100, height: 40, channels: 'split', normalize: false, barWidth: 4, barGap: 1 }
  const { bytes, result } = await draw(stereo, options)
  expect(result).toMatchObject({ width: 100, height: 40 })
  const { columns, data } = await readColumns(bytes)
  const count = (x: number, from: number, to: number) => columns[x]!.slice(from, to).filter(Boolean).length
  expect([count(10, 0, 20), count(10, 20, 40), count(90, 0, 40), count(14, 0, 40)]).toEqual([5, 10, 2, 0])
  const at = (columns[10]!.indexOf(true) * 100 + 10) * 4
  expect([...data.subarray(at, at + 4)]).toEqual([0x3b, 0x82, 0xf6, 255])
  const bars = await readColumns((await draw(stereo, { ...options, style: 'bars', channels: 'mix' })).bytes)
  expect(bars.columns[10]!.lastIndexOf(true)).toBe(39)
  const lined = await draw(stereo, {
    ...options,
    style: 'line',
    barWidth: undefined,
    barGap: undefined,
    background: '#000000',
  })
  const line = await readColumns(lined.bytes)
  expect(line.data[3]).toBe(255)
  const blues = line.columns.filter((_, x) => line.data[(10 * 100 + x) * 4 + 2]! > 200)
  expect(blues.length).toBe(100)
})

test('draws the same as SVG', async () => {
  const options = { width: 100, height: 40, scale: 'log', color: '#ff000080', background: '#ffffff' }
  const png = await readColumns((await draw(stereo, options)).bytes)
  const { bytes } = await draw(stereo, { ...options, format: 'svg' })
  const svg = await readColumns(await sharp(bytes).png().toBuffer())
  const differing = [...png.data.keys()].filter(at => Math.abs(png.data[at]! - svg.data[at]!) > 200)
  expect([svg.info.width, svg.info.height, differing.length]).toEqual([100, 40, 0])
})

test('draws a spectrogram in which a tone has its place', async () => {
  const tone = record('wav', '-f lavfi -i sine=3000:r=8000:d=1')
  const { bytes, result } = await draw(tone, { kind: 'spectrogram', width: 100, height: 80 })
  const { data, info } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true })
  const rows = Array.from({ length: info.height }, (_, y) => data[(y * info.width + 50) * info.channels]!)
  expect([result.width, info.width, info.height]).toEqual([100, 100, 80])
  expect(Math.abs(rows.indexOf(Math.max(...rows)) - 20)).toBeLessThan(4)
})

test.each([
  [{ width: 100, samplesPerPixel: 100 }, 'CONFLICTING_OPTIONS'],
  [{ format: 'json', color: '#ff0000' }, 'CONFLICTING_OPTIONS'],
  [{ bits: 16 }, 'CONFLICTING_OPTIONS'],
  [{ style: 'line', barWidth: 2 }, 'CONFLICTING_OPTIONS'],
  [{ kind: 'spectrogram', style: 'bars' }, 'CONFLICTING_OPTIONS'],
  [{ kind: 'spectrogram', format: 'svg' }, 'CONFLICTING_OPTIONS'],
  [{ pixelsPerSecond: 10 }, 'INVALID_PARAM'],
  [{ start: 5 }, 'BAD_TIME_RANGE'],
])('refuses %o', async (options, code) => {
  await expect(draw(stereo, options)).rejects.toMatchObject({ code })
})

test('refuses what has no sound, and answers for silence', async () => {
  const silent = record('mp4', '-f lavfi -i color=red:s=64x48:d=0.2')
  await expect(draw(silent)).rejects.toMatchObject({ code: 'NO_AUDIO_STREAM' })
  const still = record('wav', '-f lavfi -i anullsrc=r=8000:cl=mono -t 0.2')
  const { columns } = await readColumns((await draw(still, { width: 50, height: 20 })).bytes)
  expect(columns[0]!.filter(Boolean).length).toBe(1)
})
