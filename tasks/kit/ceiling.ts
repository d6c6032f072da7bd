import type { Micros } from './money.ts'
import { PRICE_CEILING } from './money.ts'
import { computeMaxAmount, findTariff, type Price, type Rates } from './price.ts'
import { Problem } from './problem.ts'
import type { Facts } from './schema.ts'

export type FileLimits = Record<
  'pages' | 'pixels' | 'pixelsOfAllFrames' | 'frames' | 'seconds' | 'videoPixels' | 'framesPerSecond',
  number
>

/** What a file may contain at most; operators can lower it. The probe refuses a larger one. */
export const FILE_LIMITS = {
  pages: 2000,
  pixels: 100_000_000,
  pixelsOfAllFrames: 200_000_000,
  frames: 1000,
  seconds: 3600,
  videoPixels: 4096 * 2304,
  framesPerSecond: 60,
} as const satisfies FileLimits

/** A file that contains as much as any file may. */
export const LARGEST_FACTS: Facts = {
  pages: FILE_LIMITS.pages,
  width: FILE_LIMITS.pixelsOfAllFrames,
  height: 1,
  frames: 1,
  seconds: FILE_LIMITS.seconds,
}

/** Longer options could name so many page ranges that counting them for the largest files takes long. */
const MAX_OPTION_CHARS = 1000

/** The most that a call can cost with these options, whatever its files contain. All files have `LARGEST_FACTS`. */
export function findCeiling<Input>(price: Price<Input>, input: Input, rates?: Rates): Micros {
  if (countChars(input) > MAX_OPTION_CHARS) return PRICE_CEILING
  try {
    return computeMaxAmount(findTariff(price, input, rates))
  } catch (error) {
    // Such as a page that no file can have. The probe tells the caller.
    if (error instanceof Problem) return PRICE_CEILING
    throw error
  }
}

function countChars(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, item) => sum + countChars(item), 0)
}
