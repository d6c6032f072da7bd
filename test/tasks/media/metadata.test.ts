import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { describeRecording, listStreams, record, sample, sine } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const tag = (file: string | Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.metadata', { file, ...options })
const clip = readFileSync(sample('clip.mp4'))

test('reads tags, place and time', async () => {
  const phone = record(
    'mov',
    '-i @0 -c copy -metadata location=+48.2082+016.3738/ -metadata creation_time=2024-05-06T07:08:09Z',
    [clip],
  )
  const { result, chargedMicros } = await tag(phone)
  expect(result).toMatchObject({
    tags: { title: 'Clip' },
    gps: { lat: 48.2082, lon: 16.3738 },
    creationTime: '2024-05-06T07:08:09.000000Z',
  })
  expect(chargedMicros).toBe(1_000n)
  const stripped = await tag(phone, { action: 'strip' })
  expect(stripped.chargedMicros).toBe(2_000n)
  expect(listStreams(stripped.bytes)).toEqual(['h264 64x48', 'aac 16000/1'])
  const text = runProgram('exiftool', ['-G', '-a', '-'], stripped.bytes)
  expect(text).not.toMatch(/48.2|GPS|2024|Clip|Lavf/)
})

test.each(['mp3', 'm4a', 'flac', 'ogg', 'mkv', 'wav'])(
  'writes tags of %s that ffprobe and exiftool read',
  async format => {
    const codec = format === 'mkv' ? '-c:a aac' : ''
    const source = record(format, `${sine(440, 0.2)} ${codec} -metadata artist=Old -metadata album=Kept`)
    const set = { title: 'Größe 音楽', artist: null, year: '2001' }
    const { bytes, warnings } = await tag(source, { action: 'write', set })
    const {
      format: { tags = {} },
      streams,
    } = describeRecording(bytes)
    const all = Object.fromEntries(
      Object.entries({ ...streams[0]!.tags, ...tags }).map(([name, value]) => [name.toLowerCase(), value]),
    )
    expect(all).toMatchObject({ title: 'Größe 音楽', album: 'Kept', date: '2001' })
    expect(all.artist ?? '').toBe('')
    expect(warnings).toEqual([])
    if (format === 'mp3' || format === 'flac')
      expect(runProgram('exiftool', ['-Title', '-'], bytes)).toContain('Größe 音楽')
  },
)

test('sets a cover and chapters without touching the sound', async () => {
  const cover = await sharp({ create: { width: 12, height: 8, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer()
  const song = record('mp3', sine(440, 0.5))
  const chapters = [
    { start: 0, title: 'One; = two' },
    { start: '50%', title: 'Two' },
  ]
  const { bytes } = await tag(song, { action: 'write', cover, chapters })
  expect(listStreams(bytes)).toEqual(['mp3 16000/1', 'mjpeg 12x8'])
  expect(describeRecording(bytes).chapters.map(({ tags }) => tags?.title)).toEqual(['One; = two', 'Two'])
  const read = await tag(bytes)
  expect(read.result.cover).toEqual({ mime: 'image/jpeg', width: 12, height: 8 })
  const bare = await tag(bytes, { action: 'write', cover: null })
  expect(listStreams(bare.bytes)).toEqual(['mp3 16000/1'])
})

test.each([
  [{ action: 'read', set: { title: 'x' } }, 'CONFLICTING_OPTIONS'],
  [{ action: 'write' }, 'MISSING_FIELD'],
  [
    {
      action: 'write',
      chapters: [
        { start: 0.5, title: 'a' },
        { start: 0.2, title: 'b' },
      ],
    },
    'METADATA_INVALID',
  ],
  [{ action: 'write', chapters: [{ start: 50, title: 'a' }] }, 'BAD_TIME_RANGE'],
])('refuses %o', async (options, code) => {
  await expect(tag(clip, options)).rejects.toMatchObject({ code })
})
