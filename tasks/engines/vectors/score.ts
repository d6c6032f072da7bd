import type { Metric, VectorBlock } from './block.ts'

export interface Scored {
  id: number
  score: number
}

interface Scan {
  blocks: readonly VectorBlock[]
  metric: Metric
  query: Float32Array
  /** Only these, in ascending order. */
  candidates?: Int32Array
  /** All but this one. */
  except?: number
}

/** Scores every vector. Higher is nearer for each metric. */
export function scoreAll({ blocks, metric, query, candidates, except }: Scan): Scored[] {
  const score = createScore(metric, query)
  const isCandidate = candidates ? createWalk(candidates) : () => true
  const scored: Scored[] = []
  for (const block of blocks) {
    for (let row = 0; row < block.count; row++) {
      const id = block.ids[row]!
      if (id !== 0 && id !== except && isCandidate(id)) scored.push({ id, score: score(block, row) })
    }
  }
  return scored
}

/** Whether a number is among those, for numbers that ascend from call to call. */
function createWalk(sorted: Int32Array): (id: number) => boolean {
  let next = 0
  return id => {
    while (next < sorted.length && sorted[next]! < id) next += 1
    return sorted[next] === id
  }
}

function createScore(metric: Metric, query: Float32Array): (block: VectorBlock, row: number) => number {
  const dimensions = query.length
  if (metric === 'l2') return ({ values }, row) => 1 / (1 + measureDistance(values, row * dimensions, query))
  if (metric === 'dot') return ({ values }, row) => dot(values, row * dimensions, query, 0, dimensions)
  const length = Math.sqrt(dot(query, 0, query, 0, dimensions))
  return ({ values, lengths }, row) =>
    clamp(dot(values, row * dimensions, query, 0, dimensions) / (lengths[row]! * length))
}

/** Four sums instead of one, so that the processor need not wait for the sum before. */
export function dot(one: Float32Array, start: number, other: Float32Array, from: number, count: number): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  const end = count - (count % 4)
  for (let index = 0; index < end; index += 4) {
    a += one[start + index]! * other[from + index]!
    b += one[start + index + 1]! * other[from + index + 1]!
    c += one[start + index + 2]! * other[from + index + 2]!
    d += one[start + index + 3]! * other[from + index + 3]!
  }
  for (let index = end; index < count; index++) a += one[start + index]! * other[from + index]!
  return a + b + c + d
}

function measureDistance(values: Float32Array, start: number, query: Float32Array): number {
  let sum = 0
  for (let index = 0; index < query.length; index++) {
    const difference = values[start + index]! - query[index]!
    sum += difference * difference
  }
  return Math.sqrt(sum)
}

/** Sums of rounded products may come to a little more than 1. */
export function clamp(cosine: number): number {
  return Math.min(1, Math.max(-1, cosine))
}

/** The best first; of equals the one that was stored first. */
export function compareScored(one: Scored, other: Scored): number {
  return other.score - one.score || one.id - other.id
}

/** The best so many, in order. */
export function pickBest(scored: readonly Scored[], count: number): Scored[] {
  if (count >= scored.length / 4) return scored.toSorted(compareScored).slice(0, count)
  const heap: Scored[] = []
  for (const candidate of scored) {
    if (heap.length < count) {
      heap.push(candidate)
      siftUp(heap, heap.length - 1)
    } else if (compareScored(candidate, heap[0]!) < 0) {
      heap[0] = candidate
      siftDown(heap)
    }
  }
  return heap.sort(compareScored)
}

/** The worst is at the root. */
function siftUp(heap: Scored[], from: number): void {
  let at = from
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (compareScored(heap[at]!, heap[parent]!) <= 0) return
    swap(heap, at, parent)
    at = parent
  }
}

function siftDown(heap: Scored[]): void {
  let at = 0
  for (;;) {
    const [left, right] = [2 * at + 1, 2 * at + 2]
    let worst = at
    if (left < heap.length && compareScored(heap[left]!, heap[worst]!) > 0) worst = left
    if (right < heap.length && compareScored(heap[right]!, heap[worst]!) > 0) worst = right
    if (worst === at) return
    swap(heap, at, worst)
    at = worst
  }
}

function swap(heap: Scored[], one: number, other: number): void {
  const kept = heap[one]!
  heap[one] = heap[other]!
  heap[other] = kept
}
