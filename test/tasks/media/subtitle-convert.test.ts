import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { probeWith } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const convert = (content: string | Uint8Array, options: object = {}) =>
  runJob(pools, 'media.subtitle-convert', { file: Buffer.from(content), ...options })

const SRT = `1
00:00:01,000 --> 00:00:02,500
Erste <i>Zeile</i>
& mehr

2
00:00:03,000 --> 00:00:04,000
<font color="red">Zweite</font>
`

/** The times in milliseconds and texts, as another reader has them. */
function readPackets(bytes: Uint8Array): [number, number][] {
  const { packets } = JSON.parse(probeWith(bytes, ['-show_packets', '-select_streams', 's']))
  return packets.map(({ pts_time: start, duration_time: duration }: Record<string, string>) => [
    Math.round(Number(start) * 1000),
    Math.round((Number(start) + Number(duration)) * 1000),
  ])
}

test.each(['srt', 'vtt', 'ass'])('moves the times of subtitles and writes them as %s', async to => {
  const { bytes, result, chargedMicros } = await convert(SRT, { to, offsetMs: 2_500 })
  expect(readPackets(bytes)).toEqual([
    [3_500, 5_000],
    [5_500, 6_500],
  ])
  expect([result.cues, chargedMicros]).toEqual([2, 2_000n])
})

test('writes WebVTT with its escapes, and the text alone', async () => {
  const vtt = Buffer.from((await convert(SRT, { to: 'vtt' })).bytes).toString('utf8')
  expect(vtt).toBe(
    'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nErste <i>Zeile</i>\n&amp; mehr\n\n00:00:03.000 --> 00:00:04.000\nZweite\n',
  )
  expect(Buffer.from((await convert(vtt, { to: 'txt' })).bytes).toString('utf8')).toBe('Erste Zeile\n& mehr\nZweite\n')
})

test('leaves out what would be shown before the start, and refuses to leave nothing', async () => {
  const { bytes, warnings } = await convert(SRT, { to: 'srt', offsetMs: -3_200 })
  expect(readPackets(bytes)).toEqual([[0, 800]])
  expect(warnings).toEqual(['CUES_DROPPED'])
  await expect(convert(SRT, { offsetMs: -60_000 })).rejects.toMatchObject({ code: 'BAD_TIME_RANGE' })
})

const ASS = `[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Bold, Alignment
Style: Loud,Arial,40,&H0000FFFF,1,8

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:02.00,Loud,,0,0,0,,{\\pos(10,10)}Hello
`

test('keeps the look of ass to ass, and reads its text for the others', async () => {
  const ass = Buffer.from((await convert(ASS, { to: 'ass', offsetMs: 500 })).bytes).toString('utf8')
  expect(ass).toContain('Style: Loud,Arial,40,&H0000FFFF,1,8')
  expect(ass).toMatch(/Dialogue: 0,0:00:01\.50,0:00:02\.50,Loud,,0,0,0,,\{\\pos\(10,10\)\}Hello/)
  const { bytes } = await convert(ASS, { to: 'srt', offsetMs: 500 })
  expect(Buffer.from(bytes).toString('utf8')).toMatch(/^1\n00:00:01,500 --> 00:00:02,500\n.*Hello/)
})

test('reads other encodings, and refuses what is no file of subtitles', async () => {
  const latin = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nfür Übung\n', 'latin1')
  const { bytes } = await convert(latin, { encoding: 'windows-1252' })
  expect(Buffer.from(bytes).toString('utf8')).toContain('für Übung')
  await expect(convert('no times here')).rejects.toMatchObject({ code: 'SUBTITLE_PARSE_FAILED' })
})
