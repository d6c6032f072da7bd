export const SMOOTHING = {
  blend: 'minterpolate=mi_mode=blend',
  motion: 'minterpolate=mi_mode=mci:mc_mode=aobmc',
} as const

/** One filter sounds well between half and double; more is a chain of them. */
export function buildTempoFilters(factor: number, pitch: 'keep' | 'shift', rate = 48_000): string[] {
  if (pitch === 'shift') return [`asetrate=${Math.round(rate * factor)}`, `aresample=${rate}`]
  const filters: string[] = []
  let rest = factor
  while (rest > 2 || rest < 0.5) {
    const step = rest > 2 ? 2 : 0.5
    filters.push(`atempo=${step}`)
    rest /= step
  }
  return [...filters, `atempo=${rest}`]
}
