import { type InputFile, Problem, type Warning } from '#kit'
import { decodeSubtitles, type SubtitleEncoding } from './charset.ts'
import { readSubtitles, type Subtitles } from './read.ts'

const MAX_BYTES = 8 * 2 ** 20

export async function readSubtitleFile(
  file: InputFile,
  encoding: SubtitleEncoding,
): Promise<{ subtitles: Subtitles; warnings: Warning[] }> {
  if (file.sizeBytes > MAX_BYTES) throw new Problem('SUBTITLE_PARSE_FAILED', { line: 1, limit: MAX_BYTES })
  const { text, warnings } = decodeSubtitles(await file.bytes(), encoding)
  return { subtitles: readSubtitles(text), warnings }
}
