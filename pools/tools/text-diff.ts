import { diffArrays } from 'diff'
import { Problem } from '#kit'
import type { JobContext } from '../job-context.ts'

export function bind(context: JobContext) {
  return { findMatches: (left: Int32Array, right: Int32Array) => findMatches(left, right, context) }
}

/** Left for building the answer after the comparison. */
const RESERVE_MS = 2000

/**
 * A longest common subsequence of two number lists, as pairs of an index in `left` and an index in `right`. Numbers
 * that occur on one side only are removed first, so that comparing two entirely different texts is cheap.
 */
async function findMatches(left: Int32Array, right: Int32Array, context: JobContext): Promise<Int32Array> {
  const [leftIndexes, rightIndexes] = [findShared(left, new Set(right)), findShared(right, new Set(left))]
  const timeoutMs = Math.max(1, context.deadlineMs - performance.now() - RESERVE_MS)
  const changes = diffArrays(
    leftIndexes.map(index => left[index]!),
    rightIndexes.map(index => right[index]!),
    { timeout: timeoutMs },
  )
  if (!changes) throw new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: context.limitSeconds })
  const pairs: number[] = []
  let [leftStart, rightStart] = [0, 0]
  for (const { added, removed, count = 0 } of changes) {
    if (!added && !removed) {
      for (let step = 0; step < count; step++)
        pairs.push(leftIndexes[leftStart + step]!, rightIndexes[rightStart + step]!)
    }
    if (!added) leftStart += count
    if (!removed) rightStart += count
  }
  return Int32Array.from(pairs)
}

function findShared(items: Int32Array, other: ReadonlySet<number>): number[] {
  const indexes: number[] = []
  for (const [index, item] of items.entries()) if (other.has(item)) indexes.push(index)
  return indexes
}
