import type { Size } from '../geometry/region.ts'

export interface EdgeRaster extends Size {
  /** The brightness of every pixel. */
  grey: Uint8Array
  /** All four channels of a pixel as one number. */
  words: Uint32Array
  /** How far the index of each of the eight neighbours is from that of a pixel inside the border. */
  around: Int32Array
}

/** A flat area has more equal neighbours than this. */
const MAX_ALIKE = 2

/**
 * Whether a pixel was drawn to smooth an edge: it lies between a darker and a brighter neighbour, and one of these is part
 * of an area of one colour in both images. After V. Vyšniauskas, Anti-aliased pixel and intensity slope detector, 2009.
 */
export function isSmoothedEdge(raster: EdgeRaster, other: EdgeRaster, at: number): boolean {
  if (isInFlatArea(raster, at)) return false
  const darkest = findExtreme(raster, at, -1)
  const brightest = findExtreme(raster, at, 1)
  if (darkest === at || brightest === at) return false
  return (
    (isInFlatArea(raster, darkest) && isInFlatArea(other, darkest)) ||
    (isInFlatArea(raster, brightest) && isInFlatArea(other, brightest))
  )
}

/** Whether enough neighbours have the same colour. The border counts as one. */
function isInFlatArea(raster: EdgeRaster, at: number): boolean {
  const { words, around } = raster
  const isBorder = isAtBorder(raster, at)
  let alike = isBorder ? 1 : 0
  for (let place = 0; place < PLACES; place++) {
    const next = isBorder ? findNeighbour(raster, at, place) : at + around[place]!
    if (next >= 0 && words[next] === words[at]) alike += 1
  }
  return alike > MAX_ALIKE
}

/** The neighbour that is darkest (-1) or brightest (1), or the pixel itself if no neighbour is more so. */
function findExtreme(raster: EdgeRaster, at: number, sign: 1 | -1): number {
  const { grey, around } = raster
  const isBorder = isAtBorder(raster, at)
  let best = at
  for (let place = 0; place < PLACES; place++) {
    const next = isBorder ? findNeighbour(raster, at, place) : at + around[place]!
    if (next >= 0 && sign * (grey[next]! - grey[best]!) > 0) best = next
  }
  return best
}

function isAtBorder({ width, height }: Size, at: number): boolean {
  const x = at % width
  return x === 0 || x === width - 1 || at < width || at >= width * (height - 1)
}

const PLACES = 8
const TO_RIGHT = new Int8Array([-1, 0, 1, -1, 1, -1, 0, 1])
const DOWN = new Int8Array([-1, -1, -1, 0, 0, 1, 1, 1])

export function listNeighbourOffsets({ width }: Size): Int32Array {
  return Int32Array.from(TO_RIGHT, (right, place) => DOWN[place]! * width + right)
}

/** The index of one of the eight neighbours, or -1 beyond the border. */
function findNeighbour({ width, height }: Size, at: number, place: number): number {
  const x = (at % width) + TO_RIGHT[place]!
  const next = at + DOWN[place]! * width + TO_RIGHT[place]!
  return x < 0 || x >= width || next < 0 || next >= width * height ? -1 : next
}
