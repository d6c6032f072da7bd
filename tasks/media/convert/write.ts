import { findVideo, type MediaFacts, type MediaStream, Problem, type Warning } from '#kit'
import { VIDEO_CONTAINERS, type VideoFormat } from '../../formats/media/containers.ts'
import { damageWarnings, type Ffmpeg, readResult } from '../../formats/media/result.ts'
import { copyOptions, resolveRange, seekOptions } from '../../formats/media/times.ts'
import {
  addressStream,
  encodeSound,
  encodeVisual,
  muxOptions,
  nameVideo,
  planExtras,
} from '../../formats/media/video-output.ts'
import { type ConvertInput, copiesVisual, requireCopyable, selectSounds, toEncodeOptions } from './plan.ts'

interface Track {
  graph: string[]
  options: string[]
  warnings: Warning[]
  isCopied?: boolean
}

export interface VideoJob {
  ffmpeg: Ffmpeg
  input: ConvertInput
  media: MediaFacts
  to: VideoFormat
  path: string
}

/** Writes the video once, at the quality that was asked for. */
export async function writeVideo(job: VideoJob, bitrateKbps?: number, pass?: 1 | 2) {
  const { ffmpeg, input, media, to, path } = job
  const range = resolveRange(input, media.seconds)
  const options = bitrateKbps === undefined ? input : { ...input, bitrateKbps }
  const visual = planVisualTrack(media, to, options, pass)
  const sounds = pass === 1 ? [] : planSounds(media, to, input)
  if (!visual && sounds.length === 0) throw new Problem('NO_VIDEO_STREAM')
  const extras = planExtras(media, to, input.subtitles === 'keep')
  const tracks = [...(visual ? [visual] : []), ...sounds]
  const graph = tracks.flatMap(track => track.graph).join(';')
  const startOptions = tracks.some(({ isCopied }) => isCopied) ? copyOptions(range) : []
  const rest = pass === 1 ? ['-an', '-sn'] : [...extras.options, ...startOptions, ...muxOptions(to)]
  const report = await ffmpeg.run({
    inputs: [{ path: input.file.path, options: ['-fflags', '+genpts', ...seekOptions(range, media.seconds)] }],
    ...(graph !== '' && { graph }),
    outputs: [{ ...(pass !== 1 && { path }), options: [...tracks.flatMap(track => track.options), ...rest] }],
    seconds: range.end - range.start,
  })
  const warnings = [...tracks.flatMap(track => track.warnings), ...extras.warnings, ...damageWarnings(report.isDamaged)]
  return { result: pass === 1 ? undefined : await readResult(ffmpeg, path, nameVideo(to)), warnings }
}

function planVisualTrack(media: MediaFacts, to: VideoFormat, input: ConvertInput, pass?: 1 | 2): Track | undefined {
  const video = findVideo(media)
  if (!video) return undefined
  if (copiesVisual(input)) {
    requireCopyable(video, to)
    const tag = video.codec === 'hevc' && (to === 'mp4' || to === 'mov') ? ['-tag:v', 'hvc1'] : []
    return { graph: [], options: ['-map', `0:${video.index}`, '-c:v', 'copy', ...tag], warnings: [], isCopied: true }
  }
  const { filters, encoder } = encodeVisual(video, to, toEncodeOptions(input), pass)
  const graph = [`[0:${video.index}]${filters.join(',')}[visual]`]
  return { graph, options: ['-map', '[visual]', ...encoder], warnings: [] }
}

function planSounds(media: MediaFacts, to: VideoFormat, input: ConvertInput): Track[] {
  const { audioCodec } = input
  return selectSounds(media, input).map((audio, at) => {
    const source = `0:${audio.index}`
    if (copiesSound(audio, to, input))
      return { graph: [], options: ['-map', source, `-c:a:${at}`, 'copy'], warnings: [], isCopied: true }
    const wanted = audioCodec === 'auto' || audioCodec === 'copy' ? {} : { audioCodec }
    const { filters, encoder, warnings } = encodeSound(audio, to, wanted)
    const graph = [`[${source}]${filters.join(',')}[sound${at}]`]
    const tags = audio.language ? [`-metadata:s:a:${at}`, `language=${audio.language}`] : []
    return { graph, options: ['-map', `[sound${at}]`, ...addressStream(encoder, at), ...tags], warnings }
  })
}

/** Sound is copied beside a copied picture, so that both keep their times. */
function copiesSound({ codec }: MediaStream, to: VideoFormat, input: ConvertInput): boolean {
  const isPlayable = VIDEO_CONTAINERS[to].audio.includes(codec)
  if (input.audioCodec === 'copy') {
    if (!isPlayable) throw new Problem('INCOMPATIBLE_STREAMS', { codec, to, supported: VIDEO_CONTAINERS[to].audio })
    return true
  }
  return (
    input.audioCodec === 'auto' &&
    isPlayable &&
    (copiesVisual(input) || !findVideo(input.file.facts.media)) &&
    input.start === undefined &&
    input.end === undefined
  )
}
