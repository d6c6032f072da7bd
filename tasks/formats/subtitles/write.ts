import type { Ffmpeg } from '../media/result.ts'
import { type Cue, renderSrt, renderVtt, stripMarkup } from './cue.ts'

export const CAPTION_TYPES = {
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  ass: 'text/x-ass',
  txt: 'text/plain',
} as const
export type CaptionFormat = keyof typeof CAPTION_TYPES

export const RENDERED = {
  srt: (cues: readonly Cue[]) => Buffer.from(renderSrt(cues)),
  vtt: (cues: readonly Cue[]) => Buffer.from(renderVtt(cues)),
  txt: (cues: readonly Cue[]) => Buffer.from(renderText(cues)),
}

function renderText(cues: readonly { text: string }[]): string {
  return cues.map(({ text }) => `${stripMarkup(text)}\n`).join('')
}

/** Writes cues as a file of text subtitles. */
export async function writeCues(
  { ffmpeg, out }: { ffmpeg: Ffmpeg; out(name: string): string },
  cues: readonly Cue[],
  format: CaptionFormat,
  name: string,
) {
  const output = { contentType: CAPTION_TYPES[format], name: `${name}.${format}` }
  if (format !== 'ass') return { ...output, bytes: RENDERED[format](cues) }
  const to = out(`${name}.ass`)
  const from = await ffmpeg.write(`${name}-read.srt`, renderSrt(cues))
  await ffmpeg.run({ inputs: [{ path: from }], outputs: [{ path: to, options: ['-f', 'ass'] }] })
  return { ...output, path: to }
}
