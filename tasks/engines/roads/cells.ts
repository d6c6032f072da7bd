import { Numbers } from './build/numbers.ts'
import { DEGREE, type RoadGraph, readShape } from './graph.ts'
import { MODE_BIT, type Mode } from './mode.ts'
import { findNearestOnStretch, type LatLng, METRES_OF_DEGREE } from './sphere.ts'

/** Squares of a hundredth of a degree. */
const CELL = DEGREE / 100
const COLUMNS = 36_000

/** Lists the edges of each square of the map. */
export function buildCells(graph: RoadGraph): void {
  const [cells, edges] = [new Numbers(), new Numbers()]
  for (let edge = 0; edge < graph.from.length; edge++) {
    for (const cell of listCells(readShape(graph, edge))) {
      cells.push(cell)
      edges.push(edge)
    }
  }
  const sorted = Uint32Array.from(cells.view()).sort()
  graph.cell = sorted.filter((cell, at) => at === 0 || cell !== sorted[at - 1])
  graph.cellFirst = new Uint32Array(graph.cell.length + 1)
  for (const cell of sorted) graph.cellFirst[findCell(graph.cell, cell) + 1]! += 1
  for (let at = 0; at < graph.cell.length; at++) graph.cellFirst[at + 1]! += graph.cellFirst[at]!
  const next = graph.cellFirst.slice()
  graph.cellEdge = new Uint32Array(sorted.length)
  for (const [at, cell] of cells.view().entries())
    graph.cellEdge[next[findCell(graph.cell, cell)]!++] = edges.view()[at]!
}

/** A long stretch is cut into pieces of at most a square, so that it is listed only where it passes. */
function listCells(points: readonly LatLng[]): Set<number> {
  const cells = new Set<number>()
  for (let at = 1; at < points.length; at++) {
    const [start, end] = [points[at - 1]!, points[at]!]
    const [rows, columns] = [Math.abs(end.lat - start.lat) * 100, Math.abs(end.lng - start.lng) * 100]
    const pieces = Math.ceil(Math.max(rows, columns, 0.001))
    for (let piece = 0; piece < pieces; piece++)
      addBox(cells, interpolate(start, end, piece / pieces), interpolate(start, end, (piece + 1) / pieces))
  }
  return cells
}

function addBox(cells: Set<number>, one: LatLng, other: LatLng): void {
  const [south, north] = [rowOf(Math.min(one.lat, other.lat)), rowOf(Math.max(one.lat, other.lat))]
  const [west, east] = [columnOf(Math.min(one.lng, other.lng)), columnOf(Math.max(one.lng, other.lng))]
  for (let row = south; row <= north; row++)
    for (let column = west; column <= east; column++) cells.add(row * COLUMNS + column)
}

function interpolate(start: LatLng, end: LatLng, share: number): LatLng {
  return { lat: start.lat + (end.lat - start.lat) * share, lng: start.lng + (end.lng - start.lng) * share }
}

function rowOf(lat: number): number {
  return Math.floor(((lat + 90) * DEGREE) / CELL)
}

function columnOf(lng: number): number {
  return Math.min(COLUMNS - 1, Math.max(0, Math.floor(((lng + 180) * DEGREE) / CELL)))
}

/** A point on a road. */
export interface Snapped extends LatLng {
  edge: number
  /** Which part of the edge's length lies before the point. */
  share: number
  /** From the point that was asked for. */
  offsetM: number
}

const FIRST_RADIUS_M = 100
/** A share of an edge below this is its end. */
const NEGLIGIBLE = 1e-6

/** The nearest place of the network of a mode within a radius. `allows` refuses edges that are to be avoided. */
export function snapToRoad(
  graph: RoadGraph,
  point: LatLng,
  options: { mode: Mode; radiusM: number; allows(edge: number): boolean },
): Snapped | undefined {
  const bit = MODE_BIT[options.mode]
  const isUsable = (edge: number) => (graph.snappable[edge]! & bit) !== 0 && options.allows(edge)
  for (let radiusM = Math.min(FIRST_RADIUS_M, options.radiusM); ; radiusM = Math.min(radiusM * 4, options.radiusM)) {
    const best = snapWithin(graph, point, radiusM, isUsable)
    if (best || radiusM >= options.radiusM) return best
  }
}

function snapWithin(
  graph: RoadGraph,
  point: LatLng,
  radiusM: number,
  isUsable: (edge: number) => boolean,
): Snapped | undefined {
  let best: Snapped | undefined
  for (const edge of listEdgesAround(graph, point, radiusM)) {
    if (!isUsable(edge)) continue
    const found = snapToEdge(graph, edge, point)
    if (found.offsetM <= radiusM && found.offsetM < (best?.offsetM ?? Infinity)) best = found
  }
  return best
}

function listEdgesAround({ cell, cellFirst, cellEdge }: RoadGraph, { lat, lng }: LatLng, radiusM: number): Set<number> {
  const up = radiusM / METRES_OF_DEGREE
  const side = up / Math.max(0.01, Math.cos((lat * Math.PI) / 180))
  const edges = new Set<number>()
  const [west, east] = [columnOf(lng - side), columnOf(lng + side)]
  for (let row = rowOf(lat - up); row <= rowOf(lat + up); row++) {
    for (let at = findCell(cell, row * COLUMNS + west); cell[at]! <= row * COLUMNS + east; at++)
      for (let entry = cellFirst[at]!; entry < cellFirst[at + 1]!; entry++) edges.add(cellEdge[entry]!)
  }
  return edges
}

/** The first of the sorted squares that is not before the given one. */
function findCell(cell: Uint32Array, wanted: number): number {
  let [low, high] = [0, cell.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (cell[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}

function snapToEdge(graph: RoadGraph, edge: number, point: LatLng): Snapped {
  const points = readShape(graph, edge)
  const best = { at: 1, share: 0, distanceM: Infinity }
  for (let at = 1; at < points.length; at++) {
    const found = findNearestOnStretch(point, points[at - 1]!, points[at]!)
    if (found.distanceM < best.distanceM) Object.assign(best, found, { at })
  }
  const lengths = points.slice(1).map((end, index) => approximate(points[index]!, end))
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const before = lengths.slice(0, best.at - 1).reduce((sum, length) => sum + length, 0)
  const exact = total === 0 ? 0 : (before + lengths[best.at - 1]! * best.share) / total
  const share = exact < NEGLIGIBLE ? 0 : exact > 1 - NEGLIGIBLE ? 1 : exact
  return { ...interpolate(points[best.at - 1]!, points[best.at]!, best.share), edge, share, offsetM: best.distanceM }
}

function approximate(from: LatLng, to: LatLng): number {
  return Math.hypot(to.lat - from.lat, (to.lng - from.lng) * Math.cos((from.lat * Math.PI) / 180))
}
