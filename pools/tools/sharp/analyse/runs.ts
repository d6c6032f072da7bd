import type { Size } from '../../../../tasks/formats/geometry/region.ts'

/** The brightness of every pixel. */
export interface GrayRaster extends Size {
  data: Uint8Array
}

/** A run of dark pixels of one row; `last` is included. */
export interface Run {
  row: number
  first: number
  last: number
}

/** Levels by which a line is darker than the paper on one of its sides. */
const CONTRAST = 24
/** Noise breaks a line of a scan. */
const MAX_GAP = 2
const MAX_RUNS = 200_000

/** Finds the runs of pixels that are darker than what is above or below them. */
export function collectRuns(raster: GrayRaster, reach: number, minLength: number): Run[] {
  const runs: Run[] = []
  for (let row = 0; row < raster.height && runs.length < MAX_RUNS; row += 1) {
    const keep = (first: number, last: number) => {
      if (first >= 0 && last - first + 1 >= minLength) runs.push({ row, first, last })
    }
    scanRow(raster, row, reach, keep)
  }
  return runs
}

function scanRow(
  { data, width, height }: GrayRaster,
  row: number,
  reach: number,
  keep: (first: number, last: number) => void,
): void {
  const at = row * width
  const above = Math.max(0, row - reach) * width
  const below = Math.min(height - 1, row + reach) * width
  let [first, last] = [-1, -1]
  for (let x = 0; x < width; x += 1) {
    const limit = data[at + x]! + CONTRAST
    if (data[above + x]! < limit && data[below + x]! < limit) continue
    if (x - last > MAX_GAP + 1) {
      keep(first, last)
      first = x
    }
    last = x
  }
  keep(first, last)
}
