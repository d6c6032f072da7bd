import sharp, { type Sharp } from 'sharp'
import type { PixelBuffer } from '../edit/draw.ts'

const BLOCK = 8
const C1 = (0.01 * 255) ** 2
const C2 = (0.03 * 255) ** 2

export async function readGrey(image: Sharp): Promise<PixelBuffer> {
  const { data, info } = await image
    .flatten({ background: '#ffffff' })
    .toColourspace('b-w')
    .extractChannel(0)
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Structural similarity (SSIM) of two grey images of the same size, averaged over blocks; 1 means identical. */
export function computeSimilarity(first: PixelBuffer, second: PixelBuffer): number {
  let sum = 0
  let blocks = 0
  for (let top = 0; top < first.height; top += BLOCK) {
    for (let left = 0; left < first.width; left += BLOCK) {
      sum += computeBlockSimilarity(first, second, left, top)
      blocks += 1
    }
  }
  return sum / blocks
}

function computeBlockSimilarity(first: PixelBuffer, second: PixelBuffer, left: number, top: number): number {
  const [right, bottom] = [Math.min(first.width, left + BLOCK), Math.min(first.height, top + BLOCK)]
  let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0]
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const [p, q] = [first.data[y * first.width + x]!, second.data[y * first.width + x]!]
      a += p
      b += q
      aa += p * p
      bb += q * q
      ab += p * q
    }
  }
  const count = (right - left) * (bottom - top)
  const [meanA, meanB] = [a / count, b / count]
  const [varA, varB, covariance] = [aa / count - meanA ** 2, bb / count - meanB ** 2, ab / count - meanA * meanB]
  return ((2 * meanA * meanB + C1) * (2 * covariance + C2)) / ((meanA ** 2 + meanB ** 2 + C1) * (varA + varB + C2))
}

export function openBuffer(bytes: Buffer): Sharp {
  return sharp(bytes, { limitInputPixels: false })
}
