import type { Warning } from '#kit'

export function warnOfFrames(frames: number): Warning[] {
  if (frames <= 1) return []
  return [{ code: 'ANIMATION_FLATTENED', message: `Only the first of ${frames} frames is kept.` }]
}

/** Of one file, nothing needs to be said of which it is. */
export function nameFile(warnings: readonly Warning[], index: number, count: number): Warning[] {
  if (count === 1) return [...warnings]
  return warnings.map(({ code, message }) => ({ code, message: `File ${index}: ${message}` }))
}
