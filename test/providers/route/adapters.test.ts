import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../ops/config.ts'
import type { CountedCall } from '../../../ops/providers/counted-call.ts'
import { openRouters } from '../../../ops/providers/route/open.ts'
import type { RouteQuestion } from '../../../tasks/engines/roads/answer.ts'
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
const TOKEN = 'a-secret-token'
const env = (providers: string): Record<string, string> => ({
  ...{ ROUTE_PROVIDERS: providers, OSRM_URL: `${server.url}/`, OSRM_MODES: 'drive, walk', VALHALLA_URL: server.url },
  ...{ VALHALLA_KEY: TOKEN, MAPBOX_URL: server.url, MAPBOX_TOKEN: TOKEN, GRAPHHOPPER_URL: server.url },
  ...{ GRAPHHOPPER_KEY: TOKEN, GOOGLE_MAPS_URL: server.url, GOOGLE_MAPS_KEY: TOKEN },
  ...{ DATA_DIR: '/tmp', SECRET: 'a secret of the tests alone' },
})
const open = (providers: string, more: Record<string, string> = {}, onCall?: (call: CountedCall) => void) =>
  openRouters(loadConfig({ ...env(providers), ...more }).location, NO_ROADS, onCall)
const WAYPOINTS = [
  { lat: 52.5, lng: 13.4 },
  { lat: 52.52, lng: 13.42 },
]
const ask = (options: Partial<RouteQuestion> = {}): RouteQuestion => ({
  ...{ waypoints: WAYPOINTS, mode: 'drive', alternatives: 0, avoid: [], optimize: false, hasSteps: true },
  ...{ language: 'de', snapRadiusM: 300, ...options },
})
const signal = new AbortController().signal
const paid = { paidMicros: 5_000n, signal }
const plan = async (provider: string, options?: Partial<RouteQuestion>) =>
  (await open(provider).plan({ question: ask(options), ...paid })).answer

test.each([
  ['osrm', 'Nach Nordosten starten: Straße am Ufer', 'Straße am Ufer'],
  ['mapbox', 'Mapbox: depart', 'Straße am Ufer'],
  ['valhalla', 'Fahren Sie los.', 'Ufer'],
  ['graphhopper', 'Geradeaus auf Ufer', 'Ufer'],
  ['google', 'Fahre auf Ufer los', ''],
])('%s: routes, alternatives and steps', async (provider, instruction, name) => {
  const { routes, waypoints } = await plan(provider, { alternatives: 1 })
  expect(routes).toHaveLength(2)
  expect(routes[0]).toMatchObject({ distanceM: 2600, durationSec: 200, legs: [{ distanceM: 2600, durationSec: 200 }] })
  expect(routes[0]!.points).toHaveLength(3)
  const steps = [
    { maneuver: 'depart', instruction, name, location: WAYPOINTS[0] },
    { maneuver: 'turn-sharp-left', name: '', distanceM: 1300 },
    { maneuver: 'arrive', location: WAYPOINTS[1] },
  ]
  expect(routes[0]!.legs[0]!.steps).toMatchObject(provider === 'google' ? steps.slice(0, 2) : steps)
  expect(waypoints[0]).toMatchObject({ snapped: WAYPOINTS[0], offsetM: 0 })
  expect((await plan(provider, { hasSteps: false })).routes[0]!.legs[0]!.steps).toEqual([])
  const { router } = await open(provider).plan({ question: ask(), ...paid })
  expect(router.attribution()).toMatch(/OpenStreetMap|Google Maps/)
})

test.each(['osrm', 'mapbox', 'valhalla'])('%s: a matrix has null where there is no way', async provider => {
  const free = open(provider, { LOCATION_COSTS: 'none' })
  const { matrix, waypoints } = (await free.matrix({ question: ask(), ...paid })).answer
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
  await plan('graphhopper', { avoid: ['tolls'], alternatives: 1 })
  const hopper = server.requests.at(-1)!
  expect(hopper.path).toBe('/route?key=a-secret-token')
  expect(JSON.parse(hopper.body)).toEqual({
    ...{ profile: 'car', points: WAYPOINTS.map(({ lat, lng }) => [lng, lat]), locale: 'de', instructions: true },
    ...{ points_encoded: false, 'ch.disable': true, algorithm: 'alternative_route', 'alternative_route.max_paths': 2 },
    custom_model: { priority: [{ if: 'toll == ALL || toll == HGV', multiply_by: '0' }] },
  })
  await plan('google', { avoid: ['ferries'], departAt: '2026-11-22T10:00:00+01:00' })
  const google = server.requests.at(-1)!
  expect(google).toMatchObject({ path: '/directions/v2:computeRoutes', key: TOKEN })
  expect(google.fields).toContain('routes.legs.steps.navigationInstruction')
  expect(JSON.parse(google.body)).toMatchObject({
    ...{ travelMode: 'DRIVE', routingPreference: 'TRAFFIC_AWARE', departureTime: '2026-11-22T09:00:00.000Z' },
    ...{ routeModifiers: { avoidFerries: true }, languageCode: 'de', computeAlternativeRoutes: false },
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
  ['graphhopper', { mode: 'transit' }, 'MODE_UNSUPPORTED'],
  ['graphhopper', { optimize: true }, 'OPTION_UNSUPPORTED'],
  ['graphhopper', { departAt: '2026-11-22T10:00:00Z' }, 'OPTION_UNSUPPORTED'],
  ['google', { mode: 'truck' }, 'MODE_UNSUPPORTED'],
  ['google', { avoid: ['unpaved'] }, 'OPTION_UNSUPPORTED'],
  ['google', { avoid: ['tolls'], mode: 'walk' }, 'OPTION_UNSUPPORTED'],
  ['google', { departAt: '2026-11-22T10:00:00Z', mode: 'bike' }, 'OPTION_UNSUPPORTED'],
] as const)('%s refuses %o without a call', async (provider, options, code) => {
  await expect(plan(provider, options as Partial<RouteQuestion>)).rejects.toMatchObject({ code })
  expect(server.requests).toEqual([])
})

const refuse = (name: string, message: string) => ({
  ...{ status: 400, message, hints: [{ message, details: `com.graphhopper.util.exceptions.${name}`, point_index: 1 }] },
})
const googleError = (message: string) => ({ status: 400, error: { code: 400, message, status: 'INVALID_ARGUMENT' } })

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
  ['graphhopper', refuse('PointNotFoundException', 'Cannot find point 1: 0.0,0.0'), 'SNAP_TOO_FAR'],
  ['graphhopper', refuse('ConnectionNotFoundException', 'Connection between locations not found'), 'NO_ROUTE'],
  ['graphhopper', refuse('PointOutOfBoundsException', 'Point 0 is out of bounds'), 'OUT_OF_COVERAGE'],
  [
    'graphhopper',
    refuse('IllegalArgumentException', "The requested profile 'truck' does not exist"),
    'MODE_UNSUPPORTED',
  ],
  ['graphhopper', refuse('IllegalArgumentException', 'Cannot compile expression'), 'OPTION_UNSUPPORTED'],
  [
    'graphhopper',
    { status: 401, message: 'Wrong credentials. Register and get a valid API key' },
    'PROVIDER_UNAVAILABLE',
  ],
  ['google', {}, 'NO_ROUTE'],
  ['google', googleError('API key not valid. Please pass a valid API key.'), 'PROVIDER_UNAVAILABLE'],
  ['google', googleError('Timestamp must be set to a future time.'), 'OPTION_UNSUPPORTED'],
  ['google', { status: 403, error: { code: 403, status: 'PERMISSION_DENIED' } }, 'PROVIDER_UNAVAILABLE'],
  ['google', { routes: [{ legs: [{}] }] }, 'PROVIDER_UNAVAILABLE'],
  ['graphhopper', { paths: [] }, 'PROVIDER_UNAVAILABLE'],
  ['osrm', { status: 429, message: 'Too Many Requests' }, 'PROVIDER_UNAVAILABLE'],
  ['osrm', { status: 302, message: 'https://elsewhere.test/' }, 'PROVIDER_UNAVAILABLE'],
  ['osrm', { text: '<html><body>502 Bad Gateway</body></html>', status: 200 }, 'PROVIDER_UNAVAILABLE'],
  ['osrm', { text: '{"code":"Ok","routes":[{"dist', status: 200 }, 'PROVIDER_UNAVAILABLE'],
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

test('the next provider answers where the first is unavailable, and no matrix costs more than its price', async () => {
  const calls: CountedCall[] = []
  const routers = open('osrm,valhalla', {}, call => calls.push(call))
  server.next = { status: 429 }
  expect((await routers.plan({ question: ask(), ...paid })).router.id).toBe('valhalla')
  expect(calls).toMatchObject([
    { provider: 'osrm', model: 'route', isOk: false },
    { provider: 'valhalla', isOk: true, costMicros: 0 },
  ])
  const dear = open('mapbox,google').matrix({ question: ask(), ...paid })
  await expect(dear).rejects.toMatchObject({ code: 'OPTION_UNSUPPORTED', hints: { option: 'matrix' } })
  const none = openRouters(loadConfig({ ...env('valhalla'), VALHALLA_URL: undefined }).location, NO_ROADS)
  expect(none.missing()).toBe('ROUTE_PROVIDERS')
})

test('a route has the price of its provider, where that is higher', async () => {
  await using api = await openInProcessApi(env('google'))
  const customer = await openBatonOwner(api)
  const answer = await customer.call('POST', '/v1/location/route', { waypoints: WAYPOINTS })
  expect(answer.headers['x-service-charged-micros']).toBe('12000')
  const { operations } = (await api.app.inject({ url: '/v1/capabilities' })).json()
  expect(operations['location.route']).toEqual({ available: true, provider: 'google' })
})
