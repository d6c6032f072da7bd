import type { TimeRange } from '../../formats/media/times.ts'

/** The silences that the filter reported in ffmpeg's log. One that lasts to the end has no end there. */
export function parseSilences(log: string, seconds: number): TimeRange[] {
  const silences: TimeRange[] = []
  let start: number | undefined
  for (const [, kind, value] of log.matchAll(/silence_(start|end): (-?[\d.]+)/g)) {
    if (kind === 'start') start = Math.max(0, Number(value))
    else if (start !== undefined) {
      silences.push({ start, end: Math.min(seconds, Number(value)) })
      start = undefined
    }
  }
  if (start !== undefined && start < seconds) silences.push({ start, end: seconds })
  return silences
}

/** The parts between the silences. */
export function findSpeech(silences: readonly TimeRange[], seconds: number): TimeRange[] {
  const edges = [0, ...silences.flatMap(({ start, end }) => [start, end]), seconds]
  const parts = Array.from({ length: edges.length / 2 }, (_, at) => ({
    start: edges[at * 2]!,
    end: edges[at * 2 + 1]!,
  }))
  return parts.filter(({ start, end }) => end - start > 0.001)
}

interface CutOptions {
  keepMs: number
  fillMs?: number
  edgesOnly: boolean
}

/** What of each silence is cut out: all but a little at its sides, or all but what shall be left of it. */
export function planCuts(silences: readonly TimeRange[], seconds: number, options: CutOptions): TimeRange[] {
  const { keepMs, fillMs, edgesOnly } = options
  const isAtEdge = ({ start, end }: TimeRange) => start <= 0.001 || end >= seconds - 0.001
  return silences
    .filter(silence => !edgesOnly || isAtEdge(silence))
    .map(({ start, end }) => {
      const keep = fillMs === undefined ? keepMs / 1000 : fillMs / 2000
      return { start: start <= 0.001 ? 0 : start + keep, end: end >= seconds - 0.001 ? seconds : end - keep }
    })
    .filter(({ start, end }) => end - start > 0.01)
}

/** Speech is at least this much louder than the noise between it. */
const NOISE_MARGIN_DB = 12

/** A threshold between the noise and the voice of a recording, from its mean and its loudest volume. */
export function chooseThreshold(log: string): number {
  const mean = Number(/mean_volume: (-?[\d.]+) dB/.exec(log)?.[1] ?? -30)
  return Math.max(-60, Math.min(-20, Math.round(mean - NOISE_MARGIN_DB)))
}
