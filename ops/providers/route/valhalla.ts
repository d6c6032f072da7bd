import { Problem } from '#kit'
import type {
  Leg,
  MatrixAnswer,
  PlannedRoute,
  RouteAnswer,
  RouteQuestion,
  Step,
} from '../../../tasks/engines/roads/answer.ts'
import type { Maneuver } from '../../../tasks/engines/roads/describe/phrases.ts'
import { decodePolyline } from '../../../tasks/engines/roads/describe/polyline.ts'
import type { LatLng } from '../../../tasks/engines/roads/sphere.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { LocationConfig } from '../location/settings.ts'
import type { Router } from './contract.ts'
import {
  badAnswer,
  describeProvider,
  keepSteps,
  noRoute,
  readAnswer,
  readTable,
  refuseOption,
  round,
  snapAt,
  translateAvoid,
  translateMode,
} from './provider.ts'

const ID = 'valhalla'
const MODES = { drive: 'auto', walk: 'pedestrian', bike: 'bicycle', truck: 'truck' }
const AVOID = { tolls: 'use_tolls', ferries: 'use_ferry', highways: 'use_highways', unpaved: 'exclude_unpaved' }
const LOCALES: Readonly<Record<string, string>> = { en: 'en-US', de: 'de-DE', fr: 'fr-FR', es: 'es-ES' }

interface ValhallaManeuver {
  type: number
  instruction: string
  street_names?: string[]
  length: number
  time: number
  begin_shape_index: number
}

interface ValhallaTrip {
  locations: { original_index?: number }[]
  legs: { shape: string; summary: { length: number; time: number }; maneuvers?: ValhallaManeuver[] }[]
  summary: { length: number; time: number }
}

interface ValhallaAnswer {
  trip?: ValhallaTrip
  alternates?: { trip: ValhallaTrip }[]
  sources_to_targets?: { distance: number | null; time: number | null }[][]
}

export function openValhalla({ url, apiKey }: NonNullable<LocationConfig['valhalla']>): Router {
  const client = openProviderClient({
    ...{ provider: ID, baseUrl: url },
    ...(apiKey && { headers: { authorization: `Bearer ${apiKey}` } }),
  })
  const ask = async (path: string, json: object, signal: AbortSignal) => {
    try {
      return (await client({ path, json, signal, isRepeatable: true })) as ValhallaAnswer
    } catch (error) {
      throw error instanceof ProviderRefusal ? explain(error) : error
    }
  }
  return {
    ...describeProvider(ID, '© OpenStreetMap contributors, ODbL 1.0'),
    async plan(question, signal) {
      const path = question.optimize ? '/optimized_route' : '/route'
      const answer = await ask(path, buildRouteRequest(question), signal)
      return readAnswer(ID, () => readRoutes(answer, question))
    },
    async matrix(question, signal) {
      const { locations, ...options } = buildRouteRequest(question)
      const answer = await ask('/sources_to_targets', { sources: locations, targets: locations, ...options }, signal)
      return readAnswer(ID, () => readMatrix(answer, question))
    },
  }
}

function buildRouteRequest(question: RouteQuestion) {
  const { waypoints, alternatives, departAt, language, snapRadiusM } = question
  // It reads times as those of the place, which it does not tell.
  if (departAt) refuseOption('departAt')
  const costing = translateMode(MODES, question)
  const avoided = translateAvoid(AVOID, question).map(name => [name, name === AVOID.unpaved ? true : 0])
  return {
    locations: waypoints.map(({ lat, lng }) => ({ lat, lon: lng, search_cutoff: snapRadiusM })),
    costing,
    ...(avoided.length > 0 && { costing_options: { [costing]: Object.fromEntries(avoided) } }),
    ...(alternatives > 0 && { alternates: alternatives }),
    directions_options: { units: 'kilometers', language: LOCALES[language] ?? 'en-US' },
  }
}

/** Its codes: 171 no road near a point, 17x and 44x no path, 153 and 154 too far. */
function explain({ body }: ProviderRefusal): Problem {
  const { error_code: code, error } = (body ?? {}) as { error_code?: number; error?: string }
  if (code === undefined) return badAnswer(ID)
  if (code === 171) return new Problem('SNAP_TOO_FAR', {})
  if (code === 170 || (code >= 440 && code < 450)) return noRoute()
  return new Problem('OPTION_UNSUPPORTED', { provider: ID, reason: String(error).slice(0, 200) })
}

function readRoutes({ trip, alternates = [] }: ValhallaAnswer, question: RouteQuestion): RouteAnswer {
  const trips = [trip!, ...alternates.map(other => other.trip)].slice(0, question.alternatives + 1)
  const routes = trips.map(one => readTrip(one, question))
  const order = trip!.locations.map(({ original_index }, index) => original_index ?? index)
  const shapes = trip!.legs.map(({ shape }) => readShape(shape))
  const visited = [shapes[0]![0]!, ...shapes.map(points => points.at(-1)!)]
  return {
    routes,
    waypoints: question.waypoints.map((point, index) => snapAt(point, visited[order.indexOf(index)]!)),
    ...(question.optimize && { waypointOrder: order }),
  }
}

function readShape(shape: string): LatLng[] {
  const points = decodePolyline(shape, 6)
  if (!points || points.length === 0) throw new TypeError('no line')
  return points
}

function readTrip({ legs, summary }: ValhallaTrip, question: RouteQuestion): PlannedRoute {
  const shapes = legs.map(({ shape }) => readShape(shape))
  return {
    ...{ distanceM: round(summary.length * 1_000), durationSec: round(summary.time), points: shapes.flat() },
    legs: legs.map(
      (leg, index): Leg => ({
        ...{ distanceM: round(leg.summary.length * 1_000), durationSec: round(leg.summary.time) },
        steps: keepSteps(question, () => leg.maneuvers!.map(maneuver => readManeuver(maneuver, shapes[index]!))),
      }),
    ),
  }
}

function readManeuver(maneuver: ValhallaManeuver, points: readonly LatLng[]): Step {
  return {
    ...{ maneuver: KINDS[maneuver.type] ?? 'continue', instruction: maneuver.instruction },
    name: maneuver.street_names?.[0] ?? '',
    ...{ distanceM: round(maneuver.length * 1_000), durationSec: round(maneuver.time) },
    location: points[maneuver.begin_shape_index]!,
  }
}

/** Maneuvers by the numbers of its documentation. */
const KINDS: Readonly<Record<number, Maneuver>> = {
  ...{ 1: 'depart', 2: 'depart', 3: 'depart', 4: 'arrive', 5: 'arrive', 6: 'arrive', 9: 'turn-slight-right' },
  ...{ 10: 'turn-right', 11: 'turn-sharp-right', 12: 'uturn', 13: 'uturn', 14: 'turn-sharp-left', 15: 'turn-left' },
  ...{ 16: 'turn-slight-left', 17: 'ramp', 18: 'ramp', 19: 'ramp', 20: 'ramp', 21: 'ramp', 25: 'merge' },
  ...{ 26: 'roundabout', 28: 'ferry', 37: 'merge', 38: 'merge' },
}

function readMatrix({ sources_to_targets: rows }: ValhallaAnswer, { waypoints }: RouteQuestion): MatrixAnswer {
  const metres = rows!.map(row => row.map(({ distance }) => distance && distance * 1_000))
  return {
    matrix: { distancesM: readTable(metres), durationsSec: readTable(rows!.map(row => row.map(({ time }) => time))) },
    waypoints: waypoints.map(point => snapAt(point, point)),
  }
}
