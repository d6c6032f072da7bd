import { type InputFile, type MediaFacts, type MediaStream, Problem, type Warning } from '#kit'
import type { Ffmpeg } from '../../formats/media/result.ts'
import { readSubtitleTrack } from '../../formats/media/subtitle-track.ts'
import { pickTrack, type Track } from '../../formats/media/tracks.ts'
import { isTextSubtitle } from '../../formats/media/video-output.ts'
import type { EmbeddedFont } from '../../formats/subtitles/ass-file.ts'
import { readSubtitles, type Subtitles } from '../../formats/subtitles/read.ts'

const MAX_FONTS = 40
const MAX_FONT_BYTES = 40 * 2 ** 20
const FONT = /font|opentype|truetype|sfnt/i

interface Job {
  ffmpeg: Ffmpeg
  out(name: string): string
  file: InputFile
}

interface Found {
  subtitles: Subtitles
  /** The track that they were in. */
  stream?: MediaStream
  warnings: Warning[]
}

export async function readTrack({ ffmpeg, out, file }: Job, track: Track): Promise<Found> {
  const media = file.facts.media!
  const streams = media.streams.filter(({ type }) => type === 'subtitle')
  if (streams.length === 0) throw new Problem('TRACK_NOT_FOUND', { track, tracks: [] })
  const stream = pickTrack(streams, track)
  if (!isTextSubtitle(stream)) throw new Problem('SUBTITLE_IS_BITMAP', { track, codec: stream.codec })
  const format = ['ass', 'ssa'].includes(stream.codec) ? 'ass' : 'srt'
  const text = await readSubtitleTrack({ ffmpeg, out, path: file.path, media }, stream, format, 'track')
  return { subtitles: readSubtitles(text), stream, warnings: [] }
}

/** The fonts that a Matroska file brings for its subtitles. */
export async function readFonts({ ffmpeg, out, file }: Job): Promise<EmbeddedFont[]> {
  const fonts = listFonts(file.facts.media!)
  if (fonts.length === 0) return []
  const paths = fonts.map((_, index) => out(`font-${index}`))
  await ffmpeg.run({
    inputs: [
      { path: file.path, options: fonts.flatMap(({ index }, at) => [`-dump_attachment:${index}`, `./font-${at}`]) },
    ],
    outputs: [{ options: ['-map', '0:v?', '-map', '0:a?', '-c', 'copy', '-t', '0'] }],
  })
  const embedded: EmbeddedFont[] = []
  let size = 0
  for (const [index, path] of paths.entries()) {
    const bytes = await ffmpeg.read(path)
    size += bytes.length
    if (size > MAX_FONT_BYTES) break
    embedded.push({ name: fonts[index]!.tags.filename ?? `font-${index}.ttf`, bytes })
  }
  return embedded
}

function listFonts({ streams }: MediaFacts): MediaStream[] {
  const isFont = ({ type, tags, codec }: MediaStream) =>
    type === 'attachment' &&
    FONT.test(`${tags.mimetype ?? ''} ${codec} ${/\.(?:ttf|otf|ttc)$/i.test(tags.filename ?? '') ? 'font' : ''}`)
  return streams.filter(isFont).slice(0, MAX_FONTS)
}
