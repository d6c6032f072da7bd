import type { RoadGraph } from '../graph.ts'
import { MODE_BIT, MODES } from '../mode.ts'
import { buildProfile } from '../profile.ts'

/**
 * Marks, for each mode, the edges of the largest network in which every place can be reached from every other one. Only
 * they can be the start or the end of a route, so that none begins on an island of a few roads.
 */
export function markComponents(graph: RoadGraph): void {
  for (const mode of MODES) {
    const seconds = buildProfile(graph.kinds, mode)
    const component = findComponents(graph, seconds)
    const largest = findLargest(component)
    for (let edge = 0; edge < graph.from.length; edge++) {
      const kind = 2 * graph.kind[edge]!
      const isOpen = seconds[kind]! < Infinity || seconds[kind + 1]! < Infinity
      const isInside = component[graph.from[edge]!] === largest && component[graph.to[edge]!] === largest
      if (isOpen && isInside) graph.snappable[edge]! |= MODE_BIT[mode]
    }
  }
}

/** Strongly connected components by Tarjan's algorithm, without recursion: the number of each node's component. */
function findComponents(graph: RoadGraph, seconds: Float32Array): Uint32Array {
  const walk = new ComponentWalk(graph, seconds)
  const count = graph.first.length - 1
  const path = new Uint32Array(count)
  for (let root = 0; root < count; root++) {
    if (walk.isVisited(root)) continue
    let depth = 0
    path[0] = root
    walk.enter(root)
    while (depth >= 0) {
      const node = path[depth]!
      const child = walk.nextUnvisited(node)
      if (child >= 0) {
        path[++depth] = child
        walk.enter(child)
        continue
      }
      walk.leave(node)
      depth -= 1
      if (depth >= 0) walk.inherit(path[depth]!, node)
    }
  }
  return walk.component
}

class ComponentWalk {
  readonly component: Uint32Array
  readonly #graph: RoadGraph
  readonly #seconds: Float32Array
  readonly #visit: Uint32Array
  readonly #low: Uint32Array
  readonly #nextArc: Uint32Array
  readonly #open: Uint32Array
  #visits = 0
  #components = 0
  #openSize = 0

  constructor(graph: RoadGraph, seconds: Float32Array) {
    const count = graph.first.length - 1
    this.#graph = graph
    this.#seconds = seconds
    this.component = new Uint32Array(count)
    this.#visit = new Uint32Array(count)
    this.#low = new Uint32Array(count)
    this.#open = new Uint32Array(count)
    this.#nextArc = graph.first.slice(0, count)
  }

  isVisited(node: number): boolean {
    return this.#visit[node] !== 0
  }

  enter(node: number): void {
    this.#visit[node] = this.#low[node] = ++this.#visits
    this.#open[this.#openSize++] = node
  }

  /** A neighbour that was not visited yet, or -1 when the arcs of the node are done. */
  nextUnvisited(node: number): number {
    const { first, neighbour, arcKind } = this.#graph
    while (this.#nextArc[node]! < first[node + 1]!) {
      const at = this.#nextArc[node]!++
      const other = neighbour[at]!
      if (this.#seconds[arcKind[at]!] === Infinity || this.component[other]) continue
      if (!this.#visit[other]) return other
      this.#low[node] = Math.min(this.#low[node]!, this.#visit[other]!)
    }
    return -1
  }

  /** The first node of a component closes it. */
  leave(node: number): void {
    if (this.#low[node] !== this.#visit[node]) return
    this.#components += 1
    let member: number
    do {
      member = this.#open[--this.#openSize]!
      this.component[member] = this.#components
    } while (member !== node)
  }

  inherit(node: number, child: number): void {
    this.#low[node] = Math.min(this.#low[node]!, this.#low[child]!)
  }
}

function findLargest(component: Uint32Array): number {
  const sizes = new Uint32Array(component.length + 1)
  for (const number of component) sizes[number]! += 1
  let largest = 0
  for (let number = 1; number < sizes.length; number++) if (sizes[number]! > sizes[largest]!) largest = number
  return largest
}
