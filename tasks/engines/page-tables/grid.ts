import type { TableWord } from './table.ts'
import { groupRows, type TextRow } from './text-rows.ts'

/** A straight line: its place across, and its ends along. */
export interface Stroke {
  at: number
  from: number
  to: number
}

/** A cell by its place in the grid. */
interface Area {
  r: number
  c: number
  rowSpan: number
  colSpan: number
}

export interface Grid {
  /** The borders of the columns and of the rows. */
  xs: number[]
  ys: number[]
  areas: Area[]
}

const MAX_CELLS = 20_000
/** The share of the side of a cell that its line covers. */
const MIN_COVER = 0.6

interface Lines {
  horizontal: readonly Stroke[]
  vertical: readonly Stroke[]
}

/** The cells between lines that touch each other. Nothing if there is only one. */
export function buildGrid(lines: Lines, words: readonly TableWord[], tolerance: number): Grid | undefined {
  const closed = closeSides(lines, tolerance)
  const xs = findPlaces(closed.vertical, tolerance)
  const ruled = findPlaces(closed.horizontal, tolerance)
  if (xs.length < 2 || ruled.length < 2 || xs.length * ruled.length > MAX_CELLS) return undefined
  const inside = words.filter(({ box }) => isBetween(box[0] + box[2], xs) && isBetween(box[1] + box[3], ruled))
  const textRows = groupRows(inside)
  const implied = splitRows(xs, ruled, textRows)
  const ys = [...ruled, ...implied].sort((a, b) => a - b)
  if (xs.length === 2 && ys.length === 2) return undefined
  const hasRight = (r: number, c: number) =>
    isCovered(closed.vertical, xs[c + 1]!, [ys[r]!, ys[r + 1]!], tolerance) ||
    separatesTexts(textRows, xs, [ys[r]!, ys[r + 1]!], c, tolerance)
  const hasBelow = (r: number, c: number) =>
    implied.includes(ys[r + 1]!) || isCovered(closed.horizontal, ys[r + 1]!, [xs[c]!, xs[c + 1]!], tolerance)
  return { xs, ys, areas: joinCells({ rows: ys.length - 1, cols: xs.length - 1 }, hasRight, hasBelow) }
}

function isBetween(twice: number, places: readonly number[]): boolean {
  return twice / 2 > places[0]! && twice / 2 < places.at(-1)!
}

/** A table may be open at its sides: its lines across then end where a border would be. */
function closeSides({ horizontal, vertical }: Lines, tolerance: number): Lines {
  const ends = (strokes: readonly Stroke[]) => ({
    from: Math.min(...strokes.map(({ from }) => from)),
    to: Math.max(...strokes.map(({ to }) => to)),
  })
  const close = (strokes: readonly Stroke[], others: readonly Stroke[]) => {
    const { from, to } = ends(others)
    const along = ends(strokes)
    const isMissing = (place: number) => strokes.every(({ at }) => Math.abs(at - place) > 2 * tolerance)
    return [...strokes, ...[from, to].filter(isMissing).map(at => ({ at, ...along }))]
  }
  return { horizontal: close(horizontal, vertical), vertical: close(vertical, horizontal) }
}

function findPlaces(strokes: readonly Stroke[], tolerance: number): number[] {
  const groups: number[][] = []
  for (const { at } of [...strokes].sort((a, b) => a.at - b.at)) {
    const last = groups.at(-1)
    if (last && at - last.at(-1)! <= tolerance) last.push(at)
    else groups.push([at])
  }
  return groups.map(places => places.reduce((sum, at) => sum + at, 0) / places.length)
}

function isCovered(
  strokes: readonly Stroke[],
  place: number,
  [from, to]: readonly [number, number],
  tolerance: number,
): boolean {
  const near = strokes.filter(({ at }) => Math.abs(at - place) <= 1.5 * tolerance)
  const covered = near.reduce(
    (sum, stroke) => sum + Math.max(0, Math.min(to, stroke.to) - Math.max(from, stroke.from)),
    0,
  )
  return covered >= MIN_COVER * (to - from)
}

/** Without a line between them, two cells are still two if both have text and none crosses the border. */
function separatesTexts(
  textRows: readonly TextRow[],
  xs: readonly number[],
  [top, bottom]: readonly [number, number],
  c: number,
  tolerance: number,
): boolean {
  const chunks = textRows
    .filter(({ box }) => (box[1] + box[3]) / 2 > top && (box[1] + box[3]) / 2 < bottom)
    .flatMap(row => row.chunks)
  const [left, border, right] = [xs[c]!, xs[c + 1]!, xs[c + 2]!]
  const isIn = (from: number, to: number) =>
    chunks.some(({ box }) => (box[0] + box[2]) / 2 > from && (box[0] + box[2]) / 2 < to)
  const crosses = chunks.some(({ box }) => box[0] < border - tolerance && box[2] > border + tolerance)
  return !crosses && isIn(left, border) && isIn(border, right)
}

const MIN_ROWS_TO_SPLIT = 3
const MAX_RULED_ROWS = 3

/** A table with lines between its columns only: each line of text that fills most columns is a row. */
function splitRows(xs: readonly number[], ys: readonly number[], textRows: readonly TextRow[]): number[] {
  const columns = xs.length - 1
  if (columns < 2 || ys.length - 1 > MAX_RULED_ROWS) return []
  return ys.slice(1).flatMap((bottom, index) => {
    const top = ys[index]!
    const inside = textRows.filter(({ box }) => (box[1] + box[3]) / 2 > top && (box[1] + box[3]) / 2 < bottom)
    const full = inside.filter(row => countFilled(row, xs) >= Math.max(2, columns * 0.6))
    if (inside.length < MIN_ROWS_TO_SPLIT || full.length < inside.length * 0.7) return []
    return inside.slice(1).map((row, place) => (inside[place]!.box[3] + row.box[1]) / 2)
  })
}

function countFilled({ chunks }: TextRow, xs: readonly number[]): number {
  const columns = chunks.map(({ box }) => xs.findLastIndex(x => x <= (box[0] + box[2]) / 2))
  return new Set(columns).size
}

/** Joins the places of a grid that no line separates, where they form a rectangle. */
function joinCells(
  { rows, cols }: { rows: number; cols: number },
  hasRight: (r: number, c: number) => boolean,
  hasBelow: (r: number, c: number) => boolean,
): Area[] {
  const parents = Array.from({ length: rows * cols }, (_, index) => index)
  const find = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root]!
    return root
  }
  for (let r = 0; r < rows; r += 1)
    for (let c = 0; c < cols; c += 1) {
      if (c + 1 < cols && !hasRight(r, c)) parents[find(r * cols + c + 1)] = find(r * cols + c)
      if (r + 1 < rows && !hasBelow(r, c)) parents[find((r + 1) * cols + c)] = find(r * cols + c)
    }
  const groups = Map.groupBy(parents.keys(), find)
  return [...groups.values()].flatMap(group => toAreas(group, cols)).sort((a, b) => a.r - b.r || a.c - b.c)
}

function toAreas(group: readonly number[], cols: number): Area[] {
  const [rs, cs] = [group.map(index => Math.floor(index / cols)), group.map(index => index % cols)]
  const [r, c] = [Math.min(...rs), Math.min(...cs)]
  const [rowSpan, colSpan] = [Math.max(...rs) - r + 1, Math.max(...cs) - c + 1]
  if (rowSpan * colSpan === group.length) return [{ r, c, rowSpan, colSpan }]
  return group.map(index => ({ r: Math.floor(index / cols), c: index % cols, rowSpan: 1, colSpan: 1 }))
}
