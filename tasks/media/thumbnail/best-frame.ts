/** Pixels of the small grey pictures in which frames are compared. */
export const GREY_WIDTH = 64
export const GREY_HEIGHT = 36
const BLACK_MEAN = 30
const FLAT_DEVIATION = 10
/** A frame this much less sharp than the sharpest is blurred, or within a cross-fade. */
const MIN_SHARPNESS = 0.4

/** Positions to look at: not the beginning, where titles and black frames are. */
export function listCandidates(seconds: number): number[] {
  return [0.1, 0.2, 0.3, 0.45, 0.6, 0.8].map(part => part * seconds)
}

interface FrameFigures {
  mean: number
  deviation: number
  sharpness: number
}

/** The first frame that is neither dark nor flat nor blurred, else the most detailed one. */
export function chooseFrame(frames: readonly (Uint8Array | undefined)[]): number {
  const figures = frames.map(frame => (frame && frame.length > 0 ? measure(frame) : undefined))
  const sharpest = Math.max(0, ...figures.map(frame => frame?.sharpness ?? 0))
  const first = figures.findIndex(
    frame =>
      frame &&
      frame.mean >= BLACK_MEAN &&
      frame.deviation >= FLAT_DEVIATION &&
      frame.sharpness >= sharpest * MIN_SHARPNESS,
  )
  if (first >= 0) return first
  const scores = figures.map(frame => (frame ? frame.deviation + frame.mean / 10 : -1))
  return scores.indexOf(Math.max(...scores))
}

function measure(grey: Uint8Array): FrameFigures {
  const mean = grey.reduce((sum, value) => sum + value, 0) / grey.length
  const variance = grey.reduce((sum, value) => sum + (value - mean) ** 2, 0) / grey.length
  return { mean, deviation: Math.sqrt(variance), sharpness: measureSharpness(grey) }
}

/** The mean of the absolute second derivatives, which edges make and blur removes. */
function measureSharpness(grey: Uint8Array): number {
  let sum = 0
  for (let y = 1; y < GREY_HEIGHT - 1; y++) {
    for (let x = 1; x < GREY_WIDTH - 1; x++) {
      const at = y * GREY_WIDTH + x
      const around = grey[at - 1]! + grey[at + 1]! + grey[at - GREY_WIDTH]! + grey[at + GREY_WIDTH]!
      sum += Math.abs(4 * grey[at]! - around)
    }
  }
  return sum / grey.length
}
