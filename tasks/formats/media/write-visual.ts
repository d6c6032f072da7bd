import { findVideo, type InputFile, listAudio, type MediaStream, Problem } from '#kit'
import { VIDEO_CONTAINERS, type VideoFormat } from './containers.ts'
import { damageWarnings, type Ffmpeg, readResult } from './result.ts'
import {
  addressStream,
  type EncodeOptions,
  encodeSound,
  encodeVisual,
  muxOptions,
  nameVideo,
  planExtras,
} from './video-output.ts'

interface VisualJob {
  ffmpeg: Ffmpeg
  file: InputFile
  to: VideoFormat
  path: string
  encoding: EncodeOptions
  /** The graph from `0:<video>` to `[visual]`, with the filters that every encoded video passes. */
  compose(source: string, filters: string): string
  /** Further inputs of the graph, from number 1. */
  inputs?: readonly { path: string; options?: readonly string[] }[]
  /** A track of subtitles that the output does not need any more. */
  dropped?: MediaStream
  drawsText?: boolean
}

/** Encodes a changed picture beside sound that is copied wherever the container holds it. */
export async function writeVisual(job: VisualJob) {
  const { ffmpeg, file, to, path, encoding, inputs = [], dropped } = job
  const media = file.facts.media!
  const video = findVideo(media)
  if (!video) throw new Problem('NO_VIDEO_STREAM')
  const visual = encodeVisual(video, to, encoding)
  const sounds = listAudio(media).map((audio, at) => planSound(audio, to, at))
  const kept = dropped ? { ...media, streams: media.streams.filter(stream => stream !== dropped) } : media
  const extras = planExtras(kept, to, true)
  const graph = [job.compose(`[0:${video.index}]`, visual.filters.join(',')), ...sounds.flatMap(({ graph }) => graph)]
  const options = ['-map', '[visual]', ...visual.encoder, ...sounds.flatMap(sound => sound.options), ...extras.options]
  const { isDamaged, log } = await ffmpeg.run({
    inputs: [{ path: file.path }, ...inputs],
    graph: graph.join(';'),
    outputs: [{ path, options: [...options, ...muxOptions(to)] }],
    seconds: media.seconds,
    ...(job.drawsText && { drawsText: true, logLevel: 'warning' }),
  })
  const warnings = [...sounds.flatMap(sound => sound.warnings), ...extras.warnings, ...damageWarnings(isDamaged)]
  return { result: await readResult(ffmpeg, path, nameVideo(to)), warnings, log }
}

function planSound(audio: MediaStream, to: VideoFormat, at: number) {
  const source = `0:${audio.index}`
  if (VIDEO_CONTAINERS[to].audio.includes(audio.codec))
    return { graph: [], options: ['-map', source, `-c:a:${at}`, 'copy'], warnings: [] }
  const { filters, encoder, warnings } = encodeSound(audio, to)
  const graph = [`[${source}]${filters.join(',')}[sound${at}]`]
  return { graph, options: ['-map', `[sound${at}]`, ...addressStream(encoder, at)], warnings }
}

/** The characters that no font of this machine has, from what the renderer reported. */
export function warnOfMissingCharacters(log: string) {
  const codes = [...log.matchAll(/failed to find any fallback with glyph 0x([\da-f]+)/gi)].map(([, code]) => code!)
  const missing = [...new Set(codes)].map(code => String.fromCodePoint(Number.parseInt(code, 16)))
  if (missing.length === 0) return []
  const message = `No font here has these characters: ${missing.slice(0, 20).join(' ')}`
  return [{ code: 'CHARACTERS_MISSING', message }]
}
