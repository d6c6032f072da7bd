/** The distance of black and white in the measure below. */
export const MAX_DISTANCE = 35_215

/**
 * The distance of two colours whose channels differ by this much, in the YIQ space, in which brightness weighs most, as it
 * does for the eye.
 */
export function measureDistance(red: number, green: number, blue: number): number {
  if (red === 0 && green === 0 && blue === 0) return 0
  const brightness = 0.299 * red + 0.587 * green + 0.114 * blue
  const orange = 0.596 * red - 0.274 * green - 0.322 * blue
  const purple = 0.211 * red - 0.523 * green + 0.312 * blue
  return 0.5053 * brightness ** 2 + 0.299 * orange ** 2 + 0.1957 * purple ** 2
}
