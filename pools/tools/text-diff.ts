import { diffArrays } from 'diff'
import { Problem } from '#kit'
import type { JobRoom } from '../job-room.ts'

export function bind(room: JobRoom) {
  return { matches: (left: Int32Array, right: Int32Array) => matches(left, right, room) }
}

/** What the answer still needs after the comparison. */
const RESERVE_MS = 2000

/**
 * A longest common subsequence of two rows of numbers: the places in `left` and in `right`, pair by pair. What stands
 * on one side only is left out beforehand, so that two texts with nothing in common cost nothing.
 */
async function matches(left: Int32Array, right: Int32Array, room: JobRoom): Promise<Int32Array> {
  const [leftPlaces, rightPlaces] = [placesIn(left, new Set(right)), placesIn(right, new Set(left))]
  const timeout = Math.max(1, room.deadlineMs - performance.now() - RESERVE_MS)
  const changes = diffArrays(
    leftPlaces.map(place => left[place]!),
    rightPlaces.map(place => right[place]!),
    { timeout },
  )
  if (!changes) throw new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: room.limitSeconds })
  const pairs: number[] = []
  let [from, to] = [0, 0]
  for (const { added, removed, count = 0 } of changes) {
    if (!added && !removed) {
      for (let step = 0; step < count; step++) pairs.push(leftPlaces[from + step]!, rightPlaces[to + step]!)
    }
    if (!added) from += count
    if (!removed) to += count
  }
  return Int32Array.from(pairs)
}

function placesIn(row: Int32Array, other: ReadonlySet<number>): number[] {
  const places: number[] = []
  for (const [place, item] of row.entries()) if (other.has(item)) places.push(place)
  return places
}
