import type { Rulings } from '../../../../tasks/engines/page-tables/rulings.ts'
import type { Rect } from '../../../../tasks/formats/geometry/rect.ts'
import type { GrayRaster, Run } from './runs.ts'

/** As a share of the longer side of the page: about 25 points of an A4 page. */
const MAX_SIDE = 0.03
const MAX_SQUARES = 500
/** What counts as a mark, and how much of the inside the borders may cover. */
const DARK = 150
const EDGE = 4
const INSET = 0.22

/** Finds the squares that four short lines enclose, and how much is marked in each. */
export function findSquares(
  raster: GrayRaster,
  { across, down }: { across: readonly Run[]; down: readonly Run[] },
): Rulings['squares'] {
  const maxSide = MAX_SIDE * Math.max(raster.width, raster.height)
  const tops = mergeRuns(across.filter(({ first, last }) => last - first <= maxSide))
  const sides = mergeRuns(down.filter(({ first, last }) => last - first <= maxSide))
  const found: Rect[] = []
  for (const [index, top] of tops.entries()) {
    const box = findBelow(top, tops.slice(index + 1), maxSide)
    if (
      !box ||
      !hasSides(box, sides) ||
      !hasCorners(raster, box) ||
      !isAlone(raster, box) ||
      found.some(other => covers(other, box))
    )
      continue
    found.push(box)
    if (found.length >= MAX_SQUARES) break
  }
  return found.map(box => ({ box, ink: measureInk(raster, box) }))
}

/** A border is several pixels thick: its rows are one line. */
function mergeRuns(runs: readonly Run[]): Run[] {
  const merged: (Run & { until: number })[] = []
  for (const run of runs) {
    const same = merged.findLast(other => run.row - other.until > 3 || isAlike(other, run))
    if (same && run.row - same.until <= 3) same.until = run.row
    else merged.push({ ...run, until: run.row })
  }
  return merged.map(({ row, until, first, last }) => ({ row: Math.round((row + until) / 2), first, last }))
}

function isAlike(one: Run, other: Run): boolean {
  const tolerance = Math.max(3, (one.last - one.first) * 0.12)
  return Math.abs(one.first - other.first) <= tolerance && Math.abs(one.last - other.last) <= tolerance
}

/** The nearest line below of the same length, as far away as it is long. */
function findBelow(top: Run, lower: readonly Run[], maxSide: number): Rect | undefined {
  const length = top.last - top.first + 1
  for (const bottom of lower) {
    const height = bottom.row - top.row + 1
    if (height > maxSide || height > length * 1.35) return undefined
    if (height >= length * 0.7 && isAlike(top, bottom)) return [top.first, top.row, top.last + 1, bottom.row + 1]
  }
  return undefined
}

/** The sides of a letter are shorter than its box. Rows and columns of the lines at the sides are exchanged. */
function hasSides([left, top, right, bottom]: Rect, sides: readonly Run[]): boolean {
  const reach = Math.max(4, (right - left) * 0.1)
  return [left, right].every(x =>
    sides.some(({ row, first, last }) => {
      const shared = Math.min(last, bottom) - Math.max(first, top)
      return Math.abs(row - x) <= reach && shared >= 0.85 * (bottom - top)
    }),
  )
}

/** The corners of letters are round. */
function hasCorners({ data, width, height }: GrayRaster, [left, top, right, bottom]: Rect): boolean {
  const isDark = (x: number, y: number) => {
    for (let dy = -2; dy <= 2; dy += 1)
      for (let dx = -2; dx <= 2; dx += 1)
        if (y + dy >= 0 && y + dy < height && data[(y + dy) * width + x + dx]! < DARK) return true
    return false
  }
  return [left, right - 1].every(x => [top, bottom - 1].every(y => isDark(x, y)))
}

/** Letters have other letters close to them. */
function isAlone({ data, width }: GrayRaster, [left, top, right, bottom]: Rect): boolean {
  const strip = Math.max(2, Math.round((right - left) * 0.3))
  const isFree = (from: number) => {
    let dark = 0
    for (let y = top; y < bottom; y += 1)
      for (let x = Math.max(0, from); x < Math.min(width, from + strip); x += 1)
        if (data[y * width + x]! < DARK) dark += 1
    return dark <= 0.03 * strip * (bottom - top)
  }
  return isFree(left - EDGE - strip) && isFree(right + EDGE)
}

function covers(one: Rect, other: Rect): boolean {
  const [x, y] = [(other[0] + other[2]) / 2, (other[1] + other[3]) / 2]
  return x > one[0] && x < one[2] && y > one[1] && y < one[3]
}

function measureInk({ data, width }: GrayRaster, [left, top, right, bottom]: Rect): number {
  const [dx, dy] = [Math.ceil((right - left) * INSET), Math.ceil((bottom - top) * INSET)]
  let [dark, count] = [0, 0]
  for (let y = top + dy; y < bottom - dy; y += 1)
    for (let x = left + dx; x < right - dx; x += 1) {
      count += 1
      if (data[y * width + x]! < DARK) dark += 1
    }
  return count === 0 ? 0 : Math.round((dark / count) * 1000) / 1000
}
