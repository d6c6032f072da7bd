import { Type } from 'typebox'
import { Choice } from '#kit'
import { INSTRUCTION_LANGUAGES, MANEUVERS } from '../../../tasks/engines/roads/describe/phrases.ts'
import { AVOIDABLE, MODES } from '../../../tasks/engines/roads/mode.ts'
import { Position } from './fields.ts'

const MAX_WAYPOINTS = 25

const Point = Type.Object(Position, { additionalProperties: false })

export const RouteBody = Type.Object(
  {
    waypoints: Type.Array(
      Type.Union([Point, Type.String({ minLength: 1, maxLength: 256, description: 'The name of a place.' })]),
      { minItems: 2, maxItems: MAX_WAYPOINTS },
    ),
    mode: Choice([...MODES, 'transit'], { default: 'drive', description: '`transit` needs a provider that has it.' }),
    alternatives: Type.Integer({ default: 0, minimum: 0, maximum: 3, description: 'Other routes, for two waypoints.' }),
    avoid: Type.Array(Choice(AVOIDABLE), { default: [], maxItems: AVOIDABLE.length }),
    departAt: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?(Z|[+-]\\d\\d:\\d\\d)$',
        description: 'A time with its zone, for providers that know traffic or timetables.',
      }),
    ),
    optimize: Type.Boolean({ default: false, description: 'Finds the order of the waypoints between first and last.' }),
    steps: Type.Boolean({ default: true }),
    geometry: Choice(['geojson', 'polyline6', 'none'], { default: 'geojson' }),
    units: Choice(['metric', 'imperial'], { default: 'metric', description: 'Of `distanceText`.' }),
    language: Choice(INSTRUCTION_LANGUAGES, { default: 'en', description: 'Of the instructions.' }),
    snapRadiusM: Type.Integer({
      default: 500,
      minimum: 1,
      maximum: 5_000,
      description: 'How far the nearest road may be from a waypoint.',
    }),
    matrix: Type.Boolean({ default: false, description: 'Gives all pairs of waypoints instead of a route.' }),
    fallback: Choice(['none', 'greatcircle'], {
      default: 'none',
      description:
        '`greatcircle`: where there is no route, or no data of roads, straight lines, marked as `approximate`.',
    }),
  },
  { additionalProperties: false },
)

const Metres = Type.Integer({ minimum: 0 })
const Seconds = Type.Integer({ minimum: 0 })
const Measured = { distanceM: Metres, durationSec: Seconds, distanceText: Type.String() }
const Pairs = Type.Array(Type.Array(Type.Union([Metres, Type.Null()])))

const Step = Type.Object({
  maneuver: Choice(MANEUVERS),
  instruction: Type.String(),
  name: Type.String({ description: 'Of the road; may be empty.' }),
  ...Measured,
  location: Type.Object(Position),
})

const Line = Type.Object({
  type: Type.Literal('LineString'),
  coordinates: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
})

export const RouteReply = Type.Object({
  routes: Type.Array(
    Type.Object({
      ...Measured,
      geometry: Type.Optional(
        Type.Union([Line, Type.String()], { description: 'GeoJSON has longitudes first; a text is a polyline6.' }),
      ),
      legs: Type.Array(Type.Object({ ...Measured, steps: Type.Array(Step) })),
    }),
  ),
  waypoints: Type.Array(
    Type.Object({ snapped: Type.Object(Position), offsetM: Metres, name: Type.String() }, { description: 'As given.' }),
  ),
  waypointOrder: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { description: 'The order of the visit.' })),
  matrix: Type.Optional(
    Type.Object({ distancesM: Pairs, durationsSec: Pairs }, { description: 'From each waypoint, a row, to each.' }),
  ),
  approximate: Type.Optional(
    Type.Literal(true, {
      description: 'Straight lines: there is no route, and `durationSec` is guessed from their length.',
    }),
  ),
  engine: Type.String({ description: '`embedded`, or the provider that answered.' }),
  attribution: Type.String({ description: 'Must be shown with the route.' }),
  dataDate: Type.Optional(Type.String()),
})
