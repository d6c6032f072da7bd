import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildImageSubtitles } from '../../support/media/image-subtitles.ts'
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

const CUES = [
  { startMs: 1_010, endMs: 2_990, text: 'Guten Morgen, Kapitän.\nDer Hafen ist gesperrt.' },
  { startMs: 4_000, endMs: 6_500, text: 'Die Größe ist überall gleich.' },
]
const film = (language: string, codec = 'copy', container = 'mkv') =>
  record(
    container,
    `-f lavfi -i color=blue:s=1280x720:d=8:r=25 -i @0 -map 0 -map 1 -c:v mpeg2video -c:s ${codec} -metadata:s:s:0 language=${language} -copyts`,
    [buildImageSubtitles(CUES)],
  )

test('reads subtitles that are pictures, in the language of their track, with exact times', async () => {
  const { bytes, result, chargedMicros } = await extract(film('ger'), { ocr: true })
  const times = ['00:00:01,010 --> 00:00:02,990', '00:00:04,000 --> 00:00:06,500']
  expect(bytes.toString('utf8')).toBe(`1\n${times[0]}\n${CUES[0]!.text}\n\n2\n${times[1]}\n${CUES[1]!.text}\n`)
  expect(result).toMatchObject({ cues: 2, language: 'ger', confidence: expect.any(Number) })
  expect(result.confidence).toBeGreaterThan(80)
  // The base, and one started hundred cues.
  expect(chargedMicros).toBe(7_000n)
  const { bytes: german } = await extract(film('und'), { ocr: true, to: 'txt', languages: ['de'] })
  expect(german.toString('utf8')).toContain('Die Größe ist überall gleich.')
})

test('reads the pictures of a DVD, as ASS too', async () => {
  const { bytes } = await extract(film('und', 'dvdsub', 'vob'), { ocr: true, to: 'ass', languages: ['de'] })
  expect(bytes.toString('utf8')).toMatch(
    /Dialogue: .*Guten Morgen, Kapitän\.\\NDer Hafen ist gesperrt\.\r?\nDialogue: .*Die Größe/,
  )
})

test.each([
  ['a language that is not installed', 'ger', { languages: ['tlh'] }, 'LANGUAGE_UNSUPPORTED'],
  ['a track in a language that is not installed', 'fin', {}, 'LANGUAGE_UNSUPPORTED'],
  ['the original, which is no text', 'eng', { to: 'original' }, 'CONFLICTING_OPTIONS'],
  ['languages without reading', 'eng', { ocr: false, languages: ['en'] }, 'CONFLICTING_OPTIONS'],
])('refuses to read %s', async (_name, language, options, code) => {
  await expect(extract(film(language), { ocr: true, ...options })).rejects.toMatchObject({ code })
})

test('charges nothing more where ocr meets text', async () => {
  const { result, chargedMicros } = await extract(sample('captioned.mkv'), { ocr: true })
  expect([result.cues, chargedMicros]).toEqual([2, 2_000n])
})

test('refuses pictures, a missing track and a video without subtitles', async () => {
  await expect(extract(sample('clip.mp4'))).rejects.toMatchObject({ code: 'NO_SUBTITLE_STREAM' })
  await expect(extract(sample('captioned.mkv'), { track: 'fr' })).rejects.toMatchObject({ code: 'TRACK_NOT_FOUND' })
  const bitmap = record('mkv', '-i @0 -map 0 -c copy', [buildImageSubtitles(CUES)])
  await expect(extract(bitmap)).rejects.toMatchObject({ code: 'SUBTITLE_IS_BITMAP' })
})
