import type { Lane } from '#kit'
import type { Line } from './line.ts'

/** Clears a queue of its deleted entries; another process that is at it already is left to it. */
export async function tidyLane(line: Line, lane: Lane): Promise<void> {
  await line.query({ text: `vacuum (skip_locked, truncate false) lane_${lane}._private_jobs` })
  if (lane === 'thread') await line.query({ text: 'vacuum (skip_locked, truncate false) svc.account' })
}
