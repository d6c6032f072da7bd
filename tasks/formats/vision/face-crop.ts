import type { Point, Region, Size } from '../geometry/region.ts'

interface PixelImage extends Size {
  /** Three bytes a pixel. */
  pixels: Uint8Array
}

/** From a point of the crop to one of the image: x' = a x - b y + c, y' = b x + a y + d. */
type Similarity = readonly [a: number, b: number, c: number, d: number]

/** Where eyes, nose and corners of the mouth are in a crop of 112 pixels, as models of faces are trained. */
const ALIGNED: readonly Point[] = [
  { x: 38.2946, y: 51.6963 },
  { x: 73.5318, y: 51.5014 },
  { x: 56.0252, y: 71.7366 },
  { x: 41.5493, y: 92.3655 },
  { x: 70.7299, y: 92.2041 },
]
const ALIGNED_SIDE = 112

/** Cuts a face out of an image: upright by its five landmarks if there are five, otherwise as a square around it. */
export function cropFace(
  image: PixelImage,
  { box, landmarks }: { box: Region; landmarks: readonly Point[] },
  { width, height }: Size,
  margin: number,
): Uint8Array {
  const scaled = ALIGNED.map(({ x, y }) => ({ x: (x * width) / ALIGNED_SIDE, y: (y * height) / ALIGNED_SIDE }))
  const transform =
    landmarks.length === ALIGNED.length ? fitSimilarity(scaled, landmarks) : fitSquare(box, width, margin)
  const output = new Uint8Array(width * height * 3)
  const [a, b, c, d] = transform
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [fromX, fromY] = [x + 0.5, y + 0.5]
      sample(image, a * fromX - b * fromY + c - 0.5, b * fromX + a * fromY + d - 0.5, output, (y * width + x) * 3)
    }
  }
  return output
}

/** The turn, scale and shift that bring the points of `from` closest to those of `to`, by least squares. */
function fitSimilarity(from: readonly Point[], to: readonly Point[]): Similarity {
  const [centre, target] = [average(from), average(to)]
  let [dot, cross, square] = [0, 0, 0]
  for (const [index, point] of from.entries()) {
    const [x, y] = [point.x - centre.x, point.y - centre.y]
    const [u, v] = [to[index]!.x - target.x, to[index]!.y - target.y]
    dot += x * u + y * v
    cross += x * v - y * u
    square += x * x + y * y
  }
  const [a, b] = [dot / square, cross / square]
  return [a, b, target.x - a * centre.x + b * centre.y, target.y - b * centre.x - a * centre.y]
}

function average(points: readonly Point[]): Point {
  const sum = (key: 'x' | 'y') => points.reduce((total, point) => total + point[key], 0) / points.length
  return { x: sum('x'), y: sum('y') }
}

function fitSquare({ x, y, width, height }: Region, side: number, margin: number): Similarity {
  const extent = Math.max(width, height) * (1 + 2 * margin)
  const scale = extent / side
  return [scale, 0, x + width / 2 - extent / 2, y + height / 2 - extent / 2]
}

/** Between the four nearest pixels; black outside the image. */
function sample({ pixels, width, height }: PixelImage, x: number, y: number, output: Uint8Array, at: number): void {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const [partX, partY] = [x - left, y - top]
  for (let channel = 0; channel < 3; channel++) {
    let value = 0
    for (const [dx, dy, share] of [
      [0, 0, (1 - partX) * (1 - partY)],
      [1, 0, partX * (1 - partY)],
      [0, 1, (1 - partX) * partY],
      [1, 1, partX * partY],
    ] as const) {
      const [column, row] = [left + dx, top + dy]
      if (column < 0 || row < 0 || column >= width || row >= height) continue
      value += share * pixels[(row * width + column) * 3 + channel]!
    }
    output[at + channel] = Math.round(value)
  }
}

const MATCH_SIMILARITY = 80

/**
 * How alike two faces are, from 0 to 100. The cosine of their embeddings at which a model takes two faces for one person
 * (`match`) becomes 80, whatever the model.
 */
export function computeSimilarity(one: readonly number[], other: readonly number[], match: number): number {
  const dot = one.reduce((sum, value, index) => sum + value * other[index]!, 0)
  const cosine = dot / (Math.hypot(...one) * Math.hypot(...other)) || 0
  const similarity =
    cosine < match
      ? (Math.max(0, cosine) / match) * MATCH_SIMILARITY
      : MATCH_SIMILARITY + ((cosine - match) / (1 - match)) * (100 - MATCH_SIMILARITY)
  return Math.round(Math.min(100, similarity) * 100) / 100
}
