import type { RoadKind } from './kind.ts'
import type { LatLng } from './sphere.ts'

/** Coordinates are stored as whole numbers of this part of a degree. */
export const DEGREE = 1e7

/** The arrays of a graph, by name, with the type of each. All may lie in shared memory. */
const SECTIONS = {
  /** Of the nodes, which are the crossings and ends of roads. */
  lat: Int32Array,
  lng: Int32Array,
  /** Where the arcs of each node begin. Every edge is an arc of both of its ends. */
  first: Uint32Array,
  neighbour: Uint32Array,
  /** 2 * edge, and 1 more if the arc leaves from the end of the edge. */
  arc: Uint32Array,
  arcLength: Float32Array,
  /** 2 * kind, and 1 more if the arc goes against the edge. */
  arcKind: Uint16Array,
  from: Uint32Array,
  to: Uint32Array,
  length: Float32Array,
  kind: Uint16Array,
  name: Uint32Array,
  /** Where the points between the ends of each edge begin in `shape`, which has their lat and lng. */
  shapeFirst: Uint32Array,
  shape: Int32Array,
  /** Bits of the modes for which both ends of an edge are in the largest network. */
  snappable: Uint8Array,
  /** Squares of the map that have roads, in order, and their edges. */
  cell: Uint32Array,
  cellFirst: Uint32Array,
  cellEdge: Uint32Array,
  /** Names in UTF-8, one after another; name 0 is empty. */
  nameFirst: Uint32Array,
  nameBytes: Uint8Array,
  /** Seconds between landmarks and each node: from the landmark and to it by car or truck, either way on foot and by bike. */
  driveFrom: Float32Array,
  driveTo: Float32Array,
  truckFrom: Float32Array,
  truckTo: Float32Array,
  walkBetween: Float32Array,
  bikeBetween: Float32Array,
} as const

/** The type of an array over any memory, shared or not. */
type OverAny<Values> = Values extends Float32Array
  ? Float32Array
  : Values extends Int32Array
    ? Int32Array
    : Values extends Uint32Array
      ? Uint32Array
      : Values extends Uint16Array
        ? Uint16Array
        : Uint8Array

type Sections = { -readonly [Name in keyof typeof SECTIONS]: OverAny<InstanceType<(typeof SECTIONS)[Name]>> }

export interface RoadGraph extends Sections {
  kinds: readonly RoadKind[]
  /** West, south, east and north. */
  bounds: readonly [number, number, number, number]
}

/** All of a graph but its arrays, of which it has the lengths. */
export interface GraphManifest {
  version: 1
  kinds: readonly RoadKind[]
  bounds: RoadGraph['bounds']
  lengths: Record<keyof Sections, number>
}

const NAMES = Object.keys(SECTIONS) as (keyof Sections)[]

export function describeGraph(graph: RoadGraph): GraphManifest {
  const lengths = Object.fromEntries(NAMES.map(name => [name, graph[name].length])) as GraphManifest['lengths']
  return { version: 1, kinds: graph.kinds, bounds: graph.bounds, lengths }
}

/** The bytes of all arrays, one after another, in parts of at most `partBytes`. */
export function* encodeGraph(graph: RoadGraph, partBytes: number): Generator<Uint8Array> {
  for (const name of NAMES) {
    const { buffer, byteOffset, byteLength } = graph[name]
    for (let at = 0; at < byteLength; at += partBytes)
      yield new Uint8Array(buffer, byteOffset + at, Math.min(partBytes, byteLength - at))
  }
}

/** Puts a graph together from its parts, in memory that threads can share. */
export async function decodeGraph(manifest: GraphManifest, parts: AsyncIterable<Uint8Array>): Promise<RoadGraph> {
  if (manifest.version !== 1) throw new Error('the roads were loaded by another release; load them again')
  const entries = NAMES.map(name => {
    const array = SECTIONS[name]
    const length = manifest.lengths[name]
    return [name, new array(new SharedArrayBuffer(length * array.BYTES_PER_ELEMENT) as never)] as const
  })
  const targets = entries.map(([, { buffer }]) => new Uint8Array(buffer))
  let [index, at] = [0, 0]
  for await (const part of parts) {
    while (index < targets.length && at === targets[index]!.length) [index, at] = [index + 1, 0]
    targets[index]!.set(part, at)
    at += part.length
  }
  if (!isEmptyFrom(targets, index, at)) throw new Error('the stored roads are not whole')
  return { ...(Object.fromEntries(entries) as unknown as Sections), kinds: manifest.kinds, bounds: manifest.bounds }
}

function isEmptyFrom(targets: readonly Uint8Array[], index: number, at: number): boolean {
  return at === targets[index]!.length && targets.slice(index + 1).every(({ length }) => length === 0)
}

export function readNode({ lat, lng }: RoadGraph, node: number): LatLng {
  return { lat: lat[node]! / DEGREE, lng: lng[node]! / DEGREE }
}

/** The points of an edge in its direction, ends included. */
export function readShape(graph: RoadGraph, edge: number): LatLng[] {
  const { shape, shapeFirst, from, to } = graph
  const points = [readNode(graph, from[edge]!)]
  for (let at = shapeFirst[edge]!; at < shapeFirst[edge + 1]!; at++)
    points.push({ lat: shape[2 * at]! / DEGREE, lng: shape[2 * at + 1]! / DEGREE })
  points.push(readNode(graph, to[edge]!))
  return points
}

const decoder = new TextDecoder()

export function readName({ nameFirst, nameBytes, name }: RoadGraph, edge: number): string {
  const index = name[edge]!
  // A decoder does not read shared memory.
  return decoder.decode(nameBytes.slice(nameFirst[index], nameFirst[index + 1]).slice())
}
