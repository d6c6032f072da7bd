import { findVideo, type InputFile, listAudio, type MediaFacts, Problem } from '#kit'
import { AUDIO_CONTAINERS } from './containers.ts'
import type { Quality, SpeedPreset } from './encoders.ts'
import { damageWarnings, type Ffmpeg, readResult } from './result.ts'
import { buildSegmentGraph, joinTimeline, retimeExtras, sumSeconds } from './segments.ts'
import { planSound } from './sound.ts'
import { chooseSoundFormat } from './sound-only.ts'
import { formatSeconds, type TimeRange } from './times.ts'
import { addressStream, chooseContainer, encodeSound, encodeVisual, muxOptions, nameVideo } from './video-output.ts'
import { nameOutput } from './write-sound.ts'

export interface SegmentJob {
  ffmpeg: Ffmpeg
  out(name: string): string
  media: MediaFacts
  input: { file: InputFile; fadeMs: number; quality: Quality; crf?: number; speedPreset: SpeedPreset }
  segments: TimeRange[]
}

export function writePrecise(job: SegmentJob) {
  return findVideo(job.media) ? writeVideo(job) : writeSound(job)
}

/** Reading begins shortly before the first part that is needed and ends after the last. */
function planReading(segments: readonly TimeRange[]) {
  const start = Math.min(...segments.map(range => range.start))
  const end = Math.max(...segments.map(range => range.end))
  const options = start > 0 ? ['-ss', formatSeconds(start)] : []
  const shifted = segments.map(range => ({ start: range.start - start, end: range.end - start }))
  return { options: [...options, '-t', formatSeconds(end - start)], shifted }
}

async function writeVideo({ ffmpeg, out, media, input, segments }: SegmentJob) {
  const { file, fadeMs, quality, crf, speedPreset } = input
  const to = chooseContainer(media)
  const path = out(`video.${to}`)
  const video = findVideo(media)!
  const encoding = { quality, speedPreset, ...(crf !== undefined && { crf }) }
  const visual = encodeVisual(video, to, { videoCodec: 'auto', ...encoding })
  const sounds = listAudio(media).map(audio => ({ ...encodeSound(audio, to), source: `0:${audio.index}` }))
  const { options, shifted } = planReading(segments)
  const graph = buildSegmentGraph(shifted, { source: `0:${video.index}`, filters: visual.filters }, sounds, {
    seconds: fadeMs / 1000,
  })
  const timeline = joinTimeline(segments)
  const extras = await retimeExtras({ ffmpeg, path: file.path, media, to, out, timeline, firstInput: 1 })
  const maps = sounds.flatMap(({ encoder }, at) => ['-map', `[sound${at}]`, ...addressStream(encoder, at)])
  const { isDamaged } = await ffmpeg.run({
    inputs: [{ path: file.path, options }, ...extras.inputs],
    graph,
    outputs: [
      { path, options: ['-map', '[visual]', ...visual.encoder, ...maps, ...extras.options, ...muxOptions(to)] },
    ],
    seconds: sumSeconds(segments),
  })
  return { result: await readResult(ffmpeg, path, nameVideo(to)), warnings: damageWarnings(isDamaged) }
}

async function writeSound({ ffmpeg, out, media, input, segments }: SegmentJob) {
  const [audio] = listAudio(media)
  if (!audio) throw new Problem('NO_AUDIO_STREAM')
  const to = chooseSoundFormat(media, audio)
  const path = out(`audio.${to}`)
  const plan = planSound(audio, { to, quality: input.quality, sampleRate: 'keep', channels: 'keep' })
  const { options, shifted } = planReading(segments)
  const source = { source: `0:${audio.index}`, filters: plan.filters }
  const graph = buildSegmentGraph(shifted, undefined, [source], { seconds: input.fadeMs / 1000 })
  const { isDamaged } = await ffmpeg.run({
    inputs: [{ path: input.file.path, options }],
    graph,
    outputs: [{ path, options: ['-map', '[sound0]', ...plan.encoder, '-f', AUDIO_CONTAINERS[to].muxer] }],
    seconds: sumSeconds(segments),
  })
  const warnings = [...plan.warnings, ...damageWarnings(isDamaged)]
  return { result: await readResult(ffmpeg, path, nameOutput(to)), warnings }
}

/** Everything but these parts. */
export function invertRanges(ranges: readonly TimeRange[], seconds: number): TimeRange[] {
  const sorted = [...ranges].sort((one, other) => one.start - other.start)
  const kept: TimeRange[] = []
  let at = 0
  for (const { start, end } of sorted) {
    if (start > at) kept.push({ start: at, end: start })
    at = Math.max(at, end)
  }
  if (at < seconds) kept.push({ start: at, end: seconds })
  if (kept.length === 0) throw new Problem('BAD_TIME_RANGE', { detail: 'nothing would be left', seconds })
  return kept
}
