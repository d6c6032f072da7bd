import { Problem } from '#kit'
import type { Leg, PlannedRoute, RouteAnswer, RouteQuestion, Step } from '../../../tasks/engines/roads/answer.ts'
import type { Maneuver } from '../../../tasks/engines/roads/describe/phrases.ts'
import type { LatLng } from '../../../tasks/engines/roads/sphere.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { LocationConfig } from '../location/settings.ts'
import type { Router } from './contract.ts'
import {
  badAnswer,
  checkSnaps,
  describeProvider,
  keepSteps,
  noRoute,
  readAnswer,
  readPoint,
  refuseOption,
  round,
  snapAt,
  translateAvoid,
  translateMode,
} from './provider.ts'

const ID = 'graphhopper'
const MODES = { drive: 'car', walk: 'foot', bike: 'bike', truck: 'truck' }
const UNPAVED = ['UNPAVED', 'COMPACTED', 'FINE_GRAVEL', 'GRAVEL', 'GROUND', 'DIRT', 'GRASS', 'SAND', 'WOOD']
/** Conditions of its custom models: such roads are not used at all. */
const AVOID = {
  tolls: 'toll == ALL || toll == HGV',
  ferries: 'road_environment == FERRY',
  highways: 'road_class == MOTORWAY',
  unpaved: UNPAVED.map(name => `surface == ${name}`).join(' || '),
}

interface Line {
  coordinates: number[][]
}
interface Instruction {
  text: string
  street_name?: string
  distance: number
  time: number
  interval: [number, number]
  sign: number
}
interface Path {
  distance: number
  time: number
  points: Line
  snapped_waypoints: Line
  instructions: Instruction[]
}

/** Its matrix and its order of visits need other products of its makers, so they are refused. */
export function openGraphHopper({ url, apiKey }: NonNullable<LocationConfig['graphhopper']>): Router {
  const client = openProviderClient({ provider: ID, baseUrl: url })
  return {
    ...describeProvider(ID, 'Powered by GraphHopper API, © OpenStreetMap contributors, ODbL 1.0'),
    async plan(question, signal) {
      const json = buildRouteRequest(question)
      const call = { path: '/route', query: { key: apiKey }, json, signal, isRepeatable: true }
      const answer = await client(call).catch((error: unknown) => {
        throw error instanceof ProviderRefusal ? explain(error) : error
      })
      return readAnswer(ID, () => readRoutes(answer as { paths: Path[] }, question))
    },
    matrix: async () => refuseOption('matrix'),
  }
}

function buildRouteRequest(question: RouteQuestion) {
  const { waypoints, alternatives, departAt, optimize, language } = question
  if (departAt) refuseOption('departAt')
  if (optimize) refuseOption('optimize')
  const avoided = translateAvoid(AVOID, question)
  return {
    profile: translateMode(MODES, question),
    points: waypoints.map(({ lat, lng }) => [lng, lat]),
    ...{ locale: language, instructions: true, points_encoded: false },
    // Prepared shortcuts know neither other routes nor other weights.
    ...((alternatives > 0 || avoided.length > 0) && { 'ch.disable': true }),
    ...(alternatives > 0 && {
      algorithm: 'alternative_route',
      'alternative_route.max_paths': alternatives + 1,
    }),
    ...(avoided.length > 0 && { custom_model: { priority: avoided.map(rule => ({ if: rule, multiply_by: '0' })) } }),
  }
}

interface Refusal {
  message?: string
  hints?: { message?: string; details?: string; point_index?: number }[]
}

function explain({ body, status }: ProviderRefusal): Problem {
  const { message, hints = [] } = (body ?? {}) as Refusal
  const [{ details = '', point_index: index } = {}] = hints
  if (/PointNotFound/.test(details)) return new Problem('SNAP_TOO_FAR', index === undefined ? {} : { index })
  if (/PointOutOfBounds/.test(details)) return new Problem('OUT_OF_COVERAGE', {})
  if (/ConnectionNotFound/.test(details)) return noRoute()
  if (typeof message !== 'string' || status === 404) return badAnswer(ID)
  if (/profile .*(not exist|not supported|not found)/i.test(message))
    return new Problem('MODE_UNSUPPORTED', { provider: ID })
  return new Problem('OPTION_UNSUPPORTED', { provider: ID, reason: message.slice(0, 200) })
}

function readRoutes({ paths }: { paths: Path[] }, question: RouteQuestion): RouteAnswer {
  const routes = paths.slice(0, question.alternatives + 1).map(path => readPath(path, question))
  const snapped = paths[0]!.snapped_waypoints.coordinates.map(readPoint)
  const waypoints = question.waypoints.map((point, index) => snapAt(point, snapped[index]!))
  return { routes, waypoints: checkSnaps(question, waypoints) }
}

function readPath({ distance, time, points, instructions }: Path, question: RouteQuestion): PlannedRoute {
  const line = points.coordinates.map(readPoint)
  return {
    ...{ distanceM: round(distance), durationSec: round(time / 1_000), points: line },
    legs: splitLegs(instructions).map(leg => readLeg(leg, line, question)),
  }
}

const FINISH = 4
const REACHED_STOP = 5

/** One list of instructions covers all legs; each ends where a waypoint is reached. */
function splitLegs(instructions: readonly Instruction[]): Instruction[][] {
  const legs: Instruction[][] = [[]]
  for (const [index, instruction] of instructions.entries()) {
    legs.at(-1)!.push(instruction)
    if (instruction.sign === REACHED_STOP && index < instructions.length - 1) legs.push([])
  }
  return legs
}

function readLeg(instructions: readonly Instruction[], line: readonly LatLng[], question: RouteQuestion): Leg {
  const sum = (read: (instruction: Instruction) => number) => instructions.reduce((total, one) => total + read(one), 0)
  return {
    ...{ distanceM: round(sum(({ distance }) => distance)), durationSec: round(sum(({ time }) => time) / 1_000) },
    steps: keepSteps(question, () => instructions.map((one, index) => readStep(one, line, index === 0))),
  }
}

const SIGNS: Readonly<Record<number, Maneuver>> = {
  ...{
    [-98]: 'uturn',
    [-8]: 'uturn',
    8: 'uturn',
    [-3]: 'turn-sharp-left',
    [-2]: 'turn-left',
    [-1]: 'turn-slight-left',
  },
  ...{ 1: 'turn-slight-right', 2: 'turn-right', 3: 'turn-sharp-right', 6: 'roundabout', 9: 'ferry' },
  ...{ [FINISH]: 'arrive', [REACHED_STOP]: 'arrive' },
}

function readStep(instruction: Instruction, line: readonly LatLng[], isFirst: boolean): Step {
  const { text, street_name: name = '', distance, time, interval, sign } = instruction
  const maneuver = SIGNS[sign] ?? (isFirst ? 'depart' : 'continue')
  const location = line[interval[0]]
  if (!location) throw new TypeError('no point')
  return { maneuver, instruction: text, name, distanceM: round(distance), durationSec: round(time / 1_000), location }
}
