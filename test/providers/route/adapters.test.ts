import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../ops/config.ts'
import type { Router } from '../../../ops/providers/route/contract.ts'
import { openRouter } from '../../../ops/providers/route/open.ts'
import type { RouteQuestion } from '../../../tasks/formats/roads/answer.ts'
import { type FakeRouter, openFakeRouter } from '../../support/servers/routers.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'

let server: FakeRouter
beforeAll(async () => {
  server = await openFakeRouter()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  server.requests.length = 0
  server.next = undefined
})

const NO_ROADS = { currentId: async () => undefined, load: async () => undefined }
const env = (provider: string) => ({
  ...{ ROUTE_PROVIDER: provider, ROUTE_URL: `${server.url}/`, ROUTE_API_KEY: 'a-secret-token' },
  ...{ ROUTE_MODES: 'drive, walk', DATA_DIR: '/tmp', SECRET: 'a secret of the tests alone' },
})
const open = (provider: string): Router => openRouter(loadConfig(env(provider)).router, NO_ROADS)
const WAYPOINTS = [
  { lat: 52.5, lng: 13.4 },
  { lat: 52.52, lng: 13.42 },
]
const ask = (options: Partial<RouteQuestion> = {}): RouteQuestion => ({
  ...{ waypoints: WAYPOINTS, mode: 'drive', alternatives: 0, avoid: [], optimize: false, hasSteps: true },
  ...{ language: 'de', snapRadiusM: 300, ...options },
})
const signal = new AbortController().signal
const plan = (provider: string, options?: Partial<RouteQuestion>) => open(provider).plan(ask(options), signal)

test.each([
  ['osrm', 'Nach Nordosten starten: Straße am Ufer', 'Straße am Ufer'],
  ['mapbox', 'Mapbox: depart', 'Straße am Ufer'],
  ['valhalla', 'Fahren Sie los.', 'Ufer'],
])('%s: routes, alternatives and steps', async (provider, instruction, name) => {
  const { routes, waypoints } = await plan(provider, { alternatives: 1 })
  expect(routes).toHaveLength(2)
  expect(routes[0]).toMatchObject({ distanceM: 2600, durationSec: 200, legs: [{ distanceM: 2600, durationSec: 200 }] })
  expect(routes[0]!.points).toHaveLength(3)
  expect(routes[0]!.legs[0]!.steps).toMatchObject([
    { maneuver: 'depart', instruction, name, location: WAYPOINTS[0] },
    { maneuver: 'turn-sharp-left', name: '', distanceM: 1300 },
    { maneuver: 'arrive', location: WAYPOINTS[1] },
  ])
  expect(waypoints[0]).toMatchObject({ snapped: WAYPOINTS[0], offsetM: 0 })
  expect((await plan(provider, { hasSteps: false })).routes[0]!.legs[0]!.steps).toEqual([])
  expect(open(provider).attribution()).toContain('OpenStreetMap')
})

test.each(['osrm', 'mapbox', 'valhalla'])('%s: a matrix has null where there is no way', async provider => {
  const { matrix, waypoints } = await open(provider).matrix(ask(), signal)
  expect(matrix).toEqual({
    distancesM: [
      [0, 1300],
      [null, 0],
    ],
    durationsSec: [
      [0, 100],
      [null, 0],
    ],
  })
  expect(waypoints).toHaveLength(2)
})

test('every option reaches the provider in its own words, and its key only where it belongs', async () => {
  await plan('osrm', { mode: 'walk', avoid: ['tolls', 'highways'] })
  await plan('mapbox', { avoid: ['unpaved'], departAt: '2026-11-22T10:00:00Z' })
  await plan('valhalla', { mode: 'truck', avoid: ['ferries', 'unpaved'], alternatives: 2 })
  const [osrm, mapbox, valhalla] = server.requests
  expect(osrm!.path).toContain('/route/v1/foot/13.400000,52.500000;13.420000,52.520000?')
  expect(osrm!.path).toContain('exclude=toll%2Cmotorway')
  expect(osrm!.path).toContain('radiuses=300%3B300')
  expect(osrm!.path).not.toContain('secret')
  expect(mapbox!.path).toContain('/directions/v5/mapbox/driving/')
  expect(mapbox!.path).toContain('access_token=a-secret-token')
  expect(mapbox!.path).toContain('depart_at=2026-11-22T10%3A00%3A00Z')
  expect(mapbox!.path).toContain('language=de')
  expect(valhalla!.authorization).toBe('Bearer a-secret-token')
  expect(JSON.parse(valhalla!.body)).toEqual({
    locations: WAYPOINTS.map(({ lat, lng }) => ({ lat, lon: lng, search_cutoff: 300 })),
    costing: 'truck',
    costing_options: { truck: { use_ferry: 0, exclude_unpaved: true } },
    alternates: 2,
    directions_options: { units: 'kilometers', language: 'de-DE' },
  })
  const stops = [...WAYPOINTS, ...WAYPOINTS]
  expect((await plan('osrm', { waypoints: stops, optimize: true })).waypointOrder).toEqual([0, 2, 1, 3])
  expect(server.requests.at(-1)!.path).toContain('/trip/v1/driving/')
})

test.each([
  ['osrm', { mode: 'truck' }, 'MODE_UNSUPPORTED'],
  ['mapbox', { mode: 'transit' }, 'MODE_UNSUPPORTED'],
  ['osrm', { avoid: ['unpaved'] }, 'OPTION_UNSUPPORTED'],
  ['osrm', { departAt: '2026-11-22T10:00:00Z' }, 'OPTION_UNSUPPORTED'],
  ['valhalla', { departAt: '2026-11-22T10:00:00Z' }, 'OPTION_UNSUPPORTED'],
  ['mapbox', { departAt: '2026-11-22T10:00:00Z', mode: 'walk' }, 'OPTION_UNSUPPORTED'],
] as const)('%s refuses %o without a call', async (provider, options, code) => {
  await expect(plan(provider, options as Partial<RouteQuestion>)).rejects.toMatchObject({ code })
  expect(server.requests).toEqual([])
})

test.each([
  ['osrm', { status: 400, code: 'NoRoute', message: 'Impossible route' }, 'NO_ROUTE'],
  ['osrm', { status: 400, code: 'NoSegment' }, 'SNAP_TOO_FAR'],
  [
    'osrm',
    { status: 400, code: 'InvalidValue', message: 'Exclude flag combination is not supported.' },
    'OPTION_UNSUPPORTED',
  ],
  ['mapbox', { code: 'NoRoute', routes: [] }, 'NO_ROUTE'],
  ['mapbox', { status: 422, code: 'InvalidInput' }, 'OPTION_UNSUPPORTED'],
  ['mapbox', { status: 401, message: 'Not Authorized - Invalid Token' }, 'PROVIDER_UNAVAILABLE'],
  ['valhalla', { status: 400, error_code: 442, error: 'No path could be found for input' }, 'NO_ROUTE'],
  ['valhalla', { status: 400, error_code: 171, error: 'No suitable edges near location' }, 'SNAP_TOO_FAR'],
  [
    'valhalla',
    { status: 400, error_code: 154, error: 'Path distance exceeds the max distance limit' },
    'OPTION_UNSUPPORTED',
  ],
  ['osrm', { status: 429, message: 'Too Many Requests' }, 'PROVIDER_UNAVAILABLE'],
  ['osrm', { list: [] }, 'PROVIDER_UNAVAILABLE'],
  ['osrm', { code: 'Ok' }, 'PROVIDER_UNAVAILABLE'],
  ['osrm', { code: 'Ok', routes: [{ distance: 'far' }], waypoints: [] }, 'PROVIDER_UNAVAILABLE'],
  ['valhalla', { trip: { legs: [{ shape: '\u0001' }] } }, 'PROVIDER_UNAVAILABLE'],
  ['valhalla', { list: null }, 'PROVIDER_UNAVAILABLE'],
])('%s: %o is a problem', async (provider, answer, code) => {
  server.next = answer
  const error = await plan(provider).catch((problem: unknown) => problem)
  expect(error).toMatchObject({ code })
  expect(JSON.stringify(error)).not.toContain('secret')
})

test('a call is answered by the provider, and is free if that fails', async () => {
  await using api = await openInProcessApi(env('osrm'))
  const customer = await openBatonOwner(api)
  const answer = await customer.call('POST', '/v1/location/route', { waypoints: WAYPOINTS })
  expect(answer.headers['x-service-charged-micros']).toBe('3000')
  expect(answer.json()).toMatchObject({ engine: 'osrm', routes: [{ distanceText: '2.6 km' }] })
  const money = await customer.money()
  server.next = { status: 429 }
  expect((await customer.call('POST', '/v1/location/route', { waypoints: WAYPOINTS })).json()).toMatchObject({
    code: 'PROVIDER_UNAVAILABLE',
    provider: 'osrm',
  })
  expect(await customer.money()).toEqual(money)
})

test.each([
  [{ ROUTE_PROVIDER: 'osrm' }, 'ROUTE_URL must be set when ROUTE_PROVIDER is osrm.'],
  [{ ROUTE_URL: 'http://127.0.0.1:5000' }, 'ROUTE_PROVIDER must be set when ROUTE_URL is set.'],
])('the configuration %o is refused', (variables, message) => {
  expect(() => loadConfig({ DATA_DIR: '/tmp', SECRET: 'a secret of the tests alone', ...variables })).toThrow(message)
})
