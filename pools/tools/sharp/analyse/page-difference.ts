import type { Rect } from '../../../../tasks/formats/geometry/rect.ts'
import { openRendered } from '../encode/page.ts'

export interface PageDifference {
  /** The share of the pixels that differ. */
  ratio: number
  /** Boxes around what differs, in pixels. */
  regions: Rect[]
}

interface Pixels {
  data: Buffer
  width: number
  height: number
}

const THUMBNAIL_PIXELS = 32
/** Sizes of pages in points are rounded to pixels. */
const ROUNDING_PIXELS = 1
/** The largest difference between two colours, in the measure used here. */
const MAX_DISTANCE = 35_215
const CELL_PIXELS = 12
const MAX_REGIONS = 200

/** Small grey pictures of rendered pages, by which similar pages are found. */
export function readThumbnails(files: string[]): Promise<Uint8Array[]> {
  return Promise.all(
    files.map(async file => {
      const size = { width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS, fit: 'fill' as const }
      return (await openRendered(file)).grayscale().resize(size).toColourspace('b-w').raw().toBuffer()
    }),
  )
}

/**
 * Compares two rendered pages from their top left corner. Pixels whose colour is found next to the same place on the other
 * page count as equal, because edges are smoothed differently when they move by a fraction of a pixel.
 */
export async function comparePages(files: string[], { threshold }: { threshold: number }): Promise<PageDifference> {
  const [one, other] = (await Promise.all(files.map(readPixels))) as [Pixels, Pixels]
  const size = { width: commonSide(one, other, 'width'), height: commonSide(one, other, 'height') }
  const limit = MAX_DISTANCE * threshold ** 2
  const columns = Math.ceil(size.width / CELL_PIXELS)
  const cells = new Uint8Array(columns * Math.ceil(size.height / CELL_PIXELS))
  let count = 0
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      if (isSame(one, other, x, y, limit)) continue
      count += 1
      cells[Math.floor(y / CELL_PIXELS) * columns + Math.floor(x / CELL_PIXELS)] = 1
    }
  }
  return { ratio: count / (size.width * size.height), regions: listRegions(cells, columns, size) }
}

async function readPixels(file: string): Promise<Pixels> {
  const image = (await openRendered(file)).toColourspace('srgb').removeAlpha()
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

function commonSide(one: Pixels, other: Pixels, side: 'width' | 'height'): number {
  const [small, large] = [Math.min(one[side], other[side]), Math.max(one[side], other[side])]
  return large - small <= ROUNDING_PIXELS ? small : large
}

function isSame(one: Pixels, other: Pixels, x: number, y: number, limit: number): boolean {
  if (!isInside(one, x, y) || !isInside(other, x, y)) return false
  if (measureDistance(one, x, y, other, x, y) <= limit) return true
  return isFoundNearby(one, other, x, y, limit) && isFoundNearby(other, one, x, y, limit)
}

function isFoundNearby(one: Pixels, other: Pixels, x: number, y: number, limit: number): boolean {
  for (let down = -1; down <= 1; down++) {
    for (let right = -1; right <= 1; right++) {
      const [column, row] = [x + right, y + down]
      if (isInside(other, column, row) && measureDistance(one, x, y, other, column, row) <= limit) return true
    }
  }
  return false
}

function isInside({ width, height }: Pixels, x: number, y: number): boolean {
  return x >= 0 && y >= 0 && x < width && y < height
}

/** The distance of two colours in the YIQ space, in which brightness weighs most, as it does for the eye. */
function measureDistance(one: Pixels, x: number, y: number, other: Pixels, column: number, row: number): number {
  const [from, to] = [(y * one.width + x) * 3, (row * other.width + column) * 3]
  const red = one.data[from]! - other.data[to]!
  const green = one.data[from + 1]! - other.data[to + 1]!
  const blue = one.data[from + 2]! - other.data[to + 2]!
  if (red === 0 && green === 0 && blue === 0) return 0
  const brightness = 0.299 * red + 0.587 * green + 0.114 * blue
  const orange = 0.596 * red - 0.274 * green - 0.322 * blue
  const purple = 0.211 * red - 0.523 * green + 0.312 * blue
  return 0.5053 * brightness ** 2 + 0.299 * orange ** 2 + 0.1957 * purple ** 2
}

/** Boxes around groups of cells that touch each other, the largest first. */
function listRegions(cells: Uint8Array, columns: number, { width, height }: Omit<Pixels, 'data'>): Rect[] {
  const regions: [number, number, number, number][] = []
  for (let start = 0; start < cells.length; start++) {
    if (cells[start] !== 1) continue
    const region: (typeof regions)[number] = [columns, cells.length, 0, 0]
    const open = [start]
    cells[start] = 2
    for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
      const [column, row] = [cell % columns, Math.floor(cell / columns)]
      region[0] = Math.min(region[0], column)
      region[1] = Math.min(region[1], row)
      region[2] = Math.max(region[2], column + 1)
      region[3] = Math.max(region[3], row + 1)
      for (const next of listNeighbours(cell, columns, cells.length)) {
        if (cells[next] !== 1) continue
        cells[next] = 2
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
      left * CELL_PIXELS,
      top * CELL_PIXELS,
      Math.min(width, right * CELL_PIXELS),
      Math.min(height, bottom * CELL_PIXELS),
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
