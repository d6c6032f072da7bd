import type { MediaFacts, MediaStream } from '#kit'
import type { Ffmpeg } from '../../formats/media/result.ts'
import { writeSubtitleTrack } from '../../formats/media/subtitle-track.ts'
import { parseBlocks } from '../../formats/subtitles/cue.ts'
import { CAPTION_TYPES, type CaptionFormat, RENDERED } from '../../formats/subtitles/write.ts'

export type SubtitleFormat = CaptionFormat | 'original'

interface Source {
  ffmpeg: Ffmpeg
  out(name: string): string
  path: string
  stream: MediaStream
  media: MediaFacts
}

/** As it is stored: what MP4 calls text has no file of its own. */
const ORIGINALS: Record<string, CaptionFormat> = { ass: 'ass', ssa: 'ass', webvtt: 'vtt' }

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
