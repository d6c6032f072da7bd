import type { Tags } from '../../../formats/osm/element.ts'
import { buildCells } from '../cells.ts'
import { DEGREE, type RoadGraph } from '../graph.ts'
import { type RoadKind, readRoadKind } from '../kind.ts'
import { measureDistance } from '../sphere.ts'
import type { RoadCollection } from './collect.ts'
import { markComponents } from './components.ts'
import { measureLandmarks } from './landmarks.ts'
import { Numbers } from './numbers.ts'
import { orderBySpace } from './space-order.ts'

const MAX_KINDS = 32_767
/** The search takes no edge for free, or it could go round for ever. */
const MIN_LENGTH_M = 0.1

type Points = RoadCollection['points']
type Progress = (step: string) => void

/** Builds the graph of a collection: crossings become nodes, the stretches between them edges. */
export function buildGraph(collection: RoadCollection, progress: Progress = () => undefined): RoadGraph {
  const { points } = collection
  progress('cutting roads at crossings')
  const edges = new EdgeList(points)
  const useCounts = countUses(collection, points)
  for (const { tags, nodes } of collection.ways())
    for (const run of splitAtGaps(nodes, points)) edges.addRun(run, tags, useCounts)
  if (edges.count === 0) throw new RangeError('The file has no roads.')
  progress(`linking ${edges.count} stretches of road`)
  const graph = linkEdges(edges, points)
  progress('finding networks')
  markComponents(graph)
  buildCells(graph)
  measureLandmarks(graph, progress)
  return graph
}

/** A node that several ways use, or that one ends at, is a crossing: it counts 2 or more. */
function countUses(collection: RoadCollection, points: Points): Uint8Array {
  const counts = new Uint8Array(points.lat.length)
  for (const { nodes } of collection.ways()) {
    for (const run of splitAtGaps(nodes, points)) {
      for (const node of run) counts[node] = Math.min(2, counts[node]! + 1)
      counts[run[0]!] = counts[run.at(-1)!] = 2
    }
  }
  return counts
}

/** Extracts lack the nodes beyond their border; the way is cut there. */
function* splitAtGaps(nodes: Uint32Array, { isPlaced }: Points): Generator<Uint32Array> {
  let start = 0
  for (let at = 0; at <= nodes.length; at++) {
    if (at < nodes.length && isPlaced[nodes[at]!]) continue
    if (at - start >= 2) yield nodes.subarray(start, at)
    start = at + 1
  }
}

class EdgeList {
  readonly from = new Numbers()
  readonly to = new Numbers()
  readonly length = new Numbers()
  readonly kind = new Numbers()
  readonly name = new Numbers()
  readonly shapeFirst = new Numbers([0])
  readonly shape = new Numbers()
  readonly kinds: RoadKind[] = []
  readonly names: string[] = ['']
  readonly #kindIndex = new Map<string, number>()
  readonly #nameIndex = new Map([['', 0]])
  readonly #points: Points

  constructor(points: Points) {
    this.#points = points
  }

  get count(): number {
    return this.from.length
  }

  addRun(run: Uint32Array, tags: Tags, useCounts: Uint8Array): void {
    const kind = this.#findKind(tags, tags.route === 'ferry' ? this.#measure(run, 0, run.length - 1) : 0)
    if (kind === undefined) return
    const name = intern(tags.name ?? tags.ref ?? '', this.#nameIndex, this.names)
    let start = 0
    for (let at = 1; at < run.length; at++) {
      if (useCounts[run[at]!]! < 2) continue
      this.#add(run, start, at, kind, name)
      start = at
    }
  }

  #add(run: Uint32Array, start: number, end: number, kind: number, name: number): void {
    const { lat, lng } = this.#points
    this.from.push(run[start]!)
    this.to.push(run[end]!)
    this.length.push(Math.max(MIN_LENGTH_M, this.#measure(run, start, end)))
    this.kind.push(kind)
    this.name.push(name)
    for (let at = start + 1; at < end; at++) {
      this.shape.push(lat[run[at]!]!)
      this.shape.push(lng[run[at]!]!)
    }
    this.shapeFirst.push(this.shape.length / 2)
  }

  #measure(run: Uint32Array, start: number, end: number): number {
    const { lat, lng } = this.#points
    const read = (node: number) => ({ lat: lat[node]! / DEGREE, lng: lng[node]! / DEGREE })
    let metres = 0
    for (let at = start; at < end; at++) metres += measureDistance(read(run[at]!), read(run[at + 1]!))
    return metres
  }

  #findKind(tags: Tags, lengthM: number): number | undefined {
    const kind = readRoadKind(tags, lengthM)
    if (!kind) return undefined
    const index = intern(JSON.stringify(kind), this.#kindIndex, [], () => this.kinds.push(kind))
    if (index > MAX_KINDS) throw new RangeError('The file has too many kinds of roads.')
    return index
  }
}

function intern(text: string, index: Map<string, number>, list: string[], added?: () => void): number {
  const known = index.get(text)
  if (known !== undefined) return known
  const next = index.size
  index.set(text, next)
  list.push(text)
  added?.()
  return next
}

function linkEdges(edges: EdgeList, points: Points): RoadGraph {
  const { nodeOf, order } = orderBySpace([edges.from.view(), edges.to.view()], points)
  const from = Uint32Array.from(edges.from.view(), point => nodeOf[point]!)
  const to = Uint32Array.from(edges.to.view(), point => nodeOf[point]!)
  const lat = Int32Array.from(order, point => points.lat[point]!)
  const lng = Int32Array.from(order, point => points.lng[point]!)
  const [length, kind] = [Float32Array.from(edges.length.view()), Uint16Array.from(edges.kind.view())]
  const shape = Int32Array.from(edges.shape.view())
  const arcs = buildArcs({ from, to, length, kind }, order.length)
  return {
    ...{ lat, lng, from, to, length, kind, ...arcs, kinds: edges.kinds, bounds: findBounds(lat, lng, shape) },
    name: Uint32Array.from(edges.name.view()),
    shapeFirst: Uint32Array.from(edges.shapeFirst.view()),
    shape,
    ...encodeNames(edges.names),
    ...{ snappable: new Uint8Array(from.length), cell: new Uint32Array(), cellFirst: new Uint32Array() },
    ...{ cellEdge: new Uint32Array(), driveFrom: new Float32Array(), driveTo: new Float32Array() },
    ...{ truckFrom: new Float32Array(), truckTo: new Float32Array() },
    ...{ walkBetween: new Float32Array(), bikeBetween: new Float32Array() },
  }
}

function encodeNames(names: readonly string[]): Pick<RoadGraph, 'nameFirst' | 'nameBytes'> {
  const encoded = names.map(name => Buffer.from(name))
  const nameFirst = new Uint32Array(names.length + 1)
  for (const [index, { length }] of encoded.entries()) nameFirst[index + 1] = nameFirst[index]! + length
  return { nameFirst, nameBytes: new Uint8Array(Buffer.concat(encoded)) }
}

function buildArcs(
  { from, to, length, kind }: Pick<RoadGraph, 'from' | 'to' | 'length' | 'kind'>,
  nodeCount: number,
): Pick<RoadGraph, 'first' | 'neighbour' | 'arc' | 'arcLength' | 'arcKind'> {
  const first = new Uint32Array(nodeCount + 1)
  for (const node of from) first[node + 1]! += 1
  for (const node of to) first[node + 1]! += 1
  for (let node = 0; node < nodeCount; node++) first[node + 1]! += first[node]!
  const next = first.slice()
  const count = from.length * 2
  const [neighbour, arc] = [new Uint32Array(count), new Uint32Array(count)]
  const [arcLength, arcKind] = [new Float32Array(count), new Uint16Array(count)]
  for (let edge = 0; edge < from.length; edge++) {
    for (const direction of [0, 1]) {
      const [start, end] = direction === 0 ? [from[edge]!, to[edge]!] : [to[edge]!, from[edge]!]
      const at = next[start]!++
      neighbour[at] = end
      arc[at] = 2 * edge + direction
      arcLength[at] = length[edge]!
      arcKind[at] = 2 * kind[edge]! + direction
    }
  }
  return { first, neighbour, arc, arcLength, arcKind }
}

function findBounds(lat: Int32Array, lng: Int32Array, shape: Int32Array): RoadGraph['bounds'] {
  const bounds: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let node = 0; node < lat.length; node++) widen(bounds, lat[node]!, lng[node]!)
  for (let at = 0; at < shape.length; at += 2) widen(bounds, shape[at]!, shape[at + 1]!)
  const [west, south, east, north] = bounds
  return [west / DEGREE, south / DEGREE, east / DEGREE, north / DEGREE]
}

function widen(bounds: [number, number, number, number], lat: number, lng: number): void {
  if (lng < bounds[0]) bounds[0] = lng
  if (lat < bounds[1]) bounds[1] = lat
  if (lng > bounds[2]) bounds[2] = lng
  if (lat > bounds[3]) bounds[3] = lat
}
