import { type RoadGraph, readName, readShape } from '../graph.ts'
import type { RoadKind } from '../kind.ts'
import type { Stretch } from '../search.ts'
import { type LatLng, measureBearing, measureDistance } from '../sphere.ts'

/** A stretch of a route as it is described. */
export interface Piece {
  edge: number
  name: string
  kind: RoadKind
  points: LatLng[]
  distanceM: number
  durationSec: number
  /** The node that it ends at, if it ends at one. */
  endNode: number | undefined
}

export function describeStretch(graph: RoadGraph, { edge, start, end }: Stretch, seconds: Float32Array): Piece {
  const isForward = end > start
  const distanceM = graph.length[edge]! * Math.abs(end - start)
  const kind = graph.kind[edge]!
  const points = cutShape(readShape(graph, edge), Math.min(start, end), Math.max(start, end))
  return {
    ...{ edge, distanceM, name: readName(graph, edge), kind: graph.kinds[kind]! },
    durationSec: distanceM * seconds[2 * kind + (isForward ? 0 : 1)]!,
    points: isForward ? points : points.reverse(),
    endNode: end === 1 ? graph.to[edge] : end === 0 ? graph.from[edge] : undefined,
  }
}

/** The part of a line between two shares of its length. */
function cutShape(points: LatLng[], start: number, end: number): LatLng[] {
  if (start === 0 && end === 1) return points
  const lengths = points.slice(1).map((point, index) => measureDistance(points[index]!, point))
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const [from, to] = [start * total, end * total]
  const cut = [pointAt(points, lengths, from)]
  let passed = 0
  for (const [index, length] of lengths.entries()) {
    passed += length
    if (passed > from && passed < to) cut.push(points[index + 1]!)
  }
  cut.push(pointAt(points, lengths, to))
  return cut
}

function pointAt(points: readonly LatLng[], lengths: readonly number[], distanceM: number): LatLng {
  let rest = distanceM
  for (const [index, length] of lengths.entries()) {
    if (rest <= length) {
      const [from, to] = [points[index]!, points[index + 1]!]
      const share = length === 0 ? 0 : rest / length
      return { lat: from.lat + (to.lat - from.lat) * share, lng: from.lng + (to.lng - from.lng) * share }
    }
    rest -= length
  }
  return points.at(-1)!
}

/** The direction in which a piece begins, by its first few metres. */
export function bearingOfStart({ points }: Piece): number {
  return measureBearing(points[0]!, points[1] ?? points[0]!)
}

export function bearingOfEnd({ points }: Piece): number {
  return measureBearing(points.at(-2) ?? points.at(-1)!, points.at(-1)!)
}
