import { Type } from 'typebox'
import type { Tools } from '../../kit/operation.ts'

const Size = Type.Object({ width: Type.Integer({ minimum: 1 }), height: Type.Integer({ minimum: 1 }) })
const Position = Type.Integer({ minimum: 0 })
const Region = Type.Object({ x: Position, y: Position, ...Size.properties })

export const COMPARISON = {
  identical: Type.Boolean({ description: 'Same size and every pixel looks the same, at full depth of colour.' }),
  a: Size,
  b: Size,
  compared: Size,
  differingPixels: Type.Integer({ minimum: 0, description: 'By more than `threshold`.' }),
  differingShare: Type.Number({ minimum: 0, maximum: 1 }),
  meanDifference: Type.Number({
    minimum: 0,
    maximum: 255,
    description: 'Mean of the absolute differences of all channels, whatever the threshold.',
  }),
  rmsDifference: Type.Number({ minimum: 0, maximum: 255, description: 'Root of their mean square.' }),
  ssim: Type.Number({
    minimum: -1,
    maximum: 1,
    description: 'Structural similarity, in grey on white; 1 for the same.',
  }),
  hashDistance: Type.Integer({
    minimum: 0,
    maximum: 64,
    description:
      'Bits of the perceptual hashes that differ: up to about 10 where the images look alike, even scaled or compressed. ' +
      'Images of one colour all have the same hash.',
  }),
  box: Type.Unsafe<{ x: number; y: number; width: number; height: number } | null>({
    anyOf: [Region, { type: 'null' }],
    description: 'Around all pixels that differ.',
  }),
  regions: Type.Array(Region, {
    maxItems: 200,
    description: 'Around each group of them, in steps of 12 pixels, the largest first.',
  }),
}

type Compared = Omit<Awaited<ReturnType<Tools['sharp']['compareImages']>>, 'bytes' | 'path' | 'warnings'>

export function roundComparison(found: Compared) {
  const { width, height } = found.compared
  return {
    ...found,
    differingShare: roundUp(found.differingPixels / (width * height), 6),
    meanDifference: roundUp(found.meanDifference, 4),
    rmsDifference: roundUp(found.rmsDifference, 4),
    ssim: Math.floor(found.ssim * 10_000) / 10_000,
  }
}

/** A difference is never rounded away. */
function roundUp(value: number, digits: number): number {
  const scale = 10 ** digits
  return Math.max(Math.round(value * scale), value > 0 ? 1 : 0) / scale
}
