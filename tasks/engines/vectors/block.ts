export const METRICS = ['cosine', 'dot', 'l2'] as const
export type Metric = (typeof METRICS)[number]

/** Some vectors in memory that threads share. Their numbers ascend from block to block and within each. */
export interface VectorBlock {
  /** The number of each vector; 0 where one was removed. */
  ids: Int32Array
  values: Float32Array
  /** The length of each vector. */
  lengths: Float64Array
  count: number
}

const BLOCK_BYTES = 4 * 2 ** 20

/** An empty block for so many vectors, by default of about 4 MiB. */
export function createBlock(
  dimensions: number,
  capacity = Math.max(1, Math.floor(BLOCK_BYTES / (4 * dimensions))),
): VectorBlock {
  return {
    ids: new Int32Array(new SharedArrayBuffer(4 * capacity)),
    values: new Float32Array(new SharedArrayBuffer(4 * dimensions * capacity)),
    lengths: new Float64Array(new SharedArrayBuffer(8 * capacity)),
    count: 0,
  }
}

export function measureBlock({ ids, values, lengths }: VectorBlock): number {
  return ids.byteLength + values.byteLength + lengths.byteLength
}

export function measureLength(values: Float32Array, start = 0, end = values.length): number {
  let sum = 0
  for (let index = start; index < end; index++) sum += values[index]! * values[index]!
  return Math.sqrt(sum)
}

/** The place of a vector: its block, and its row there. */
export interface Place {
  block: VectorBlock
  row: number
}

/** Finds a vector by its number. */
export function findPlace(blocks: readonly VectorBlock[], id: number): Place | undefined {
  for (const block of blocks) {
    // Removed vectors have no number, so the rows are not in order.
    const row = block.ids.subarray(0, block.count).indexOf(id)
    if (row >= 0) return { block, row }
  }
  return undefined
}
