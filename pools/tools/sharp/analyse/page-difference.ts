import { MAX_DISTANCE, measureDistance } from '../../../../tasks/formats/color/distance.ts'
import { createCellGrid, listRegions, markCell } from '../../../../tasks/formats/geometry/cell-regions.ts'
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
const CELL_PIXELS = 12

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
  const grid = createCellGrid(size, CELL_PIXELS)
  let count = 0
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      if (isSame(one, other, x, y, limit)) continue
      count += 1
      markCell(grid, x, y)
    }
  }
  return { ratio: count / (size.width * size.height), regions: listRegions(grid, size) }
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
  if (measurePixels(one, x, y, other, x, y) <= limit) return true
  return isFoundNearby(one, other, x, y, limit) && isFoundNearby(other, one, x, y, limit)
}

function isFoundNearby(one: Pixels, other: Pixels, x: number, y: number, limit: number): boolean {
  for (let down = -1; down <= 1; down++) {
    for (let right = -1; right <= 1; right++) {
      const [column, row] = [x + right, y + down]
      if (isInside(other, column, row) && measurePixels(one, x, y, other, column, row) <= limit) return true
    }
  }
  return false
}

function isInside({ width, height }: Pixels, x: number, y: number): boolean {
  return x >= 0 && y >= 0 && x < width && y < height
}

function measurePixels(one: Pixels, x: number, y: number, other: Pixels, column: number, row: number): number {
  const [from, to] = [(y * one.width + x) * 3, (row * other.width + column) * 3]
  const red = one.data[from]! - other.data[to]!
  const green = one.data[from + 1]! - other.data[to + 1]!
  const blue = one.data[from + 2]! - other.data[to + 2]!
  return measureDistance(red, green, blue)
}
