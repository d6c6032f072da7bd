import type { Snapped } from './cells.ts'
import type { RoadGraph } from './graph.ts'
import { NodeHeap } from './heap.ts'
import type { Mode } from './mode.ts'

/** A stretch of an edge that a route takes: shares of its length, from `start` to `end`. */
export interface Stretch {
  edge: number
  start: number
  end: number
}

export interface Path {
  stretches: Stretch[]
  /** As the search counts them, with penalties. */
  cost: number
}

/** Seconds per metre by kind and direction, and what makes some edges dearer to this search. */
export interface Costs {
  seconds: Float32Array
  mode: Mode
  penalty?: ReadonlyMap<number, number>
}

const ACTIVE_LANDMARKS = 4
/** The seconds from landmarks and to them, by which the rest of a way is estimated. */
const TABLES: Readonly<Record<Mode, (graph: RoadGraph) => [out: Float32Array, back: Float32Array]>> = {
  drive: ({ driveFrom, driveTo }) => [driveFrom, driveTo],
  truck: ({ truckFrom, truckTo }) => [truckFrom, truckTo],
  walk: ({ walkBetween }) => [walkBetween, walkBetween],
  bike: ({ bikeBetween }) => [bikeBetween, bikeBetween],
}
const NONE = 0xffffffff

/** An end of the edge on which the target lies, and what is left from there. */
interface Goal {
  node: number
  cost: number
}

/**
 * Finds quickest ways through a graph by A* with landmarks. It keeps its arrays between searches, so one searcher does one
 * search at a time.
 */
export class Searcher {
  readonly #graph: RoadGraph
  readonly #best: Float64Array
  /** The number of the search that a node was last reached in, so that nothing needs to be cleared. */
  readonly #reachedIn: Uint32Array
  readonly #arrivedBy: Uint32Array
  /** The bound of each node that was reached. */
  readonly #rest: Float64Array
  readonly #heap = new NodeHeap()
  #search = 0
  /** Nodes whose arcs the last search has looked at. */
  visited = 0

  constructor(graph: RoadGraph) {
    const count = graph.first.length - 1
    this.#graph = graph
    this.#best = new Float64Array(count)
    this.#reachedIn = new Uint32Array(count)
    this.#arrivedBy = new Uint32Array(count)
    this.#rest = new Float64Array(count)
  }

  /** The quickest way between two places on roads; undefined if there is none. */
  find(from: Snapped, to: Snapped, costs: Costs): Path | undefined {
    const direct = this.#findOnEdge(from, to, costs)
    const goals = this.#listGoals(to, costs)
    if (goals.length === 0) return direct
    this.#begin()
    const bound = this.#chooseBound(from, goals, costs.mode)
    this.#leaveEdge(from, costs, bound)
    const end = this.#run(goals, costs, bound, direct?.cost ?? Infinity)
    return end === undefined ? direct : this.#trace(from, to, end)
  }

  /** The quickest ways from one place to many: one search that widens until all are reached. */
  findAll(from: Snapped, targets: readonly Snapped[], costs: Costs): (Path | undefined)[] {
    const goals = targets.map(target => this.#listGoals(target, costs))
    const waiting = new Map<number, number>()
    for (const { node } of goals.flat()) waiting.set(node, (waiting.get(node) ?? 0) + 1)
    this.#begin()
    this.#leaveEdge(from, costs, () => 0)
    while (this.#heap.size > 0 && waiting.size > 0) {
      const key = this.#heap.minKey()
      const node = this.#heap.pop()
      if (key > this.#best[node]!) continue
      waiting.delete(node)
      this.#expand(node, key, costs, () => 0)
    }
    return targets.map((target, index) => this.#chooseEnd(from, target, goals[index]!, costs))
  }

  #chooseEnd(from: Snapped, to: Snapped, goals: readonly Goal[], costs: Costs): Path | undefined {
    const direct = this.#findOnEdge(from, to, costs)
    const reached = goals.filter(({ node }) => this.#reachedIn[node] === this.#search)
    const total = ({ node, cost }: Goal) => this.#best[node]! + cost
    const [best] = reached.sort((one, other) => total(one) - total(other))
    return best && total(best) < (direct?.cost ?? Infinity) ? this.#trace(from, to, best) : direct
  }

  #begin(): void {
    this.#search += 1
    this.#heap.clear()
    this.visited = 0
  }

  #findOnEdge(from: Snapped, to: Snapped, costs: Costs): Path | undefined {
    if (from.edge !== to.edge) return undefined
    const share = to.share - from.share
    const cost = share === 0 ? 0 : this.#measure(from.edge, share < 0 ? 1 : 0, Math.abs(share), costs)
    if (cost === Infinity) return undefined
    return { stretches: [{ edge: from.edge, start: from.share, end: to.share }], cost }
  }

  /** What a share of an edge costs; direction 1 is against it. */
  #measure(edge: number, direction: number, share: number, { seconds, penalty }: Costs): number {
    // At its end an edge may be left or reached whatever its direction.
    if (share === 0) return 0
    const perMetre = seconds[2 * this.#graph.kind[edge]! + direction]!
    return perMetre === Infinity ? Infinity : perMetre * this.#graph.length[edge]! * share * (penalty?.get(edge) ?? 1)
  }

  #listGoals({ edge, share }: Snapped, costs: Costs): Goal[] {
    const { from, to } = this.#graph
    const goals = [
      { node: from[edge]!, cost: this.#measure(edge, 0, share, costs) },
      { node: to[edge]!, cost: this.#measure(edge, 1, 1 - share, costs) },
    ]
    return goals.filter(({ cost }) => cost < Infinity)
  }

  #leaveEdge({ edge, share }: Snapped, costs: Costs, bound: (node: number) => number): void {
    const { from, to } = this.#graph
    this.#reach(to[edge]!, this.#measure(edge, 0, 1 - share, costs), NONE, bound)
    this.#reach(from[edge]!, this.#measure(edge, 1, share, costs), NONE, bound)
  }

  #reach(node: number, cost: number, arc: number, bound: (node: number) => number): void {
    if (cost === Infinity) return
    if (this.#reachedIn[node] !== this.#search) {
      this.#reachedIn[node] = this.#search
      this.#rest[node] = bound(node)
    } else if (cost >= this.#best[node]!) return
    this.#best[node] = cost
    this.#arrivedBy[node] = arc
    // From a node whose bound is infinite the target cannot be reached.
    if (this.#rest[node]! < Infinity) this.#heap.push(cost + this.#rest[node]!, node)
  }

  /** Gives the end of the target's edge by which the quickest way arrives, if one is quicker than `limit`. */
  #run(goals: readonly Goal[], costs: Costs, bound: (node: number) => number, limit: number): Goal | undefined {
    let [found, least] = [undefined as Goal | undefined, limit]
    while (this.#heap.size > 0 && this.#heap.minKey() < least) {
      const key = this.#heap.minKey()
      const node = this.#heap.pop()
      const cost = this.#best[node]!
      if (key > cost + this.#rest[node]!) continue
      for (const goal of goals)
        if (goal.node === node && cost + goal.cost < least) [found, least] = [goal, cost + goal.cost]
      this.#expand(node, cost, costs, bound)
    }
    return found
  }

  #expand(node: number, cost: number, { seconds, penalty }: Costs, bound: (node: number) => number): void {
    const { first, neighbour, arc, arcLength, arcKind } = this.#graph
    this.visited += 1
    for (let at = first[node]!; at < first[node + 1]!; at++) {
      const perMetre = seconds[arcKind[at]!]!
      if (perMetre === Infinity) continue
      const factor = penalty?.get(arc[at]! >> 1) ?? 1
      this.#reach(neighbour[at]!, cost + arcLength[at]! * perMetre * factor, arc[at]!, bound)
    }
  }

  #trace(from: Snapped, to: Snapped, goal: Goal): Path {
    const { from: starts, to: ends } = this.#graph
    const stretches: Stretch[] = [{ edge: to.edge, start: goal.node === starts[to.edge] ? 0 : 1, end: to.share }]
    let node = goal.node
    for (let arc = this.#arrivedBy[node]!; arc !== NONE; arc = this.#arrivedBy[node]!) {
      const [edge, direction] = [arc >>> 1, arc & 1]
      stretches.push({ edge, start: direction, end: 1 - direction })
      node = direction === 0 ? starts[edge]! : ends[edge]!
    }
    stretches.push({ edge: from.edge, start: from.share, end: node === ends[from.edge] ? 1 : 0 })
    const path = stretches.reverse().filter(({ start, end }) => start !== end)
    return { stretches: path.length > 0 ? path : stretches.slice(0, 1), cost: this.#best[goal.node]! + goal.cost }
  }

  /** A lower bound of the rest of the way from any node, by the landmarks that are best for this pair. */
  #chooseBound({ edge }: Snapped, goals: readonly Goal[], mode: Mode): (node: number) => number {
    const graph = this.#graph
    const [out, back] = TABLES[mode](graph)
    const count = out.length / this.#best.length
    if (count === 0) return () => 0
    const start = graph.from[edge]!
    const bounds = goals.map(goal => this.#boundOf(out, back, count, start, goal))
    const [one, other] = bounds
    return other ? node => Math.min(one!(node), other(node)) : one!
  }

  #boundOf(out: Float32Array, back: Float32Array, count: number, start: number, goal: Goal): (node: number) => number {
    const score = (index: number) =>
      Math.max(
        out[goal.node * count + index]! - out[start * count + index]!,
        back[start * count + index]! - back[goal.node * count + index]!,
      )
    const active = Array.from({ length: count }, (_, index) => index)
      .sort((one, other) => score(other) - score(one))
      .slice(0, ACTIVE_LANDMARKS)
    const chosen = Uint8Array.from(active)
    const outGoal = Float64Array.from(active, index => out[goal.node * count + index]!)
    const backGoal = Float64Array.from(active, index => back[goal.node * count + index]!)
    return node => {
      let least = 0
      const row = node * count
      for (let at = 0; at < chosen.length; at++) {
        const index = row + chosen[at]!
        const [before, after] = [outGoal[at]! - out[index]!, back[index]! - backGoal[at]!]
        if (before > least) least = before
        if (after > least) least = after
      }
      return least + goal.cost
    }
  }
}
