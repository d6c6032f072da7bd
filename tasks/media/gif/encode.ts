import type { MediaStream } from '#kit'
import type { Ffmpeg } from '../../formats/media/result.ts'
import { buildVisualFilters } from '../../formats/media/visual.ts'
import type { GifSettings } from './settings.ts'

const DITHERS = { bayer: 'bayer:bayer_scale=4', sierra: 'sierra2_4a', none: 'none' } as const

interface AnimationJob {
  ffmpeg: Ffmpeg
  out(name: string): string
  inputs: { path: string; options: string[] }[]
  video: MediaStream
  path: string
  /** Seconds. */
  plays: number
  options: {
    format: 'gif' | 'webp' | 'apng'
    dither: keyof typeof DITHERS
    loop: number
    speed: number
    boomerang: boolean
  }
}

export async function writeAnimation(job: AnimationJob, settings: GifSettings): Promise<void> {
  const { ffmpeg, inputs, video, path, plays, options } = job
  const { format, loop, speed, boomerang } = options
  const frames = [
    `setpts=(PTS-STARTPTS)/${speed}`,
    `fps=${settings.fps}`,
    ...buildVisualFilters(video, { width: settings.width, still: 'png' }),
  ].join(',')
  const turned = boomerang ? ',split[there][turn];[turn]reverse[back];[there][back]concat' : ''
  const source = `[0:${video.index}]${frames}`
  if (format === 'gif') return writeGif(job, settings, source, turned)
  const webp = ['-c:v', 'libwebp_anim', '-quality', '75', '-loop', String(loop), '-f', 'webp']
  const apng = ['-c:v', 'apng', '-pix_fmt', 'rgb24', '-plays', String(loop), '-f', 'apng']
  const output = { path, options: ['-map', '[frames]', ...(format === 'webp' ? webp : apng)] }
  await ffmpeg.run({ inputs, graph: `${source}${turned}[frames]`, outputs: [output], seconds: plays })
}

/** The palette is made in a run of its own, so that no run holds the whole clip. */
async function writeGif(job: AnimationJob, { colors }: GifSettings, source: string, turned: string): Promise<void> {
  const { ffmpeg, out, inputs, path, plays, options } = job
  const palette = out('palette.png')
  const graph = `${source},palettegen=max_colors=${colors}:stats_mode=diff[palette]`
  const still = ['-map', '[palette]', '-frames:v', '1', '-update', '1', '-f', 'image2']
  await ffmpeg.run({ inputs, graph, outputs: [{ path: palette, options: still }] })
  const mapped = `[full][1:v]paletteuse=dither=${DITHERS[options.dither]}:diff_mode=rectangle[frames]`
  await ffmpeg.run({
    inputs: [...inputs, { path: palette }],
    graph: `${source}${turned}[full];${mapped}`,
    outputs: [{ path, options: ['-map', '[frames]', '-loop', String(countRepeats(options.loop)), '-f', 'gif'] }],
    seconds: plays,
  })
}

/** A GIF counts how often it is repeated after it was played once; without a count it is not. */
function countRepeats(loop: number): number {
  return loop === 1 ? -1 : Math.max(0, loop - 1)
}
