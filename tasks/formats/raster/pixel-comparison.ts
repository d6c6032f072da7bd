import { MAX_DISTANCE, measureDistance } from '../color/distance.ts'
import { createCellGrid, listRegions, markCell } from '../geometry/cell-regions.ts'
import type { Region, Size } from '../geometry/region.ts'
import { SmoothedEdges } from './smoothed-edges.ts'

/** Four bytes a pixel: red, green, blue and opacity. */
interface RgbaRaster extends Size {
  data: Uint8Array
}

interface PreparedRaster extends RgbaRaster {
  /** The brightness of every pixel. */
  grey: Uint8Array
  /** All four channels of a pixel as one number. */
  words: Uint32Array
}

export interface ComparisonOptions {
  /** The difference of colours, from 0 to 1, up to which two pixels are the same. */
  threshold: number
  ignoreAntialiasing: boolean
}

export interface PixelDifference {
  /** No pixel looks different, however little. */
  isEqual: boolean
  differingPixels: number
  /** Over the channels red, green and blue of all pixels, from 0 to 255. */
  meanDifference: number
  rmsDifference: number
  box: Region | null
  regions: Region[]
}

const CELL_PIXELS = 12

/** Compares two images of the same size. Transparent parts count as they look on black or white, whichever differs more. */
export class PixelComparison {
  readonly #a: PreparedRaster
  readonly #b: PreparedRaster
  readonly #smoothed: SmoothedEdges | null
  readonly #limit: number
  /** 1 for each pixel that differs. */
  readonly mask: Uint8Array
  #differing = 0
  #isEqual = true
  #absolute = 0
  #squares = 0

  constructor(a: RgbaRaster, b: RgbaRaster, options: ComparisonOptions) {
    this.#a = prepare(a)
    this.#b = prepare(b)
    this.#smoothed = options.ignoreAntialiasing ? new SmoothedEdges(this.#a, this.#b) : null
    this.#limit = MAX_DISTANCE * options.threshold ** 2
    this.mask = new Uint8Array(a.width * a.height)
  }

  /** The brightness of every pixel, with transparency on white. */
  get greys(): readonly [Uint8Array, Uint8Array] {
    return [this.#a.grey, this.#b.grey]
  }

  /** Compares the rows from the first up to, but without, the last. */
  compareRows(first: number, last: number): void {
    const [{ words: a, width }, { words: b }] = [this.#a, this.#b]
    this.#smoothed?.prepareRows(last)
    for (let at = first * width; at < last * width; at++) {
      if (a[at] !== b[at] && this.#measure(at) > this.#limit && !this.#smoothed?.has(at)) {
        this.mask[at] = 1
        this.#differing += 1
      }
    }
  }

  finish(): PixelDifference {
    const samples = this.mask.length * 3
    return {
      isEqual: this.#isEqual,
      differingPixels: this.#differing,
      meanDifference: this.#absolute / samples,
      rmsDifference: Math.sqrt(this.#squares / samples),
      ...this.#findRegions(),
    }
  }

  /** Adds the pixel to the sums. Returns the distance of its colours. */
  #measure(at: number): number {
    const [{ data: a }, { data: b }, byte] = [this.#a, this.#b, at * 4]
    const [opacityA, opacityB] = [a[byte + 3]! / 255, b[byte + 3]! / 255]
    let red = a[byte]! * opacityA - b[byte]! * opacityB
    let green = a[byte + 1]! * opacityA - b[byte + 1]! * opacityB
    let blue = a[byte + 2]! * opacityA - b[byte + 2]! * opacityB
    let distance = measureDistance(red, green, blue)
    const veil = 255 * (opacityA - opacityB)
    const onWhite = veil === 0 ? distance : measureDistance(red - veil, green - veil, blue - veil)
    if (onWhite > distance) {
      red -= veil
      green -= veil
      blue -= veil
      distance = onWhite
    }
    if (distance > 0) this.#isEqual = false
    this.#absolute += Math.abs(red) + Math.abs(green) + Math.abs(blue)
    this.#squares += red ** 2 + green ** 2 + blue ** 2
    return distance
  }

  #findRegions(): Pick<PixelDifference, 'box' | 'regions'> {
    if (this.#differing === 0) return { box: null, regions: [] }
    const { width, height } = this.#a
    const grid = createCellGrid(this.#a, CELL_PIXELS)
    let [left, top, right, bottom] = [width, height, 0, 0]
    for (let y = 0; y < height; y++) {
      const row = this.mask.subarray(y * width, (y + 1) * width)
      const first = row.indexOf(1)
      if (first < 0) continue
      left = Math.min(left, first)
      top = Math.min(top, y)
      right = Math.max(right, row.lastIndexOf(1) + 1)
      bottom = y + 1
      for (let x = first; x < right; x++) if (row[x] === 1) markCell(grid, x, y)
    }
    const toRegion = ([x, y, endX, endY]: readonly [number, number, number, number]) => ({
      ...{ x, y },
      ...{ width: endX - x, height: endY - y },
    })
    return { box: toRegion([left, top, right, bottom]), regions: listRegions(grid, this.#a).map(toRegion) }
  }
}

/** The first image, pale and grey, with the pixels that differ in red. Three bytes a pixel. */
export function drawMarks(grey: Uint8Array, mask: Uint8Array): Uint8Array {
  const marked = new Uint8Array(mask.length * 3)
  for (let at = 0; at < mask.length; at++) {
    const isMarked = mask[at] === 1
    const pale = 255 - Math.round((255 - grey[at]!) * PALENESS)
    marked[at * 3] = isMarked ? 255 : pale
    marked[at * 3 + 1] = isMarked ? 0 : pale
    marked[at * 3 + 2] = isMarked ? 0 : pale
  }
  return marked
}

const PALENESS = 0.3

function prepare({ data, width, height }: RgbaRaster): PreparedRaster {
  const isAligned = data.byteOffset % 4 === 0
  const { buffer, byteOffset } = isAligned ? data : new Uint8Array(data)
  const grey = new Uint8Array(width * height)
  for (let at = 0; at < grey.length; at++) {
    const byte = at * 4
    const brightness = 0.299 * data[byte]! + 0.587 * data[byte + 1]! + 0.114 * data[byte + 2]!
    grey[at] = Math.round(255 + ((brightness - 255) * data[byte + 3]!) / 255)
  }
  const words = new Uint32Array(buffer, byteOffset, width * height)
  return { data, width, height, grey, words }
}
