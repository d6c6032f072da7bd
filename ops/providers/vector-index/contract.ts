/** A namespace of a vector baton, as an index tells it from others. */
export interface VectorSpace {
  batonId: string
  namespace: string
  metric: 'cosine' | 'dot' | 'l2'
  dimensions: number
}

export interface IndexedVector {
  /** It never stands for other floats, so that writing a vector twice changes nothing. */
  number: number
  floats: Float32Array
  metadata: Record<string, unknown>
}

export interface NearestSearch {
  query: Float32Array
  limit: number
  /** What the metadata must be: as the caller has written it, and as a path that Postgres can test. */
  filter?: { written: Record<string, unknown>; path: string } | undefined
}

/**
 * Finds some of the nearest vectors of a large namespace. It holds copies: what it has too much, or too few of to answer, is no
 * error, because whoever asks compares its answer with the vectors themselves. What was put and settled has to be found.
 */
export interface VectorIndex {
  name: string
  /** Of more dimensions it has no index. */
  maxDimensions: number
  put(space: VectorSpace, vectors: readonly IndexedVector[], signal: AbortSignal): Promise<void>
  /** Waits until what was put is found. Without it, that is so as soon as it was put. */
  settle?(space: VectorSpace, signal: AbortSignal): Promise<void>
  remove(space: VectorSpace, numbers: readonly number[], signal: AbortSignal): Promise<void>
  /** Makes what was put quick to search. */
  build(space: VectorSpace, signal: AbortSignal): Promise<void>
  /** Numbers of vectors that pass the filter. Undefined: the filter cannot be said in the words of this index. */
  findNearest(space: VectorSpace, search: NearestSearch): Promise<number[] | undefined>
  drop(space: VectorSpace, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}
