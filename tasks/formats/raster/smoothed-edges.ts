import type { Size } from '../geometry/region.ts'

interface EdgeRaster extends Size {
  /** The brightness of every pixel. */
  grey: Uint8Array
  /** All four channels of a pixel as one number. */
  words: Uint32Array
}

/** A flat area has more equal neighbours than this. */
const MAX_ALIKE = 2
const FLAT_IN_FIRST = 1
const FLAT_IN_SECOND = 2
const FLAT_IN_BOTH = FLAT_IN_FIRST | FLAT_IN_SECOND

/**
 * The pixels of two images of one size that were drawn to smooth an edge: such a pixel lies between a darker and a brighter
 * neighbour, and one of these is part of an area of one colour in both images. After V. Vyšniauskas, Anti-aliased pixel and
 * intensity slope detector, 2009.
 */
export class SmoothedEdges {
  readonly #first: EdgeRaster
  readonly #second: EdgeRaster
  /** In which of the images each pixel is part of a flat area. */
  readonly #flat: Uint8Array
  readonly #around: Int32Array
  #knownRows = 0

  constructor(first: EdgeRaster, second: EdgeRaster) {
    this.#first = first
    this.#second = second
    this.#flat = new Uint8Array(first.grey.length)
    this.#around = Int32Array.from(TO_RIGHT, (right, place) => DOWN[place]! * first.width + right)
  }

  /** Must be called before pixels up to this row, but without it, are asked for. */
  prepareRows(end: number): void {
    const { width, height } = this.#first
    const last = Math.min(height, end + 1)
    for (let at = this.#knownRows * width; at < last * width; at++) {
      const isFirst = isInFlatArea(this.#first, this.#around, at)
      const isSecond = isInFlatArea(this.#second, this.#around, at)
      this.#flat[at] = (isFirst ? FLAT_IN_FIRST : 0) | (isSecond ? FLAT_IN_SECOND : 0)
    }
    this.#knownRows = last
  }

  /** Whether the pixel smooths an edge in one of the images. */
  has(at: number): boolean {
    return (
      this.#isBesideFlatArea(at) &&
      (this.#isSmoothed(this.#first, FLAT_IN_FIRST, at) || this.#isSmoothed(this.#second, FLAT_IN_SECOND, at))
    )
  }

  /** Photos have few flat areas, so that most of their pixels are done with here. */
  #isBesideFlatArea(at: number): boolean {
    if (isAtBorder(this.#first, at)) return true
    for (let place = 0; place < PLACES; place++) {
      if (this.#flat[at + this.#around[place]!] === FLAT_IN_BOTH) return true
    }
    return false
  }

  #isSmoothed(raster: EdgeRaster, flatInRaster: number, at: number): boolean {
    if (this.#flat[at]! & flatInRaster) return false
    const [darkest, brightest] = this.#findExtremes(raster, at)
    if (darkest === at || brightest === at) return false
    return this.#flat[darkest] === FLAT_IN_BOTH || this.#flat[brightest] === FLAT_IN_BOTH
  }

  /** The darkest and the brightest neighbour, or the pixel itself where no neighbour is darker or brighter. */
  #findExtremes(raster: EdgeRaster, at: number): [darkest: number, brightest: number] {
    const { grey } = raster
    const isBorder = isAtBorder(raster, at)
    let [darkest, brightest] = [at, at]
    for (let place = 0; place < PLACES; place++) {
      const next = isBorder ? findNeighbour(raster, at, place) : at + this.#around[place]!
      if (next < 0) continue
      if (grey[next]! < grey[darkest]!) darkest = next
      if (grey[next]! > grey[brightest]!) brightest = next
    }
    return [darkest, brightest]
  }
}

/** Whether enough neighbours have the same colour. The border counts as one. */
function isInFlatArea(raster: EdgeRaster, around: Int32Array, at: number): boolean {
  const { words } = raster
  const isBorder = isAtBorder(raster, at)
  const word = words[at]
  let alike = isBorder ? 1 : 0
  for (let place = 0; place < PLACES; place++) {
    const next = isBorder ? findNeighbour(raster, at, place) : at + around[place]!
    if (next >= 0 && words[next] === word) alike += 1
  }
  return alike > MAX_ALIKE
}

function isAtBorder({ width, height }: Size, at: number): boolean {
  const x = at % width
  return x === 0 || x === width - 1 || at < width || at >= width * (height - 1)
}

const PLACES = 8
const TO_RIGHT = new Int8Array([-1, 0, 1, -1, 1, -1, 0, 1])
const DOWN = new Int8Array([-1, -1, -1, 0, 0, 1, 1, 1])

/** The index of one of the eight neighbours, or -1 beyond the border. */
function findNeighbour({ width, height }: Size, at: number, place: number): number {
  const x = (at % width) + TO_RIGHT[place]!
  const next = at + DOWN[place]! * width + TO_RIGHT[place]!
  return x < 0 || x >= width || next < 0 || next >= width * height ? -1 : next
}
