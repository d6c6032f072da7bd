import type { Static } from 'typebox'
import { type Price, Problem, usd } from '#kit'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { LIMIT_MS } from '../fields.ts'
import { locateWaypoints } from '../locate.ts'
import { RouteBody, RouteReply } from '../route-fields.ts'
import { showMatrix, showRoutes, showStraightLines } from '../show-route.ts'

type Body = { waypoints: readonly unknown[]; matrix: boolean }

const PRICE: Price<Body> = {
  ...{ unit: 'waypoint beyond two', rateMicros: usd('0.0005'), baseMicros: usd('0.003'), basis: 'body' },
  ...{ minUnits: 0, maxUnits: 23, units: ({ waypoints }) => waypoints.length - 2 },
  variants: [
    {
      when: '`matrix` is true',
      factor: 4,
      unit: 'matrix',
      maxUnits: 1,
      applies: ({ matrix }) => matrix,
      units: () => 1,
    },
  ],
}

/** There is no way on the roads, or there are no roads, as opposed to a call that is wrong or a provider that fails. */
const NO_WAY = ['NO_ROUTE', 'SNAP_TOO_FAR', 'OUT_OF_COVERAGE', 'PROVIDER_NOT_CONFIGURED']

export default route({
  at: 'POST /v1/location/route',
  summary: 'Find the way between places by road: distance, duration, line and instructions.',
  keywords:
    'directions, routing, navigation, driving distance, travel time, distance matrix, shortest path, visit order, distance between two cities, how far',
  description:
    'Give 2 to 25 waypoints. The embedded graph knows drive, walk, bike and truck (12 t, 4 m high), one-way roads and access, ' +
    'but no traffic and no turn restrictions. With matrix, the answer is the table of all pairs and no route. ' +
    'Where the service has no data of roads, only `fallback: greatcircle` answers.',
  auth: BILLABLE_AUTH,
  needs: ['router'],
  needsOf: ({ fallback }) => (fallback === 'none' ? ['router'] : []),
  body: RouteBody,
  reply: { status: 200, schema: RouteReply },
  price: PRICE,
  errors: [
    'INVALID_PARAM',
    'CONFLICTING_OPTIONS',
    'LOCATION_INVALID',
    'NO_ROUTE',
    'OUT_OF_COVERAGE',
    'SNAP_TOO_FAR',
    'MODE_UNSUPPORTED',
    'OPTION_UNSUPPORTED',
    'TIME_LIMIT_EXCEEDED',
    'PROVIDER_NOT_CONFIGURED',
    'PROVIDER_UNAVAILABLE',
    'BUSY',
    'PAYMENT_REQUIRED',
    'INSUFFICIENT_BALANCE',
  ],
  examples: [
    {
      title: 'By car between two points',
      input: {
        waypoints: [
          { lat: 47.142, lng: 9.524 },
          { lat: 47.166, lng: 9.51 },
        ],
      },
    },
    {
      title: 'Walking, as an encoded line without instructions',
      input: { waypoints: ['Vaduz', 'Schaan'], mode: 'walk', geometry: 'polyline6', steps: false },
    },
  ],

  async handle({ body, job }, context) {
    const { waypoints, alternatives, optimize, matrix, steps, fallback, geometry, units, ...options } = body
    checkTogether(body)
    const points = await locateWaypoints(context, waypoints, options.language)
    const question = { ...options, waypoints: points, alternatives, optimize, hasSteps: steps }
    const { routers } = context
    const asked = { question, paidMicros: job?.chargeMicros ?? 0n, signal: AbortSignal.timeout(LIMIT_MS) }
    if (matrix) return showMatrix(await routers.matrix(asked))
    try {
      return showRoutes(await routers.plan(asked), { geometry, units })
    } catch (error) {
      if (fallback === 'none' || !isWithoutWay(error)) throw error
      return showStraightLines(question, { geometry, units })
    }
  },
})

function checkTogether({ waypoints, alternatives, matrix, optimize, fallback }: Static<typeof RouteBody>): void {
  if (alternatives > 0 && waypoints.length > 2)
    throw new Problem('CONFLICTING_OPTIONS', {
      fields: ['alternatives', 'waypoints'],
      reason: 'only for two waypoints',
    })
  const other = { alternatives: alternatives > 0, optimize, fallback: fallback !== 'none' }
  const conflict = Object.entries(other).find(([, isSet]) => isSet)
  if (matrix && conflict) throw new Problem('CONFLICTING_OPTIONS', { fields: ['matrix', conflict[0]] })
}

function isWithoutWay(error: unknown): boolean {
  return error instanceof Problem && NO_WAY.includes(error.code)
}
