import { Problem } from '#kit'
import type { Ffmpeg } from '../../formats/media/result.ts'

export interface Loudness {
  /** Nothing if the sound is silent. */
  integrated: number | null
  truePeak: number | null
  lra: number
  threshold: number | null
}

/** How the sound is changed. `output` and `linear` are known in advance of short clips only. */
export interface LoudnessPlan {
  filters: string[]
  output?: Loudness
  linear?: boolean
}

/** The sound that is measured, and what it is to become. */
export interface Clip {
  ffmpeg: Ffmpeg
  path: string
  audioIndex: number
  goal: Target
}

export async function measureLong({ ffmpeg, path, audioIndex, goal }: Clip, seconds: number) {
  const output = { options: ['-map', `0:${audioIndex}`, '-af', buildGoal(goal)] }
  return parseReport((await ffmpeg.run({ inputs: [{ path }], outputs: [output], seconds, logLevel: 'info' })).log)
}

/** What the filter prints at its end, as JSON among other lines. */
export function parseReport(log: string): Record<string, string> {
  const start = log.lastIndexOf('{')
  const end = log.indexOf('}', start)
  if (start < 0 || end < 0)
    throw new Problem('MEDIA_DECODE_FAILED', { detail: 'nothing of the sound could be decoded' })
  return JSON.parse(log.slice(start, end + 1)) as Record<string, string>
}

export function readLoudness(report: Record<string, string>, side: 'input' | 'output'): Loudness {
  const number = (name: string) => {
    const value = Number(report[`${side}_${name}`])
    return Number.isFinite(value) ? value : null
  }
  return { integrated: number('i'), truePeak: number('tp'), lra: number('lra') ?? 0, threshold: number('thresh') }
}

/** The filter takes a range of zero for one that was not measured. */
const MIN_LRA = 0.1

interface Target {
  target: number
  truePeak: number
  lra: number
  isMono: boolean
}

/** The filter of the first pass. */
export function buildGoal({ target, truePeak, lra, isMono }: Target): string {
  return `loudnorm=I=${target}:TP=${truePeak}:LRA=${lra}:dual_mono=${isMono}:print_format=json`
}

/** The filter of the second pass, which changes the volume evenly if it can. */
export function buildFilter(goal: Target, report: Record<string, string>): string {
  const measured = (name: string) =>
    name === 'lra' ? Math.max(MIN_LRA, Number(report.input_lra)) : Number(report[`input_${name}`])
  const fields = ['i', 'tp', 'lra', 'thresh'].map(name => `measured_${name}=${measured(name)}`)
  return [buildGoal(goal), ...fields, `offset=${Number(report.target_offset)}`, 'linear=true'].join(':')
}
