export interface GrayImage {
  width: number
  height: number
  /** One byte for each pixel: 0 is black, 255 white. */
  pixels: Uint8Array
}

/** Paper is not this dark, however it is lit. */
const DARK = 128
/** How much darker than the paper around it the faintest ink is. */
const MIN_CONTRAST = 20
const MAX_CONTRAST = 60
/** Half the side of the square around a pixel that counts as its paper. */
const REACH = 15
/** Smaller spots are dust: about a square millimetre of a page in A4 that is 700 pixels high. */
const MIN_SPOT_PIXELS = 6
/** The shadow of a lid or of the edge of the sheet touches the edge of the scan and reaches no further in than this. */
const SHADOW_SHARE = 0.03

/**
 * Whether a rendered page shows nothing. Specks, shadows along the edges, and paper that is tinted, unevenly lit or noisy
 * do not count; of what does, `maxInkShare` of the page may be covered.
 */
export function isBlankPage(image: GrayImage, maxInkShare: number): boolean {
  const { pixels } = image
  const [first] = pixels
  if (first! >= DARK && pixels.every(level => level === first)) return true
  // Black print is found at once; only what is left needs the paper around it.
  const isInked = (ink: Uint8Array) => countInk(ink, image, maxInkShare * pixels.length) > maxInkShare * pixels.length
  return !isInked(findDark(image)) && !isInked(findInk(image))
}

/** Counts the ink in spots that are no specks and no shadows, up to more than a limit. */
function countInk(ink: Uint8Array, image: GrayImage, limit: number): number {
  let found = 0
  for (let start = ink.indexOf(1); start >= 0 && found <= limit; start = ink.indexOf(1, start)) {
    const spot = takeSpot(ink, start, image)
    if (spot.pixels >= MIN_SPOT_PIXELS && !spot.isShadow) found += spot.pixels
  }
  return found
}

function findDark({ pixels }: GrayImage): Uint8Array {
  return pixels.map(level => (level < DARK ? 1 : 0))
}

/** Marks what is darker than the paper around it by more than the noise of the page. */
function findInk({ width, height, pixels }: GrayImage): Uint8Array {
  const ground = averageAround({ width, height, pixels })
  const contrast = chooseContrast(pixels, ground)
  const ink = new Uint8Array(pixels.length)
  for (let at = 0; at < pixels.length; at += 1) {
    const isInk = pixels[at]! < DARK || ground[at]! - pixels[at]! > contrast
    if (isInk) ink[at] = 1
  }
  return ink
}

/** Four times the usual deviation from the paper around, which is none in a drawn page. */
function chooseContrast(pixels: Uint8Array, ground: Uint8Array): number {
  const counts = new Uint32Array(256)
  for (let at = 0; at < pixels.length; at += 1) counts[Math.abs(ground[at]! - pixels[at]!)]! += 1
  let median = 0
  for (let below = counts[0]!; below * 2 < pixels.length; below += counts[median]!) median += 1
  return Math.min(MAX_CONTRAST, Math.max(MIN_CONTRAST, median * 6))
}

/** The mean of the square around each pixel, from sums over all that is above and left of it. */
function averageAround({ width, height, pixels }: GrayImage): Uint8Array {
  const stride = width + 1
  const sums = new Float64Array(stride * (height + 1))
  for (let y = 0; y < height; y += 1) {
    let row = 0
    for (let x = 0; x < width; x += 1) {
      row += pixels[y * width + x]!
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1]! + row
    }
  }
  const means = new Uint8Array(pixels.length)
  for (let y = 0; y < height; y += 1) {
    const [top, bottom] = [Math.max(0, y - REACH) * stride, Math.min(height, y + REACH + 1) * stride]
    const rows = (bottom - top) / stride
    for (let x = 0; x < width; x += 1) {
      const [left, right] = [Math.max(0, x - REACH), Math.min(width, x + REACH + 1)]
      const sum = sums[bottom + right]! - sums[bottom + left]! - sums[top + right]! + sums[top + left]!
      means[y * width + x] = Math.round(sum / (rows * (right - left)))
    }
  }
  return means
}

/** Takes a spot of connected ink away, and measures it. */
function takeSpot(ink: Uint8Array, start: number, { width, height }: GrayImage) {
  const shadow = Math.round(Math.max(width, height) * SHADOW_SHARE)
  const pending = [start]
  ink[start] = 0
  let [pixels, touchesEdge, reachesIn] = [0, false, false]
  while (pending.length > 0) {
    const at = pending.pop()!
    const [x, y] = [at % width, Math.floor(at / width)]
    const fromEdge = Math.min(x, y, width - 1 - x, height - 1 - y)
    pixels += 1
    touchesEdge ||= fromEdge < 2
    reachesIn ||= fromEdge > shadow
    for (const next of listNeighbours(x, y, width, height)) {
      if (ink[next] === 0) continue
      ink[next] = 0
      pending.push(next)
    }
  }
  return { pixels, isShadow: touchesEdge && !reachesIn }
}

function* listNeighbours(x: number, y: number, width: number, height: number): Generator<number> {
  for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1)
    for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) yield row * width + column
}
