import { findVideo, listAudio } from '#kit'
import { AUDIO_CONTAINERS } from '../../formats/media/containers.ts'
import { readResult } from '../../formats/media/result.ts'
import { chooseSoundFormat } from '../../formats/media/sound-only.ts'
import { formatSeconds, roundSeconds, type TimeRange } from '../../formats/media/times.ts'
import { chooseContainer, muxOptions, nameVideo } from '../../formats/media/video-output.ts'
import type { SegmentJob } from '../../formats/media/write-segments.ts'
import { nameOutput } from '../../formats/media/write-sound.ts'

/** Copies the parts without loss. A picture can begin only at a key frame, so each part may begin earlier than asked. */
export async function writeCopy(job: SegmentJob) {
  const { ffmpeg, out, media, segments } = job
  const { mux, extension, name } = chooseTarget(job)
  const path = out(`copy.${extension}`)
  const parts: string[] = []
  for (const [index, segment] of segments.entries()) {
    const to = segments.length === 1 ? path : out(`part-${index}.${extension}`)
    parts.push(to)
    await ffmpeg.run({
      inputs: [readPart(job, segment)],
      outputs: [{ path: to, options: [...copyOptions(job), ...mux] }],
    })
  }
  if (parts.length > 1) {
    const lines = parts.map(part => `file '${part.slice(part.lastIndexOf('/') + 1)}'\n`)
    const list = await ffmpeg.write('parts.txt', lines.join(''))
    await ffmpeg.run({
      inputs: [{ path: list, isList: true }],
      outputs: [{ path, options: ['-map', '0', '-c', 'copy', ...mux] }],
    })
  }
  const result = await readResult(ffmpeg, path, name)
  const actualStart = await findStart(job)
  const actualEnd = roundSeconds(Math.min(media.seconds, actualStart + result.media.durationSec))
  return { result: { ...result, ...(segments.length === 1 && { actualStart, actualEnd }) }, warnings: [] }
}

function readPart({ input }: SegmentJob, { start, end }: TimeRange) {
  return { path: input.file.path, options: ['-ss', formatSeconds(start), '-t', formatSeconds(end - start)] }
}

function copyOptions({ media }: SegmentJob): string[] {
  const video = findVideo(media)
  const tracks = [...(video ? [video] : []), ...listAudio(media)]
  const subtitles = video && chooseContainer(media) === media.container ? ['-map', '0:s?'] : []
  const maps = tracks.flatMap(({ index }) => ['-map', `0:${index}`])
  return [...maps, ...subtitles, '-c', 'copy', '-avoid_negative_ts', 'make_zero']
}

function chooseTarget({ media }: SegmentJob) {
  if (findVideo(media)) {
    const to = chooseContainer(media)
    return { mux: muxOptions(to), extension: to, name: nameVideo(to) }
  }
  const to = chooseSoundFormat(media, listAudio(media)[0]!)
  return { mux: ['-f', AUDIO_CONTAINERS[to].muxer], extension: to, name: nameOutput(to) }
}

async function findStart({ ffmpeg, input, media, segments }: SegmentJob): Promise<number> {
  const video = findVideo(media)
  const { start } = segments[0]!
  if (!video) return roundSeconds(start)
  const keyframe = await ffmpeg.findKeyframe(input.file.path, video.index, start + media.startSeconds)
  return roundSeconds(Math.max(0, keyframe - media.startSeconds))
}
