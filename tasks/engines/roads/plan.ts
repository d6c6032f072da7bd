import { Problem } from '#kit'
import type { Leg, Matrix, MatrixAnswer, PlannedRoute, RouteAnswer, RouteQuestion, SnappedWaypoint } from './answer.ts'
import { type Snapped, snapToRoad } from './cells.ts'
import { describeStretch } from './describe/pieces.ts'
import { listSteps } from './describe/steps.ts'
import { type RoadGraph, readName } from './graph.ts'
import { MODES, type Mode } from './mode.ts'
import { buildProfile } from './profile.ts'
import type { Costs, Path, Searcher } from './search.ts'
import { METRES_OF_DEGREE } from './sphere.ts'
import { orderVisits } from './visit-order.ts'

/** What a search for another route makes of the roads already taken. */
const PENALTY = 1.5
const EXTRA_TRIES = 3
/** Another route takes at most this many times as long, and shares at most this part of its way. */
const MAX_DETOUR = 1.5
const MAX_SHARED = 0.75

/** Plans a route through the waypoints. Throws a Problem if there is none. */
export function planRoute(graph: RoadGraph, searcher: Searcher, question: RouteQuestion): RouteAnswer {
  const { costs, places } = locate(graph, question)
  const order = question.optimize
    ? orderVisits(toMatrix(graph, findMatrix(searcher, places, costs), costs).durationsSec)
    : undefined
  const visited = (order ?? [...places.keys()]).map(index => places[index]!)
  const legs = visited.slice(1).map((to, index) => {
    const path = searcher.find(visited[index]!, to, costs)
    if (!path) throw new Problem('NO_ROUTE', { leg: index, snapped: [visited[index], to].map(toPoint) })
    return path
  })
  const paths = [legs, ...findAlternatives(graph, searcher, visited, { costs, first: legs[0]!, question })]
  return {
    routes: paths.map(list => describeRoute(graph, list, costs, question)),
    waypoints: places.map(place => describeWaypoint(graph, place)),
    ...(order && { waypointOrder: order }),
  }
}

export function planMatrix(graph: RoadGraph, searcher: Searcher, question: RouteQuestion): MatrixAnswer {
  const { costs, places } = locate(graph, question)
  const matrix = toMatrix(graph, findMatrix(searcher, places, costs), costs)
  return { matrix, waypoints: places.map(place => describeWaypoint(graph, place)) }
}

/** Finds the waypoints on the roads of the mode. */
function locate(graph: RoadGraph, question: RouteQuestion): { costs: Costs; places: Snapped[] } {
  const { mode, avoid, waypoints, snapRadiusM: radiusM, departAt } = question
  if (!isMode(mode)) throw new Problem('MODE_UNSUPPORTED', { mode, modes: [...MODES] })
  if (departAt !== undefined)
    throw new Problem('OPTION_UNSUPPORTED', { option: 'departAt', reason: 'the road graph knows no traffic' })
  const seconds = buildProfile(graph.kinds, mode, avoid)
  const allows = (edge: number) => {
    const kind = 2 * graph.kind[edge]!
    return seconds[kind]! < Infinity || seconds[kind + 1]! < Infinity
  }
  const places = waypoints.map((point, index) => {
    if (isOutside(graph, point, radiusM)) throw new Problem('OUT_OF_COVERAGE', { index, bounds: graph.bounds })
    const place = snapToRoad(graph, point, { mode, radiusM, allows })
    if (place) return place
    const wider = snapToRoad(graph, point, { mode, radiusM: radiusM * 10, allows })
    throw new Problem('SNAP_TOO_FAR', { index, radiusM, ...(wider && { offsetM: Math.round(wider.offsetM) }) })
  })
  return { costs: { seconds, mode }, places }
}

function isMode(mode: RouteQuestion['mode']): mode is Mode {
  return (MODES as readonly string[]).includes(mode)
}

function isOutside({ bounds: [west, south, east, north] }: RoadGraph, point: Snapped | Position, radiusM: number) {
  const up = radiusM / METRES_OF_DEGREE
  const side = up / Math.max(0.01, Math.cos((point.lat * Math.PI) / 180))
  return point.lat < south - up || point.lat > north + up || point.lng < west - side || point.lng > east + side
}

type Position = RouteQuestion['waypoints'][number]

function findMatrix(searcher: Searcher, places: readonly Snapped[], costs: Costs): (Path | undefined)[][] {
  return places.map(from => searcher.findAll(from, places, costs))
}

function toMatrix(graph: RoadGraph, paths: readonly (Path | undefined)[][], { seconds }: Costs): Matrix {
  const totals = paths.map(row => row.map(path => path && measurePath(graph, path, seconds)))
  return {
    distancesM: totals.map(row => row.map(total => (total ? Math.round(total.distanceM) : null))),
    durationsSec: totals.map(row => row.map(total => (total ? Math.round(total.durationSec) : null))),
  }
}

function measurePath({ length, kind }: RoadGraph, { stretches }: Path, seconds: Float32Array) {
  let [distanceM, durationSec] = [0, 0]
  for (const { edge, start, end } of stretches) {
    const metres = length[edge]! * Math.abs(end - start)
    distanceM += metres
    durationSec += metres * seconds[2 * kind[edge]! + (end > start ? 0 : 1)]!
  }
  return { distanceM, durationSec }
}

/** Other routes: searches in which the roads taken so far are dearer. Only what really differs counts. */
function findAlternatives(
  graph: RoadGraph,
  searcher: Searcher,
  [from, to]: readonly Snapped[],
  { costs, first, question }: { costs: Costs; first: Path; question: RouteQuestion },
): Path[][] {
  const found = [first]
  const penalty = new Map<number, number>()
  const raisePenalty = ({ stretches }: Path) => {
    for (const { edge } of stretches) penalty.set(edge, (penalty.get(edge) ?? 1) * PENALTY)
  }
  raisePenalty(first)
  const limit = measurePath(graph, first, costs.seconds).durationSec * MAX_DETOUR
  for (let tries = 0; found.length <= question.alternatives && tries < question.alternatives + EXTRA_TRIES; tries++) {
    const path = searcher.find(from!, to!, { ...costs, penalty })
    if (!path) break
    raisePenalty(path)
    const { durationSec } = measurePath(graph, path, costs.seconds)
    if (durationSec <= limit && found.every(other => shareOf(graph, path, other) <= MAX_SHARED)) found.push(path)
  }
  return found.slice(1).map(path => [path])
}

function shareOf({ length }: RoadGraph, path: Path, other: Path): number {
  const edges = new Set(other.stretches.map(({ edge }) => edge))
  let [shared, total] = [0, 0]
  for (const { edge } of path.stretches) {
    total += length[edge]!
    if (edges.has(edge)) shared += length[edge]!
  }
  return total === 0 ? 1 : shared / total
}

function describeRoute(
  graph: RoadGraph,
  paths: readonly Path[],
  { seconds }: Costs,
  question: RouteQuestion,
): PlannedRoute {
  const points: Position[] = []
  const legs = paths.map(({ stretches }): Leg & { exact: { distanceM: number; durationSec: number } } => {
    const pieces = stretches.map(stretch => describeStretch(graph, stretch, seconds))
    for (const piece of pieces) points.push(...piece.points.slice(points.length === 0 ? 0 : 1))
    const sum = (field: 'distanceM' | 'durationSec') => pieces.reduce((total, piece) => total + piece[field], 0)
    const exact = { distanceM: sum('distanceM'), durationSec: sum('durationSec') }
    const steps = question.hasSteps ? listSteps(graph, pieces, seconds, question.language) : []
    return { distanceM: Math.round(exact.distanceM), durationSec: Math.round(exact.durationSec), steps, exact }
  })
  const total = (field: 'distanceM' | 'durationSec') =>
    Math.round(legs.reduce((sum, { exact }) => sum + exact[field], 0))
  return {
    ...{ distanceM: total('distanceM'), durationSec: total('durationSec'), points },
    legs: legs.map(({ exact: _, ...leg }) => leg),
  }
}

function describeWaypoint(graph: RoadGraph, place: Snapped): SnappedWaypoint {
  return { snapped: toPoint(place), offsetM: Math.round(place.offsetM), name: readName(graph, place.edge) }
}

function toPoint(place: Snapped | undefined): Position {
  const round = (degrees: number) => Math.round(degrees * 1e7) / 1e7
  return { lat: round(place!.lat), lng: round(place!.lng) }
}
