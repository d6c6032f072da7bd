import { Problem } from '#kit'
import type {
  Leg,
  MatrixAnswer,
  PlannedRoute,
  RouteAnswer,
  RouteQuestion,
  Step,
} from '../../../tasks/engines/roads/answer.ts'
import { type Maneuver, phraseStep } from '../../../tasks/engines/roads/describe/phrases.ts'
import { decodePolyline } from '../../../tasks/engines/roads/describe/polyline.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { LocationConfig } from '../location/settings.ts'
import type { Router } from './contract.ts'
import {
  badAnswer,
  describeProvider,
  keepSteps,
  noRoute,
  readAnswer,
  readPoint,
  readTable,
  refuseOption,
  round,
  snapAt,
  translateAvoid,
  translateMode,
} from './provider.ts'

/** How the service of OSRM and that of Mapbox, which has its format, differ. */
interface Dialect {
  id: string
  attribution: string
  modes: Partial<Record<RouteQuestion['mode'], string>>
  avoid: Parameters<typeof translateAvoid>[0]
  paths: { route: string; trip: string; table: string }
  query: Record<string, string>
  /** Only Mapbox knows traffic and phrases its own instructions. */
  knowsTraffic: boolean
}

const AVOID = { tolls: 'toll', ferries: 'ferry', highways: 'motorway' }
const OSRM_MODES = { drive: 'driving', walk: 'foot', bike: 'bike', truck: 'truck' } as const

export function openOsrm({ url, modes: served }: NonNullable<LocationConfig['osrm']>): Router {
  const modes = Object.fromEntries(Object.entries(OSRM_MODES).filter(([mode]) => served.includes(mode as 'drive')))
  const paths = { route: '/route/v1/', trip: '/trip/v1/', table: '/table/v1/' }
  const attribution = '© OpenStreetMap contributors, ODbL 1.0'
  return openRouter(url, { id: 'osrm', attribution, modes, avoid: AVOID, paths, query: {}, knowsTraffic: false })
}

export function openMapbox({ url, token }: NonNullable<LocationConfig['mapbox']>): Router {
  return openRouter(url, {
    ...{ id: 'mapbox', attribution: '© Mapbox © OpenStreetMap', knowsTraffic: true },
    modes: { drive: 'mapbox/driving', walk: 'mapbox/walking', bike: 'mapbox/cycling' },
    avoid: { ...AVOID, unpaved: 'unpaved' },
    paths: { route: '/directions/v5/', trip: '/optimized-trips/v1/', table: '/directions-matrix/v1/' },
    query: { access_token: token },
  })
}

interface OsrmStep {
  name?: string
  distance: number
  duration: number
  maneuver: {
    type: string
    modifier?: string
    exit?: number
    bearing_after?: number
    location: number[]
    instruction?: string
  }
}

interface OsrmRoute {
  distance: number
  duration: number
  geometry: string
  legs: { distance: number; duration: number; steps?: OsrmStep[] }[]
}

interface OsrmPlace {
  location: number[]
  name?: string
  waypoint_index?: number
}

interface OsrmAnswer {
  code: string
  routes?: OsrmRoute[]
  trips?: OsrmRoute[]
  waypoints?: OsrmPlace[]
  sources?: OsrmPlace[]
  durations?: (number | null)[][]
  distances?: (number | null)[][]
}

function openRouter(url: string, dialect: Dialect): Router {
  const { id, attribution, paths } = dialect
  const client = openProviderClient({ provider: id, baseUrl: url })
  const ask = async (path: string, question: RouteQuestion, query: Record<string, string>, signal: AbortSignal) => {
    const coordinates = question.waypoints.map(({ lat, lng }) => `${lng.toFixed(6)},${lat.toFixed(6)}`).join(';')
    const fullPath = `${path}${translateMode(dialect.modes, question)}/${coordinates}`
    try {
      const answer = await client({ path: fullPath, query: { ...query, ...dialect.query }, signal, isRepeatable: true })
      return checkCode(id, answer as OsrmAnswer)
    } catch (error) {
      throw error instanceof ProviderRefusal ? explainRefusal(id, error) : error
    }
  }
  return {
    ...describeProvider(id, attribution),
    async plan(question, signal) {
      const path = question.optimize ? paths.trip : paths.route
      const answer = await ask(path, question, buildQuery(question, dialect), signal)
      return readAnswer(id, () => readRoutes(answer, question))
    },
    async matrix(question, signal) {
      if (question.avoid.length > 0 || question.departAt) refuseOption(question.departAt ? 'departAt' : 'avoid')
      const answer = await ask(paths.table, question, { annotations: 'duration,distance' }, signal)
      return readAnswer(id, () => readMatrix(answer, question))
    },
  }
}

function buildQuery(question: RouteQuestion, dialect: Dialect): Record<string, string> {
  const { alternatives, optimize, departAt, hasSteps, language, snapRadiusM, waypoints } = question
  const exclude = translateAvoid(dialect.avoid, question)
  if (departAt && (!dialect.knowsTraffic || question.mode !== 'drive' || optimize)) refuseOption('departAt')
  if (optimize && exclude.length > 0) refuseOption('avoid')
  const others = dialect.knowsTraffic ? String(alternatives > 0) : String(alternatives)
  return {
    ...{ geometries: 'polyline6', overview: 'full', steps: String(hasSteps) },
    radiuses: waypoints.map(() => snapRadiusM).join(';'),
    ...(optimize ? { source: 'first', destination: 'last', roundtrip: 'false' } : { alternatives: others }),
    ...(exclude.length > 0 && { exclude: exclude.join(',') }),
    ...(departAt && { depart_at: departAt }),
    ...(dialect.knowsTraffic && { language }),
  }
}

function checkCode(provider: string, answer: OsrmAnswer): OsrmAnswer {
  if (answer?.code === 'Ok') return answer
  throw explainCode(provider, answer?.code)
}

function explainRefusal(provider: string, { body }: ProviderRefusal): Problem {
  return explainCode(provider, (body as OsrmAnswer | null)?.code)
}

function explainCode(provider: string, code: string | undefined): Problem {
  if (code === 'NoRoute' || code === 'NoTrips' || code === 'NoTable') return noRoute()
  if (code === 'NoSegment') return new Problem('SNAP_TOO_FAR', {})
  if (code === 'InvalidValue' || code === 'InvalidOptions' || code === 'InvalidInput')
    return new Problem('OPTION_UNSUPPORTED', { provider, reason: code })
  if (code === 'ProfileNotFound') return new Problem('MODE_UNSUPPORTED', { provider })
  return code ? new Problem('PROVIDER_UNAVAILABLE', { provider, reason: code }) : badAnswer(provider)
}

function readRoutes({ routes, trips, waypoints }: OsrmAnswer, question: RouteQuestion): RouteAnswer {
  const list = (routes ?? trips)!.slice(0, question.alternatives + 1)
  const order = waypoints!.map(({ waypoint_index }) => waypoint_index ?? 0)
  const visits = [...order.keys()].sort((one, other) => order[one]! - order[other]!)
  return {
    routes: list.map(route => readRoute(route, question)),
    waypoints: waypoints!.map(({ location, name }, index) =>
      snapAt(question.waypoints[index]!, readPoint(location), name),
    ),
    ...(question.optimize && { waypointOrder: visits }),
  }
}

function readRoute({ distance, duration, geometry, legs }: OsrmRoute, question: RouteQuestion): PlannedRoute {
  const points = decodePolyline(geometry, 6)
  if (!points) throw new TypeError('no line')
  return {
    ...{ distanceM: round(distance), durationSec: round(duration), points },
    legs: legs.map(
      (leg): Leg => ({
        ...{ distanceM: round(leg.distance), durationSec: round(leg.duration) },
        steps: keepSteps(question, () => leg.steps!.map(step => readStep(step, question.language))),
      }),
    ),
  }
}

function readStep({ name = '', distance, duration, maneuver }: OsrmStep, language: string): Step {
  const kind = readManeuver(maneuver)
  const facts = { name, exit: maneuver.exit ?? 1, bearing: maneuver.bearing_after ?? 0 }
  return {
    ...{ maneuver: kind, name, distanceM: round(distance), durationSec: round(duration) },
    instruction: maneuver.instruction ?? phraseStep(kind, facts, language),
    location: readPoint(maneuver.location),
  }
}

const TYPES: Readonly<Record<string, Maneuver>> = {
  ...{ depart: 'depart', arrive: 'arrive', merge: 'merge', 'on ramp': 'ramp', 'off ramp': 'ramp', fork: 'continue' },
  ...{ roundabout: 'roundabout', rotary: 'roundabout', 'exit roundabout': 'continue', 'exit rotary': 'continue' },
}
const MODIFIERS: Readonly<Record<string, Maneuver>> = {
  ...{ left: 'turn-left', right: 'turn-right', 'slight left': 'turn-slight-left', 'slight right': 'turn-slight-right' },
  ...{ 'sharp left': 'turn-sharp-left', 'sharp right': 'turn-sharp-right', uturn: 'uturn' },
}

function readManeuver({ type, modifier }: OsrmStep['maneuver']): Maneuver {
  return TYPES[type] ?? MODIFIERS[modifier ?? ''] ?? 'continue'
}

function readMatrix({ durations, distances, sources }: OsrmAnswer, { waypoints }: RouteQuestion): MatrixAnswer {
  return {
    matrix: { distancesM: readTable(distances!), durationsSec: readTable(durations!) },
    waypoints: sources!.map(({ location, name }, index) => snapAt(waypoints[index]!, readPoint(location), name)),
  }
}
