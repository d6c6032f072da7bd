import type { Maneuver } from './describe/phrases.ts'
import type { Avoidable, Mode } from './mode.ts'
import type { LatLng } from './sphere.ts'

/** What is asked of a router, ours or a provider. */
export interface RouteQuestion {
  waypoints: readonly LatLng[]
  mode: Mode | 'transit'
  /** How many other routes are wanted besides the quickest. */
  alternatives: number
  avoid: readonly Avoidable[]
  /** A time with its zone, where the traffic of a moment counts. */
  departAt?: string
  /** The order of the waypoints between the first and the last is free. */
  optimize: boolean
  hasSteps: boolean
  language: string
  snapRadiusM: number
}

export interface Step {
  maneuver: Maneuver
  instruction: string
  name: string
  distanceM: number
  durationSec: number
  /** Where the step begins. */
  location: LatLng
}

export interface Leg {
  distanceM: number
  durationSec: number
  steps: Step[]
}

export interface PlannedRoute {
  distanceM: number
  durationSec: number
  points: LatLng[]
  legs: Leg[]
}

/** A waypoint as it lies on a road. */
export interface SnappedWaypoint {
  snapped: LatLng
  offsetM: number
  name: string
}

export interface RouteAnswer {
  routes: PlannedRoute[]
  /** In the order of the question. */
  waypoints: SnappedWaypoint[]
  /** The order of the visit, as indexes of the question. */
  waypointOrder?: number[]
}

/** From each waypoint to each; null where there is no way. */
export interface Matrix {
  distancesM: (number | null)[][]
  durationsSec: (number | null)[][]
}

export interface MatrixAnswer {
  matrix: Matrix
  waypoints: SnappedWaypoint[]
}
