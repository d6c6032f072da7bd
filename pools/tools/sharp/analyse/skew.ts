import type { Sharp } from 'sharp'
import { openRendered } from '../encode/page.ts'

const SIDE_PIXELS = 1000
const DARK = 128
const MAX_DEGREES = 10
const MAX_POINTS = 60_000

/** Finds by how many degrees the lines of text fall to the right. 0 if the page has too little on it. */
export async function measureSkew([file]: string[]): Promise<number> {
  return findSkew(await openRendered(file!))
}

export async function findSkew(image: Sharp): Promise<number> {
  const small = image.grayscale().resize({ width: SIDE_PIXELS, height: SIDE_PIXELS, fit: 'inside' })
  const { data, info } = await small.normalise().toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  const points: [x: number, y: number][] = []
  for (let at = 0; at < data.length; at += info.channels) {
    const pixel = at / info.channels
    if (data[at]! < DARK) points.push([pixel % info.width, Math.floor(pixel / info.width)])
  }
  // Pages that are mostly dark are no text.
  if (points.length < 500 || points.length > info.width * info.height * 0.4) return 0
  const step = Math.ceil(points.length / MAX_POINTS)
  const sample = points.filter((_, index) => index % step === 0)
  const coarse = findBest(sample, info.height, 0, MAX_DEGREES, 0.5)
  return Math.round(findBest(sample, info.height, coarse, 0.5, 0.1) * 10) / 10
}

/** Along the lines of text, rows are either full or empty: their sums differ most from row to row. */
function findBest(points: readonly [number, number][], height: number, around: number, reach: number, step: number) {
  let [best, bestScore] = [around, scoreRows(points, height, around)]
  for (let degrees = around - reach; degrees <= around + reach + 1e-9; degrees += step) {
    const score = scoreRows(points, height, degrees)
    if (score > bestScore * 1.001) [best, bestScore] = [degrees, score]
  }
  return best
}

function scoreRows(points: readonly [number, number][], height: number, degrees: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180)
  const rows = new Float64Array(height * 2)
  for (const [x, y] of points) {
    const row = Math.round(y - x * slope + height / 2)
    if (row >= 0 && row < rows.length) rows[row]! += 1
  }
  let score = 0
  for (let row = 1; row < rows.length; row += 1) score += (rows[row]! - rows[row - 1]!) ** 2
  return score
}
