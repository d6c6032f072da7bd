import { Problem } from '#kit'
import type { Leg, PlannedRoute, RouteAnswer, RouteQuestion, Step } from '../../../tasks/engines/roads/answer.ts'
import type { Maneuver } from '../../../tasks/engines/roads/describe/phrases.ts'
import { decodePolyline } from '../../../tasks/engines/roads/describe/polyline.ts'
import type { LatLng } from '../../../tasks/engines/roads/sphere.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { GoogleMapsConfig } from '../location/settings.ts'
import type { Router } from './contract.ts'
import {
  checkSnaps,
  describeProvider,
  keepSteps,
  noRoute,
  readAnswer,
  refuseOption,
  round,
  snapAt,
  translateAvoid,
  translateMode,
} from './provider.ts'

const ID = 'google'
const MODES = { drive: 'DRIVE', walk: 'WALK', bike: 'BICYCLE', transit: 'TRANSIT' }
const AVOID = { tolls: 'avoidTolls', ferries: 'avoidFerries', highways: 'avoidHighways' }
const STEP_FIELDS = ['distanceMeters', 'staticDuration', 'startLocation', 'navigationInstruction']
const LEG_FIELDS = ['distanceMeters', 'duration', 'startLocation', 'endLocation']

interface Point {
  latLng: { latitude?: number; longitude?: number }
}
interface GoogleStep {
  distanceMeters?: number
  staticDuration?: string
  startLocation: Point
  navigationInstruction?: { maneuver?: string; instructions?: string }
}
interface GoogleLeg {
  distanceMeters?: number
  duration?: string
  startLocation: Point
  endLocation: Point
  steps?: GoogleStep[]
}
interface GoogleRoute {
  distanceMeters?: number
  duration?: string
  polyline: { encodedPolyline: string }
  legs: GoogleLeg[]
  optimizedIntermediateWaypointIndex?: number[]
}

/** Google Routes. Its matrix is paid by the pair and tells no roads, so it is refused. */
export function openGoogle({ routesUrl, key }: GoogleMapsConfig): Router {
  const client = openProviderClient({ provider: ID, baseUrl: routesUrl, headers: { 'x-goog-api-key': key } })
  return {
    ...describeProvider(ID, 'Google Maps'),
    async plan(question, signal) {
      const call = {
        path: '/directions/v2:computeRoutes',
        json: buildRouteRequest(question),
        headers: listFields(question),
      }
      const answer = await client({ ...call, signal, isRepeatable: true }).catch((error: unknown) => {
        throw error instanceof ProviderRefusal ? explainGoogleRefusal(error) : error
      })
      return readAnswer(ID, () => readRoutes(answer as { routes?: GoogleRoute[] }, question))
    },
    matrix: async () => refuseOption('matrix'),
  }
}

/** A key that is not valid is answered with 400, as a call that is not. */
export function explainGoogleRefusal({ status, body }: ProviderRefusal): Problem {
  const { message } = ((body ?? {}) as { error?: { message?: string } }).error ?? {}
  if (status !== 400 || typeof message !== 'string' || /api key/i.test(message))
    return new Problem('PROVIDER_UNAVAILABLE', { provider: ID, providerStatus: status })
  return new Problem('OPTION_UNSUPPORTED', { provider: ID, reason: message.slice(0, 200) })
}

function listFields({ hasSteps, optimize }: RouteQuestion): Record<string, string> {
  const fields = [
    ...['routes.distanceMeters', 'routes.duration', 'routes.polyline.encodedPolyline'],
    ...LEG_FIELDS.map(name => `routes.legs.${name}`),
    ...(hasSteps ? STEP_FIELDS.map(name => `routes.legs.steps.${name}`) : []),
    ...(optimize ? ['routes.optimizedIntermediateWaypointIndex'] : []),
  ]
  return { 'x-goog-fieldmask': fields.join(',') }
}

function buildRouteRequest(question: RouteQuestion) {
  const { waypoints, mode, alternatives, departAt, optimize, language, avoid } = question
  const travelMode = translateMode(MODES, question)
  if (avoid.length > 0 && mode !== 'drive') refuseOption('avoid')
  if (departAt && mode !== 'drive' && mode !== 'transit') refuseOption('departAt')
  if (mode === 'transit' && waypoints.length > 2) refuseOption('waypoints')
  const avoided = translateAvoid(AVOID, question)
  const points = waypoints.map(({ lat, lng }) => ({ location: { latLng: { latitude: lat, longitude: lng } } }))
  return {
    ...{ origin: points[0], destination: points.at(-1), intermediates: points.slice(1, -1), travelMode },
    ...{ languageCode: language, polylineEncoding: 'ENCODED_POLYLINE', units: 'METRIC' },
    ...{ computeAlternativeRoutes: alternatives > 0, optimizeWaypointOrder: optimize && points.length > 2 },
    ...(mode === 'drive' && { routingPreference: departAt ? 'TRAFFIC_AWARE' : 'TRAFFIC_UNAWARE' }),
    ...(departAt && { departureTime: new Date(departAt).toISOString() }),
    ...(avoided.length > 0 && { routeModifiers: Object.fromEntries(avoided.map(name => [name, true])) }),
  }
}

function readRoutes({ routes = [] }: { routes?: GoogleRoute[] }, question: RouteQuestion): RouteAnswer {
  const [first] = routes
  if (!first) throw noRoute()
  const order = readOrder(first, question)
  const visited = [first.legs[0]!.startLocation, ...first.legs.map(({ endLocation }) => endLocation)].map(readLocation)
  const waypoints = question.waypoints.map((point, index) => snapAt(point, visited[order.indexOf(index)]!))
  return {
    routes: routes.slice(0, question.alternatives + 1).map(route => readRoute(route, question)),
    waypoints: checkSnaps(question, waypoints),
    ...(question.optimize && { waypointOrder: order }),
  }
}

/** It numbers the waypoints between the first and the last. */
function readOrder(
  { optimizedIntermediateWaypointIndex: between }: GoogleRoute,
  { waypoints, optimize }: RouteQuestion,
) {
  const order = [...waypoints.keys()]
  if (!optimize || waypoints.length <= 3) return order
  if (between?.length !== waypoints.length - 2) throw new TypeError('no order')
  return [0, ...between.map(index => index + 1), waypoints.length - 1]
}

function readRoute({ distanceMeters, duration, polyline, legs }: GoogleRoute, question: RouteQuestion): PlannedRoute {
  const points = decodePolyline(polyline.encodedPolyline, 5)
  if (!points) throw new TypeError('no line')
  return { ...readLength(distanceMeters, duration), points, legs: legs.map(leg => readLeg(leg, question)) }
}

function readLeg({ distanceMeters, duration, steps = [] }: GoogleLeg, question: RouteQuestion): Leg {
  return {
    ...readLength(distanceMeters, duration),
    steps: keepSteps(question, () => steps.map((step, index) => readStep(step, index === 0))),
  }
}

const MANEUVERS: Readonly<Record<string, Maneuver>> = {
  ...{ DEPART: 'depart', TURN_LEFT: 'turn-left', TURN_RIGHT: 'turn-right', FERRY: 'ferry', FERRY_TRAIN: 'ferry' },
  ...{ TURN_SLIGHT_LEFT: 'turn-slight-left', TURN_SLIGHT_RIGHT: 'turn-slight-right', MERGE: 'merge' },
  ...{ TURN_SHARP_LEFT: 'turn-sharp-left', TURN_SHARP_RIGHT: 'turn-sharp-right' },
  ...{ UTURN_LEFT: 'uturn', UTURN_RIGHT: 'uturn', RAMP_LEFT: 'ramp', RAMP_RIGHT: 'ramp' },
  ...{ ROUNDABOUT_LEFT: 'roundabout', ROUNDABOUT_RIGHT: 'roundabout' },
}

function readStep(step: GoogleStep, isFirst: boolean): Step {
  const { maneuver = '', instructions = '' } = step.navigationInstruction ?? {}
  return {
    ...readLength(step.distanceMeters, step.staticDuration),
    maneuver: MANEUVERS[maneuver] ?? (isFirst ? 'depart' : 'continue'),
    // It names the roads in its instructions alone.
    ...{ instruction: instructions, name: '', location: readLocation(step.startLocation) },
  }
}

/** What is 0 is left out of its answers. */
function readLength(distanceMeters = 0, duration = '0s') {
  return { distanceM: round(distanceMeters), durationSec: round(Number.parseFloat(duration)) }
}

function readLocation({ latLng: { latitude = 0, longitude = 0 } }: Point): LatLng {
  return { lat: latitude, lng: longitude }
}
