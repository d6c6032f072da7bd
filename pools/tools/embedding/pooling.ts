import { ModelFault } from '../../../tasks/formats/vision/model-fault.ts'
import type { Pooling } from './model.ts'

/** One vector of the vectors of all tokens, as the model was trained to be read. No token is padding. */
export function poolTokens(
  { dims, data }: { dims: readonly number[]; data: ArrayLike<number> },
  pooling: Pooling,
): Float32Array {
  const [texts, tokens = 0, dimensions = 0] = dims
  if (dims.length !== 3 || texts !== 1 || tokens < 1)
    throw new ModelFault(`the output has the dimensions ${dims.join(' x ')}, not 1 x tokens x dimensions`)
  const pooled = Float32Array.from({ length: dimensions }, (_, at) => data[at]!)
  if (pooling === 'cls') return pooled
  for (let token = 1; token < tokens; token++)
    for (let at = 0; at < dimensions; at++) {
      const value = data[token * dimensions + at]!
      pooled[at] = pooling === 'max' ? Math.max(pooled[at]!, value) : pooled[at]! + value
    }
  return pooling === 'max' ? pooled : pooled.map(value => value / tokens)
}

/** With the length 1; a vector of zeros has none. */
export function normalize(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map(value => value / length)
}
