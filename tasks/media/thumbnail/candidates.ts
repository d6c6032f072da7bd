import { type MediaFacts, type MediaStream, Problem } from '#kit'
import type { Ffmpeg } from '../../formats/media/result.ts'
import { formatSeconds } from '../../formats/media/times.ts'
import { buildVisualFilters } from '../../formats/media/visual.ts'
import { chooseFrame, GREY_HEIGHT, GREY_WIDTH, listCandidates } from './best-frame.ts'

interface Source {
  ffmpeg: Ffmpeg
  out(name: string): string
  path: string
  media: MediaFacts
  video: MediaStream
}

/** Reads a few key frames in one run, small and grey, and compares them. */
export async function findBestTime({ ffmpeg, out, path, media, video }: Source): Promise<number> {
  const times = listCandidates(video.seconds ? Math.min(video.seconds, media.seconds) : media.seconds)
  const box = { width: GREY_WIDTH, height: GREY_HEIGHT, fit: 'stretch' } as const
  const filters = [...buildVisualFilters(video, box), 'format=gray'].join(',')
  const paths = times.map((_, index) => out(`candidate-${index}.gray`))
  const inputs = times.map(time => ({ path, options: ['-ss', formatSeconds(time), '-noaccurate_seek'] }))
  const graph = times.map((_, index) => `[${index}:${video.index}]${filters}[c${index}]`).join(';')
  const outputs = paths.map((to, index) => ({
    path: to,
    options: ['-map', `[c${index}]`, '-frames:v', '1', '-f', 'rawvideo'],
  }))
  try {
    await ffmpeg.run({ inputs, graph, outputs })
  } catch (error) {
    // Not every position can be reached in a damaged file; its beginning can.
    if (error instanceof Problem && error.code === 'MEDIA_DECODE_FAILED') return 0
    throw error
  }
  return times[chooseFrame(await Promise.all(paths.map(ffmpeg.read)))]!
}
