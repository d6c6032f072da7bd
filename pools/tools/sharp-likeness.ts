import sharp, { type Sharp } from 'sharp'

const BLOCK = 8
const C1 = (0.01 * 255) ** 2
const C2 = (0.03 * 255) ** 2

export interface Greys {
  data: Buffer
  width: number
  height: number
}

export async function greysOf(image: Sharp): Promise<Greys> {
  const { data, info } = await image
    .flatten({ background: '#ffffff' })
    .toColourspace('b-w')
    .extractChannel(0)
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** How alike two pictures are by structure (SSIM), over blocks of eight by eight: 1 is the same. */
export function likeness(one: Greys, other: Greys): number {
  let sum = 0
  let blocks = 0
  for (let top = 0; top < one.height; top += BLOCK) {
    for (let left = 0; left < one.width; left += BLOCK) {
      sum += blockLikeness(one, other, left, top)
      blocks += 1
    }
  }
  return sum / blocks
}

function blockLikeness(one: Greys, other: Greys, left: number, top: number): number {
  const [right, bottom] = [Math.min(one.width, left + BLOCK), Math.min(one.height, top + BLOCK)]
  let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0]
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const [p, q] = [one.data[y * one.width + x]!, other.data[y * one.width + x]!]
      a += p
      b += q
      aa += p * p
      bb += q * q
      ab += p * q
    }
  }
  const count = (right - left) * (bottom - top)
  const [meanA, meanB] = [a / count, b / count]
  const [varA, varB, both] = [aa / count - meanA ** 2, bb / count - meanB ** 2, ab / count - meanA * meanB]
  return ((2 * meanA * meanB + C1) * (2 * both + C2)) / ((meanA ** 2 + meanB ** 2 + C1) * (varA + varB + C2))
}

export function held(bytes: Buffer): Sharp {
  return sharp(bytes, { limitInputPixels: false })
}
