import { type MediaStream, Problem } from '#kit'
import type { Ffmpeg } from './result.ts'
import { formatSeconds } from './times.ts'
import { buildStillEncoder, buildVisualFilters, planSize, type StillFormat, type VisualOptions } from './visual.ts'

interface StillOptions extends VisualOptions {
  still: StillFormat
  quality: number
}

interface StillSource {
  path: string
  video: MediaStream
  seconds: number
}

/** A position at which there is a frame: the last one is reachable by the end of the recording. */
function toFrameTime(at: number, { avgFps, fps, seconds }: MediaStream, length: number): number {
  const frame = 1 / (avgFps ?? fps ?? 25)
  const end = seconds && seconds > 0 ? Math.min(seconds, length) : length
  return Math.max(0, Math.min(at, end - 1.5 * frame))
}

/** Writes one frame as a picture. */
export async function writeStill(
  ffmpeg: Ffmpeg,
  { path, video, seconds }: StillSource,
  at: number | { keyframeBefore: number },
  to: string,
  options: StillOptions,
) {
  const isExact = typeof at === 'number'
  const time = isExact ? toFrameTime(at, video, seconds) : at.keyframeBefore
  const seek = time > 0 ? ['-ss', formatSeconds(time), ...(isExact ? [] : ['-noaccurate_seek'])] : []
  const graph = `[0:${video.index}]${buildVisualFilters(video, options).join(',')}[still]`
  const encoder = buildStillEncoder(options.still, options.quality)
  const output = (frames: readonly string[]) => ({
    path: to,
    options: ['-map', '[still]', ...encoder, ...frames, '-update', '1', '-f', 'image2'],
  })
  const one = { inputs: [{ path, options: seek }], graph, outputs: [output(['-frames:v', '1'])] }
  const isDamaged = await ffmpeg.run(one).then(
    report => report.isDamaged,
    async (error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'MEDIA_DECODE_FAILED' || time === 0) throw error
      // The picture ends earlier than the file says: its last frame is what a player shows here.
      await ffmpeg.run({ inputs: [{ path }], graph, outputs: [output([])] })
      return false
    },
  )
  return { isDamaged, ...planSize(video, options) }
}
