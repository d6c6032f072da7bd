import type { RoadGraph } from '../graph.ts'
import { NodeHeap } from '../heap.ts'
import { MODE_BIT, type Mode } from '../mode.ts'
import { buildProfile } from '../profile.ts'

/** How many landmarks the tables of each mode have at most. */
const DRIVE_LANDMARKS = 10
const OTHER_LANDMARKS = 6

/** What an arc costs along it (`forward`) or, for the way back, against it. */
type Direction = 'forward' | 'backward' | 'either'

/**
 * Measures how far all nodes are from a few that lie at the rim. By the triangle inequality that gives a lower bound of the
 * way between any two nodes, which lets a search look mainly where the target is.
 */
export function measureLandmarks(graph: RoadGraph, progress: (step: string) => void): void {
  const drive = measureMode(graph, 'drive', DRIVE_LANDMARKS, ['forward', 'backward'], progress)
  ;[graph.driveFrom, graph.driveTo] = [drive[0]!, drive[1]!]
  const truck = measureMode(graph, 'truck', OTHER_LANDMARKS, ['forward', 'backward'], progress)
  ;[graph.truckFrom, graph.truckTo] = [truck[0]!, truck[1]!]
  graph.walkBetween = measureMode(graph, 'walk', OTHER_LANDMARKS, ['either'], progress)[0]!
  graph.bikeBetween = measureMode(graph, 'bike', OTHER_LANDMARKS, ['either'], progress)[0]!
}

/** One table for each direction: the seconds of all landmarks, node by node. */
function measureMode(
  graph: RoadGraph,
  mode: Mode,
  maxCount: number,
  directions: readonly Direction[],
  progress: (step: string) => void,
): Float32Array[] {
  const seconds = buildProfile(graph.kinds, mode)
  const start = findInside(graph, mode)
  if (start === undefined) return directions.map(() => new Float32Array())
  const isInside = markInside(graph, mode)
  const measure = (node: number, direction: Direction) => measureAll(graph, turnProfile(seconds, direction), node)
  const chosen = [findFarthest([measure(start, directions[0]!)], isInside)]
  const tables: Float32Array[][] = directions.map(direction => [measure(chosen[0]!, direction)])
  while (chosen.length < maxCount) {
    progress(`measuring ways by ${mode}: ${chosen.length} of ${maxCount}`)
    const next = findFarthest(tables[0]!, isInside)
    if (chosen.includes(next)) break
    chosen.push(next)
    for (const [index, direction] of directions.entries()) tables[index]!.push(measure(next, direction))
  }
  return tables.map(interleave)
}

function findInside({ snappable, from }: RoadGraph, mode: Mode): number | undefined {
  const edge = snappable.findIndex(bits => (bits & MODE_BIT[mode]) !== 0)
  return edge < 0 ? undefined : from[edge]
}

function markInside({ snappable, from, to, first }: RoadGraph, mode: Mode): Uint8Array {
  const isInside = new Uint8Array(first.length - 1)
  for (let edge = 0; edge < from.length; edge++)
    if (snappable[edge]! & MODE_BIT[mode]) isInside[from[edge]!] = isInside[to[edge]!] = 1
  return isInside
}

/** The node that is farthest from the nearest of those measured. */
function findFarthest(tables: readonly Float32Array[], isInside: Uint8Array): number {
  let [farthest, most] = [0, -1]
  for (let node = 0; node < isInside.length; node++) {
    if (!isInside[node]) continue
    let least = Infinity
    for (const table of tables) least = Math.min(least, table[node]!)
    if (least < Infinity && least > most) [farthest, most] = [node, least]
  }
  return farthest
}

function interleave(tables: readonly Float32Array[]): Float32Array {
  const count = tables.length
  const all = new Float32Array(tables[0]!.length * count)
  for (const [index, table] of tables.entries())
    for (let node = 0; node < table.length; node++) all[node * count + index] = table[node]!
  return all
}

/** Seconds per metre as the search in a direction counts them. */
function turnProfile(seconds: Float32Array, direction: Direction): Float32Array {
  if (direction === 'forward') return seconds
  return seconds.map((along, index) =>
    direction === 'backward' ? seconds[index ^ 1]! : Math.min(along, seconds[index ^ 1]!),
  )
}

/** The seconds of the quickest way from a node to all others, or from all others to it. */
function measureAll(
  { first, neighbour, arcLength, arcKind }: RoadGraph,
  seconds: Float32Array,
  start: number,
): Float32Array {
  const best = new Float64Array(first.length - 1).fill(Infinity)
  const heap = new NodeHeap()
  best[start] = 0
  heap.push(0, start)
  while (heap.size > 0) {
    const key = heap.minKey()
    const node = heap.pop()
    if (key > best[node]!) continue
    for (let at = first[node]!; at < first[node + 1]!; at++) {
      const total = key + arcLength[at]! * seconds[arcKind[at]!]!
      const next = neighbour[at]!
      if (total >= best[next]!) continue
      best[next] = total
      heap.push(total, next)
    }
  }
  return Float32Array.from(best)
}
