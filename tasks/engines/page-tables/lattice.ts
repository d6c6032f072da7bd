import type { Rect } from '../../formats/geometry/rect.ts'
import { buildGrid, type Grid, type Stroke } from './grid.ts'
import type { Rulings } from './rulings.ts'
import { boundingBox, type FoundCell, type FoundTable, type TableWord } from './table.ts'
import { groupRows } from './text-rows.ts'

const MIN_TEXTS = 2
const MAX_LINES = 600

/** Finds the tables whose cells are bordered by lines. */
export function findRuledTables(words: readonly TableWord[], rulings: Rulings, size: number): FoundTable[] {
  // About three points of an A4 page.
  const tolerance = size / 280
  const horizontal = joinStrokes(rulings.horizontal.map(toStroke), tolerance)
  const vertical = joinStrokes(rulings.vertical.map(turn).map(toStroke), tolerance)
  const free = vertical.filter(stroke => !isLetterStroke(stroke, words))
  return connect(horizontal, free, tolerance).flatMap(group => {
    if (group.horizontal.length < 2 || group.horizontal.length + group.vertical.length > MAX_LINES) return []
    const grid = buildGrid(group, words, tolerance)
    return grid ? toTable(grid, words) : []
  })
}

function turn([left, top, right, bottom]: Rect): Rect {
  return [top, left, bottom, right]
}

function toStroke([left, top, right, bottom]: Rect): Stroke {
  return { at: (top + bottom) / 2, from: left, to: right }
}

/** Joins what lies on one line. */
function joinStrokes(strokes: readonly Stroke[], tolerance: number): Stroke[] {
  const joined: Stroke[] = []
  for (const stroke of [...strokes].sort((a, b) => a.at - b.at || a.from - b.from)) {
    const same = joined.findLast(
      ({ at, from, to }) =>
        Math.abs(at - stroke.at) <= tolerance && stroke.from <= to + tolerance && stroke.to >= from - tolerance,
    )
    if (!same) joined.push({ ...stroke })
    else Object.assign(same, { from: Math.min(same.from, stroke.from), to: Math.max(same.to, stroke.to) })
  }
  return joined
}

/** The stem of a large letter is no line. */
function isLetterStroke({ at, from, to }: Stroke, words: readonly TableWord[]): boolean {
  const middle = (from + to) / 2
  return words.some(({ box: [left, top, right, bottom] }) => {
    const isInside = at > left && at < right && middle > top && middle < bottom
    return isInside && to - from < (bottom - top) * 1.3
  })
}

/** Groups lines that touch. */
function connect(horizontal: readonly Stroke[], vertical: readonly Stroke[], tolerance: number) {
  const strokes = [...horizontal, ...vertical]
  const parents = strokes.map((_, index) => index)
  const find = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root]!
    return root
  }
  for (const [index, one] of horizontal.entries())
    for (const [place, other] of vertical.entries())
      if (meets(one, other, tolerance)) parents[find(index)] = find(horizontal.length + place)
  const groups = new Map<number, { horizontal: Stroke[]; vertical: Stroke[] }>()
  for (const [index, stroke] of strokes.entries()) {
    const root = find(index)
    const group = groups.get(root) ?? { horizontal: [], vertical: [] }
    groups.set(root, group)
    group[index < horizontal.length ? 'horizontal' : 'vertical'].push(stroke)
  }
  return [...groups.values()].filter(group => group.vertical.length > 0)
}

function meets(across: Stroke, down: Stroke, tolerance: number): boolean {
  const isWithin = (at: number, { from, to }: Stroke) => at >= from - tolerance && at <= to + tolerance
  return isWithin(down.at, across) && isWithin(across.at, down)
}

function toTable(grid: Grid, words: readonly TableWord[]): FoundTable[] {
  const { xs, ys, areas } = grid
  const cells = areas.map(({ r, c, rowSpan, colSpan }): FoundCell => {
    const box: Rect = [xs[c]!, ys[r]!, xs[c + colSpan]!, ys[r + rowSpan]!]
    return { r, c, rowSpan, colSpan, words: wordsIn(box, words), box }
  })
  const filled = cells.filter(cell => cell.words.length > 0)
  if (filled.length < MIN_TEXTS || cells.length < 2 || isFrame(cells)) return []
  const [rows, cols] = [ys.length - 1, xs.length - 1]
  return [{ method: 'lattice', box: boundingBox(cells.map(({ box }) => box)), rows, cols, cells }]
}

/** A frame around a text, or around a figure, is no table. */
function isFrame(cells: readonly FoundCell[]): boolean {
  const texts = cells.map(({ words }) => words.length)
  const total = texts.reduce((sum, count) => sum + count, 0)
  const most = cells[texts.indexOf(Math.max(...texts))]!
  return texts[cells.indexOf(most)]! > total * 0.9 && groupRows(most.words).length > 8
}

function wordsIn([left, top, right, bottom]: Rect, words: readonly TableWord[]): TableWord[] {
  return words.filter(({ box }) => {
    const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]
    return x >= left && x < right && y >= top && y < bottom
  })
}
