import type { Rulings } from '../../../../tasks/engines/page-tables/rulings.ts'
import { type Rect, rectsOverlap } from '../../../../tasks/formats/geometry/rect.ts'
import { collectRuns, type GrayRaster, type Run } from './runs.ts'
import { findSquares } from './squares.ts'

/** Longer than the strokes of letters in running text. */
const MIN_LENGTH = { horizontal: 0.018, vertical: 0.011 }
const MIN_LENGTH_PIXELS = 24
/** Seven points of an A4 page. */
const MIN_SQUARE = 0.0085
/** How far from a pixel of a line its other side is, as a share of the longer side: far enough for a blurred edge. */
const REACH = 1 / 1000
/** Lines are no thicker than this. */
const MAX_THICKNESS = 1 / 150
/** By how much a line may fall per length: a page that is scanned at a small angle. */
const MAX_SLOPE = 0.03

/**
 * Finds the straight lines of a page, and the straight edges of filled areas: long runs of pixels that are darker than
 * what is above or below them, or left or right of them. Runs that touch from row to row are one line.
 */
export function findRulings(raster: GrayRaster): Rulings {
  return toRulings(findLines(raster))
}

export function toRulings({ horizontal, vertical, squares }: PageLines): Rulings {
  const down = vertical.map(({ box: [left, top, right, bottom] }): Rect => [top, left, bottom, right])
  return { horizontal: horizontal.map(({ box }) => box), vertical: down, squares }
}

/** Of a line that touches no other. Shorter ones may be letters that touch each other. */
const MIN_FREE_LENGTH = 0.06

/** Paints the lines of a page white, because text is recognised better without them. */
export function eraseLines(raster: GrayRaster, { horizontal, vertical, squares }: PageLines): void {
  const minLength = MIN_FREE_LENGTH * Math.max(raster.width, raster.height)
  const turned = vertical.map(({ box: [left, top, right, bottom] }): Rect => [top, left, bottom, right])
  const isLong = ({ box }: Line) => box[2] - box[0] >= minLength
  const isRuling = (line: Line, others: readonly Rect[], box: Rect) =>
    isLong(line) || others.some(other => meet(box, other))
  const across = horizontal.filter(line => isRuling(line, turned, line.box))
  const down = vertical.filter((line, index) => {
    return isRuling(
      line,
      horizontal.map(({ box }) => box),
      turned[index]!,
    )
  })
  for (const { row, first, last } of across.flatMap(({ runs }) => runs))
    whiten(raster, [first, row - 1, last + 1, row + 2])
  for (const { row, first, last } of down.flatMap(({ runs }) => runs))
    whiten(raster, [row - 1, first, row + 2, last + 1])
  for (const {
    box: [left, top, right, bottom],
  } of squares)
    whiten(raster, [left - SQUARE_EDGE, top - SQUARE_EDGE, right + SQUARE_EDGE, bottom + SQUARE_EDGE])
}

function whiten({ data, width, height }: GrayRaster, [left, top, right, bottom]: Rect): void {
  for (let y = Math.max(0, top); y < Math.min(height, bottom); y += 1)
    data.fill(255, y * width + Math.max(0, left), y * width + Math.min(width, Math.max(0, right)))
}

/** Check boxes are erased with their marks, which are no text. */
const SQUARE_EDGE = 3
const MEETING = 4

function meet(one: Rect, other: Rect): boolean {
  return rectsOverlap([one[0] - MEETING, one[1] - MEETING, one[2] + MEETING, one[3] + MEETING], other)
}

interface Line {
  box: Rect
  runs: Run[]
}

/** The boxes and runs of vertical lines have rows and columns exchanged. */
interface PageLines extends Pick<Rulings, 'squares'> {
  horizontal: Line[]
  vertical: Line[]
}

export function findLines(raster: GrayRaster): PageLines {
  const longer = Math.max(raster.width, raster.height)
  const reach = Math.max(2, Math.round(longer * REACH))
  const maxThickness = Math.max(4, Math.round(longer * MAX_THICKNESS))
  const lengthOf = (share: number) =>
    Math.max(share === MIN_SQUARE ? 10 : MIN_LENGTH_PIXELS, Math.round(longer * share))
  const find = (part: GrayRaster, share: number) => joinRuns(collectRuns(part, reach, lengthOf(share)), maxThickness)
  const turned = transpose(raster)
  const sides = {
    across: collectRuns(raster, reach, lengthOf(MIN_SQUARE)),
    down: collectRuns(turned, reach, lengthOf(MIN_SQUARE)),
  }
  return {
    horizontal: find(raster, MIN_LENGTH.horizontal),
    vertical: find(turned, MIN_LENGTH.vertical),
    squares: findSquares(raster, sides),
  }
}

function transpose({ data, width, height }: GrayRaster): GrayRaster {
  const turned = new Uint8Array(data.length)
  const block = 64
  for (let top = 0; top < height; top += block)
    for (let left = 0; left < width; left += block)
      for (let y = top; y < Math.min(height, top + block); y += 1)
        for (let x = left; x < Math.min(width, left + block); x += 1) turned[x * height + y] = data[y * width + x]!
  return { data: turned, width: height, height: width }
}

/** Joins runs of neighbouring rows that overlap, and keeps those groups that are as thin as a line. */
function joinRuns(runs: readonly Run[], maxThickness: number): Line[] {
  const parents = runs.map((_, index) => index)
  const find = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root]!
    parents[index] = root
    return root
  }
  let from = 0
  for (const [index, run] of runs.entries()) {
    while (runs[from]!.row < run.row - 2) from += 1
    for (let other = from; other < index; other += 1) if (touches(runs[other]!, run)) parents[find(index)] = find(other)
  }
  const groups = Map.groupBy(runs, (_, index) => find(index))
  return [...groups.values()].flatMap(group => toLine(group, maxThickness))
}

function touches(other: Run, run: Run): boolean {
  return run.row > other.row && run.first <= other.last + 2 && run.last >= other.first - 2
}

function toLine(runs: Run[], maxThickness: number): Line[] {
  const left = runs.reduce((least, { first }) => Math.min(least, first), Infinity)
  const right = runs.reduce((most, { last }) => Math.max(most, last), 0) + 1
  const [top, bottom] = [runs[0]!.row, runs.at(-1)!.row + 1]
  const isThin = bottom - top <= maxThickness + (right - left) * MAX_SLOPE
  return isThin ? [{ box: [left, top, right, bottom], runs }] : []
}
