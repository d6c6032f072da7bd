import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem, perCall, type Warning } from '#kit'
import { editAss } from '../formats/subtitles/ass-file.ts'
import { SUBTITLE_ENCODINGS } from '../formats/subtitles/charset.ts'
import { type Cue, parseBlocks } from '../formats/subtitles/cue.ts'
import { readSubtitleFile } from '../formats/subtitles/file.ts'
import type { Subtitles } from '../formats/subtitles/read.ts'
import { CAPTION_TYPES, writeCues } from '../formats/subtitles/write.ts'

const CONTENT_TYPES = [...new Set(Object.values(CAPTION_TYPES))]

export default define({
  summary: 'Convert a file of subtitles to another format, and move its times.',
  keywords:
    'srt to vtt, vtt to srt, ass to srt, webvtt, subrip, convert subtitles, subtitle file, shift subtitles, delay, sync, offset, captions for the web, make subtitles appear seconds later',
  converts: [{ from: 'srt vtt ass subtitle', to: 'srt vtt ass text' }],
  description:
    'Reads srt, vtt, ass, ssa and ttml of any encoding. Of ass to ass the look is kept; to the others only italics, bold and ' +
    'underline are. `txt` is the text alone. What would be shown before the start is left out with a warning.',
  price: perCall('0.002'),
  uses: ['ffmpeg'],
  input: Type.Object({
    file: FileInput({ description: 'A file of subtitles, not a video.' }),
    to: Choice(['srt', 'vtt', 'ass', 'txt'], { default: 'srt' }),
    offsetMs: Type.Integer({ default: 0, minimum: -3_600_000, maximum: 3_600_000, description: 'Later, or earlier.' }),
    encoding: Choice(SUBTITLE_ENCODINGS, { default: 'auto', description: 'Of the file.' }),
  }),
  output: Type.Object({ output: FileOutput(CONTENT_TYPES), cues: Type.Integer({ minimum: 1 }) }),
  errors: ['SUBTITLE_PARSE_FAILED', 'BAD_TIME_RANGE', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'For the web, two and a half seconds later',
      input: { file: 'sample:captions.srt', to: 'vtt', offsetMs: 2500 },
      answer: { output: { contentType: 'text/vtt' }, cues: 2 },
    },
  ],

  async run({ file, to, offsetMs, encoding }, { ffmpeg, out }) {
    const { subtitles, warnings } = await readSubtitleFile(file, encoding)
    const name = (file.name ?? 'subtitles').replace(/\.[^.]*$/, '')
    const { all, styled } = await moveAll({ ffmpeg, out }, subtitles, offsetMs / 1000)
    const cues = all.filter(({ end }) => end > 0)
    if (cues.length === 0)
      throw new Problem('BAD_TIME_RANGE', { field: 'offsetMs', detail: 'no subtitle would be left' })
    const output =
      to === 'ass' && styled !== undefined
        ? { contentType: CAPTION_TYPES.ass, name: `${name}.ass`, bytes: Buffer.from(styled) }
        : await writeCues({ ffmpeg, out }, cues, to, name)
    return { result: { output, cues: cues.length }, warnings: [...warnings, ...warnOfLost(all.length - cues.length)] }
  },
})

type Place = Parameters<typeof writeCues>[0]

/** The cues at their new times, and what brings its own look as it is. */
async function moveAll(
  place: Place,
  subtitles: Subtitles,
  offsetSeconds: number,
): Promise<{ all: Cue[]; styled?: string }> {
  if ('cues' in subtitles) return { all: subtitles.cues.map(cue => moveCue(cue, offsetSeconds)) }
  const styled = editAss(subtitles.ass, { offsetSeconds, style: {}, fonts: [] })
  return { all: await readAss(place, styled), styled }
}

async function readAss({ ffmpeg, out }: Place, ass: string): Promise<Cue[]> {
  const path = out('read.srt')
  const from = await ffmpeg.write('read.ass', ass)
  // What it is must not be guessed from what a caller has written: a playlist would open files.
  await ffmpeg.run({ inputs: [{ path: from, options: ['-f', 'ass'] }], outputs: [{ path, options: ['-f', 'srt'] }] })
  return parseBlocks(Buffer.from(await ffmpeg.read(path)).toString('utf8'))
}

function moveCue({ start, end, text }: Cue, seconds: number): Cue {
  return { start: Math.max(0, start + seconds), end: end + seconds, text }
}

function warnOfLost(count: number): Warning[] {
  if (count === 0) return []
  return [{ code: 'CUES_DROPPED', message: `${count} subtitles would be shown before the start, and were left out.` }]
}
