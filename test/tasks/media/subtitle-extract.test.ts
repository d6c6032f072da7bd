import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { record, sample } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const extract = (file: string | Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'media.subtitle-extract', { file, ...options })

test.each([
  ['srt', '00:00:00,407\n<i>First</i> caption\n'],
  ['vtt', 'WEBVTT\n\n00:00:00.007 --> 00:00:00.407\n<i>First</i> caption\n'],
  ['txt', 'First caption\nZweite Zeile & ünïcode\n'],
  ['original', 'Zweite Zeile & ünïcode'],
  ['ass', ',Default,,0,0,0,,Zweite Zeile & ünïcode'],
])('writes %s', async (to, expected) => {
  const { bytes, result, chargedMicros } = await extract(sample('captioned.mkv'), { to })
  expect(bytes.toString('utf8')).toContain(expected)
  expect([result.cues, chargedMicros]).toEqual([2, 2_000n])
})

test('gives all tracks, one by language, and keeps cues that overlap', async () => {
  const cues = '1\n00:00:00,100 --> 00:00:00,900\none\n\n2\n00:00:00,200 --> 00:00:00,500\ntwo\n'
  const maps = '-map 0 -map 1 -c copy -c:s mov_text -metadata:s:s:0 language=eng -metadata:s:s:1 language=fra'
  const two = record('mp4', `-i @0 -i @1 ${maps}`, [
    await import('node:fs').then(fs => fs.readFileSync(sample('captioned.mkv'))),
    cues,
  ])
  const { files } = await extract(two, { track: 'all' })
  expect(files.map(({ track, language, cues }) => [track, language, cues])).toEqual([
    [1, 'eng', 2],
    [2, 'fra', 2],
  ])
  const { bytes } = await extract(two, { track: 'fr' })
  expect(bytes.toString()).toContain('00:00:00,200 --> 00:00:00,500\ntwo')
})

test('refuses pictures, a missing track and a video without subtitles', async () => {
  await expect(extract(sample('clip.mp4'))).rejects.toMatchObject({ code: 'NO_SUBTITLE_STREAM' })
  await expect(extract(sample('captioned.mkv'), { track: 'fr' })).rejects.toMatchObject({ code: 'TRACK_NOT_FOUND' })
  const bitmap = record('mkv', '-i @0 -map 0 -c copy', [createBitmapSubtitles()])
  await expect(extract(bitmap)).rejects.toMatchObject({ code: 'SUBTITLE_IS_BITMAP' })
})

/** A Blu-ray subtitle with an empty palette and no objects: enough to be recognised as one. */
function createBitmapSubtitles(): Buffer {
  const segment = (at: number, type: number, content: Buffer) => {
    const head = Buffer.alloc(13)
    head.write('PG')
    head.writeUInt32BE(at * 90, 2)
    head.writeUInt8(type, 10)
    head.writeUInt16BE(content.length, 11)
    return Buffer.concat([head, content])
  }
  const composition = Buffer.from([0, 64, 0, 48, 0x10, 0, 1, 0x80, 0, 0, 0])
  const window = Buffer.from([1, 0, 0, 0, 0, 0, 0, 64, 0, 48])
  const show = (at: number) => [
    segment(at, 0x16, composition),
    segment(at, 0x17, window),
    segment(at, 0x80, Buffer.alloc(0)),
  ]
  return Buffer.concat([0, 500, 1000].flatMap(show))
}
