import type { MediaFacts, MediaStream } from '#kit'
import type { Ffmpeg } from './result.ts'
import { keepTimesOptions } from './times.ts'

interface TrackSource {
  ffmpeg: Ffmpeg
  out(name: string): string
  path: string
  media: Pick<MediaFacts, 'startSeconds'>
}

/** Writes a track of text subtitles to a file of its own. */
export async function writeSubtitleTrack(
  { ffmpeg, out, path, media }: TrackSource,
  { index, codec }: MediaStream,
  format: 'srt' | 'ass',
  name: string,
): Promise<string> {
  const to = out(`${name}.${format}`)
  const isCopied = format === 'ass' && ['ass', 'ssa'].includes(codec)
  await ffmpeg.run({
    inputs: [{ path, options: keepTimesOptions(media.startSeconds) }],
    outputs: [{ path: to, options: ['-map', `0:${index}`, '-c:s', isCopied ? 'copy' : format, '-f', format] }],
  })
  return to
}

export async function readSubtitleTrack(
  source: TrackSource,
  stream: MediaStream,
  format: 'srt' | 'ass',
  name: string,
): Promise<string> {
  const path = await writeSubtitleTrack(source, stream, format, name)
  return Buffer.from(await source.ffmpeg.read(path)).toString('utf8')
}
