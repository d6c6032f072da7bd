import type { MediaFacts, MediaStream } from '#kit'
import type { Ffmpeg } from '../../formats/media/result.ts'
import { writeSubtitleTrack } from '../../formats/media/subtitle-track.ts'
import { type Cue, parseBlocks, renderSrt, renderVtt, stripMarkup } from '../../formats/subtitles/cue.ts'

export type SubtitleFormat = 'srt' | 'vtt' | 'ass' | 'txt' | 'original'

export const CAPTION_TYPES = {
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  ass: 'text/x-ass',
  txt: 'text/plain',
} as const

interface Source {
  ffmpeg: Ffmpeg
  out(name: string): string
  path: string
  stream: MediaStream
  media: MediaFacts
}

/** As it is stored: what MP4 calls text has no file of its own. */
const ORIGINALS: Record<string, keyof typeof CAPTION_TYPES> = { ass: 'ass', ssa: 'ass', webvtt: 'vtt' }

export async function convertSubtitles(source: Source, to: SubtitleFormat, name: string) {
  const { ffmpeg, stream } = source
  const format = to === 'original' ? (ORIGINALS[stream.codec] ?? 'srt') : to
  const from = await writeSubtitleTrack(source, stream, format === 'ass' ? 'ass' : 'srt', `${name}-read`)
  const content = Buffer.from(await ffmpeg.read(from)).toString('utf8')
  const output = { contentType: CAPTION_TYPES[format], name: `${name}.${format}` }
  if (format === 'ass') return { output: { ...output, path: from }, cues: content.match(/^Dialogue:/gm)?.length ?? 0 }
  const cues = content.includes('-->') ? parseBlocks(content) : []
  return { output: { ...output, bytes: RENDERED[format](cues) }, cues: cues.length }
}

const RENDERED = {
  srt: (cues: readonly Cue[]) => Buffer.from(renderSrt(cues)),
  vtt: (cues: readonly Cue[]) => Buffer.from(renderVtt(cues)),
  txt: (cues: readonly Cue[]) => Buffer.from(renderText(cues)),
}

/** What was read in pictures, as a file of text subtitles. */
export async function writeCues(
  { ffmpeg, out }: Pick<Source, 'ffmpeg' | 'out'>,
  cues: readonly Cue[],
  format: Exclude<SubtitleFormat, 'original'>,
  name: string,
) {
  const output = { contentType: CAPTION_TYPES[format], name: `${name}.${format}` }
  if (format !== 'ass') return { ...output, bytes: RENDERED[format](cues) }
  const to = out(`${name}.ass`)
  const from = await ffmpeg.write(`${name}-read.srt`, renderSrt(cues))
  await ffmpeg.run({ inputs: [{ path: from }], outputs: [{ path: to, options: ['-f', 'ass'] }] })
  return { ...output, path: to }
}

function renderText(cues: readonly { text: string }[]): string {
  return cues.map(({ text }) => `${stripMarkup(text)}\n`).join('')
}
