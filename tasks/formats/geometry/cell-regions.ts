import type { Rect } from './rect.ts'
import type { Size } from './region.ts'

/** The squares of a grid over an image, with a 1 for each that holds something. */
interface CellGrid {
  cells: Uint8Array
  columns: number
  cellPixels: number
}

export function createCellGrid({ width, height }: Size, cellPixels: number): CellGrid {
  const columns = Math.ceil(width / cellPixels)
  return { cells: new Uint8Array(columns * Math.ceil(height / cellPixels)), columns, cellPixels }
}

export function markCell({ cells, columns, cellPixels }: CellGrid, x: number, y: number): void {
  cells[Math.floor(y / cellPixels) * columns + Math.floor(x / cellPixels)] = 1
}

const MAX_REGIONS = 200
const SEEN = 2

/** Boxes around groups of marked cells that touch each other, the largest first. */
export function listRegions({ cells, columns, cellPixels }: CellGrid, { width, height }: Size): Rect[] {
  const regions: [number, number, number, number][] = []
  for (let start = 0; start < cells.length; start++) {
    if (cells[start] !== 1) continue
    const region: (typeof regions)[number] = [columns, cells.length, 0, 0]
    const open = [start]
    cells[start] = SEEN
    for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
      const [column, row] = [cell % columns, Math.floor(cell / columns)]
      region[0] = Math.min(region[0], column)
      region[1] = Math.min(region[1], row)
      region[2] = Math.max(region[2], column + 1)
      region[3] = Math.max(region[3], row + 1)
      for (const next of listNeighbours(cell, columns, cells.length)) {
        if (cells[next] !== 1) continue
        cells[next] = SEEN
        open.push(next)
      }
    }
    regions.push(region)
  }
  const area = (region: Rect) => (region[2] - region[0]) * (region[3] - region[1])
  return regions
    .sort((one, other) => area(other) - area(one))
    .slice(0, MAX_REGIONS)
    .map(([left, top, right, bottom]) => [
      left * cellPixels,
      top * cellPixels,
      Math.min(width, right * cellPixels),
      Math.min(height, bottom * cellPixels),
    ])
}

function listNeighbours(cell: number, columns: number, count: number): number[] {
  const column = cell % columns
  const found: number[] = []
  for (let down = -columns; down <= columns; down += columns) {
    for (let right = -1; right <= 1; right++) {
      const next = cell + down + right
      const isOnRow = column + right >= 0 && column + right < columns
      if (isOnRow && next >= 0 && next < count) found.push(next)
    }
  }
  return found
}
