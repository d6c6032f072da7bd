import { exactlyOne, type InputFile, Problem } from '#kit'
import { resolveRange, resolveTime, type Time } from '../../formats/media/times.ts'

export interface FramesInput {
  file: InputFile
  every?: number
  count?: number
  times?: Time[]
  scene?: number
  start?: Time
  end?: Time
  zip: boolean
}

const MAX_FRAMES = { plain: 100, zipped: 1000 }

/** How many frames the call asks for; with `scene`, the most that it may find. */
export function countFrames(input: FramesInput): number {
  const { file, every = 1, count = 0, times = [], zip } = input
  const seconds = file.facts.seconds ?? 0
  const max = zip ? MAX_FRAMES.zipped : MAX_FRAMES.plain
  const mode = exactlyOne(input, ['every', 'count', 'times', 'scene'])
  checkTimes(input, seconds)
  const { start, end } = resolveRange(input, seconds)
  const planned = { every: Math.ceil((end - start) / every - 1e-6), count, times: times.length, scene: max }[mode]
  if (planned > max) throw new Problem('TOO_MANY_OUTPUTS', { outputs: planned, max })
  return planned
}

function checkTimes({ times, start, end }: FramesInput, seconds: number): void {
  if (!times) return
  if (start !== undefined || end !== undefined)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['times', 'start', 'end'] })
  for (const time of times) resolveTime(time, seconds, 'times')
}

/** Chooses frames that are there, so that none is returned twice however uneven they are. */
export function buildSelection({ every, count, scene }: FramesInput, seconds: number): string {
  if (scene !== undefined) return `select='gt(scene,${scene})'`
  const step = every ?? seconds / count!
  const slot = (time: string) => `floor((${time}+0.0005)/${step})`
  return `select='isnan(prev_selected_t)+gt(${slot('t')},${slot('prev_selected_t')})'`
}

/** The times in seconds of the frames of a list that ffmpeg wrote, which counts them in a time base of its own. */
export function parseFrameTimes(list: string): number[] {
  const [, over = '1', under = '1'] = /^#tb 0: (\d+)\/(\d+)/m.exec(list) ?? []
  return [...list.matchAll(/^0,\s*-?\d+,\s*(-?\d+),/gm)].map(([, pts]) => (Number(pts) * Number(over)) / Number(under))
}
