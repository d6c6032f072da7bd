import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../../../sql/ledger.ts'
import { beginRoadLoad, storeRoadPart } from '../../../sql/location/road-data.ts'
import { ROOT } from '../../support/house/files.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { crossing, TOWN_FILE } from '../../support/places/town.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runCli } from '../../support/stack/run-cli.ts'

let api: InProcessApi
let customer: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openInProcessApi()
  customer = await openBatonOwner(api)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const PATH = '/v1/location/route'
const SQUARE = [crossing(1, 1), crossing(3, 3)]
const plan = (body: object) => customer.call('POST', PATH, body)
const capability = async () =>
  (await api.app.inject({ url: '/v1/capabilities' })).json().operations['location.route'] as object

function cli(...args: string[]) {
  const { databaseUrl, secret } = api.context.config
  return runCli({ DATABASE_URL: databaseUrl!, SECRET: secret }, ...args, '--json')
}

test('without roads a call is refused before it costs anything, and the capabilities say what to do', async () => {
  const [before] = await customer.money()
  expect((await plan({ waypoints: SQUARE })).json()).toMatchObject({
    code: 'PROVIDER_NOT_CONFIGURED',
    install: expect.stringContaining('roads load'),
  })
  expect(await customer.money()).toEqual([before, 0n])
  expect(await capability()).toMatchObject({ available: false, missing: [{ tool: 'router' }] })
})

test('without roads too, whoever has asked for straight lines gets them, marked as such', async () => {
  const answer = await plan({ waypoints: SQUARE, fallback: 'greatcircle' })
  expect(answer.json()).toMatchObject({ approximate: true, engine: 'greatcircle', routes: [{ legs: [{ steps: [] }] }] })
  expect(answer.headers['x-service-charged-micros']).toBe('3000')
  expect((await plan({ waypoints: SQUARE, fallback: 'greatcircle', matrix: true })).json().code).toBe(
    'CONFLICTING_OPTIONS',
  )
})

test('an extract becomes a graph, also if its load broke off, and a broken file changes nothing', async () => {
  await using folder = await freshFolder()
  const path = join(folder.path, 'town.osm.pbf')
  await copyFile(TOWN_FILE, path)
  const { db } = api.context
  const facts = { file: 'town.osm.pbf', sizeBytes: 908, attribution: 'of the load that broke off', date: '2026-11-01' }
  const { id } = await beginRoadLoad(db, facts)
  // The rest of a run that had stored its points only in part.
  const bytes = new Uint8Array(Int32Array.of(0, 0, 0).buffer)
  await storeRoadPart(db, id, { kind: 'points', at: 0, bytes }, { points: { parts: 1, position: 0, isDone: false } })
  const loaded = JSON.parse((await cli('roads', 'load', path, '--date', '2026-11-01')).stdout) as { edges: number }
  expect(loaded).toMatchObject({ dataDate: '2026-11-01', edges: expect.any(Number) })
  const refused = await cli('roads', 'load', join(ROOT, 'tasks/samples/two-pages.pdf'))
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('neither PBF nor XML') })
  expect(JSON.parse((await cli('roads', 'show')).stdout)).toMatchObject({
    attribution: 'of the load that broke off',
    edges: loaded.edges,
    bounds: [9.51, 47.139, 9.57, 47.1504],
  })
  await api.context.routers.refresh()
  expect(await capability()).toEqual({ available: true, provider: 'embedded' })
})

test('a route has distances, times, a line and instructions, and costs by its waypoints', async () => {
  const answer = await plan({ waypoints: [...SQUARE, crossing(4, 4)] })
  expect(answer.headers['x-service-charged-micros']).toBe('3500')
  const { routes, waypoints, engine, attribution, dataDate } = answer.json()
  expect({ engine, attribution, dataDate }).toMatchObject({ engine: 'embedded', dataDate: '2026-11-01' })
  expect(waypoints).toHaveLength(3)
  const [{ geometry, legs, distanceM, distanceText }] = routes
  expect(distanceM).toBeGreaterThan(1_300)
  expect(distanceText).toBe('1.3 km')
  expect(geometry.type).toBe('LineString')
  expect(geometry.coordinates[0]).toEqual([9.52, 47.14])
  expect(geometry.coordinates.at(-1)).toEqual([9.529, 47.146])
  expect(legs.map(({ steps }: { steps: object[] }) => steps[0])).toMatchObject([
    { maneuver: 'depart', instruction: expect.stringContaining('Head') },
    { maneuver: 'depart' },
  ])
})

test('every option has its effect', async () => {
  const short = { waypoints: SQUARE, steps: false, geometry: 'none' }
  const base = (await plan(short)).json().routes[0]
  expect(base).not.toHaveProperty('geometry')
  expect(base.legs[0].steps).toEqual([])
  const line = (await plan({ ...short, geometry: 'polyline6' })).json().routes[0].geometry
  expect(line).toEqual(expect.stringMatching(/^_/))
  expect((await plan({ ...short, units: 'imperial' })).json().routes[0].distanceText).toBe('0.6 mi')
  expect((await plan({ ...short, mode: 'walk' })).json().routes[0].durationSec).toBeGreaterThan(base.durationSec)
  const spanish = (await plan({ waypoints: SQUARE, language: 'es' })).json().routes[0].legs[0].steps
  expect(spanish.at(-1).instruction).toBe('Ha llegado')
  const matrix = await plan({ waypoints: [...SQUARE, crossing(4, 1)], matrix: true })
  expect(matrix.headers['x-service-charged-micros']).toBe('5000')
  expect(matrix.json().routes).toEqual([])
  expect(matrix.json().matrix.distancesM.map((row: number[]) => row.length)).toEqual([3, 3, 3])
  expect(matrix.json().matrix.durationsSec[0][1]).toBe(base.durationSec)
  const visits = [crossing(1, 1), crossing(4, 4), crossing(4, 1), crossing(1, 4)]
  expect((await plan({ ...short, waypoints: visits, optimize: true })).json().waypointOrder).toEqual([0, 2, 1, 3])
  const others = { ...short, waypoints: [crossing(3, 1), crossing(4, 4)], alternatives: 3 }
  expect((await plan(others)).json().routes.length).toBeGreaterThan(1)
  const sea = { waypoints: [crossing(1, 1), { lat: 0, lng: 0 }], fallback: 'greatcircle' }
  expect((await plan(sea)).json()).toMatchObject({ approximate: true, routes: [{ legs: [{ steps: [] }] }] })
  expect((await plan({ ...short, dryRun: true })).json()).toMatchObject({ quote: { amountMicros: '3000' } })
})

test('what cannot be is refused and costs nothing', async () => {
  const [before] = await customer.money()
  const refusals: [object, string][] = [
    [{ waypoints: [crossing(1, 1), { lat: 0, lng: 0 }] }, 'OUT_OF_COVERAGE'],
    [{ waypoints: [crossing(1, 1), { lat: 47.1434, lng: 9.5335 }], snapRadiusM: 20 }, 'SNAP_TOO_FAR'],
    [{ waypoints: [crossing(1, 1), { lat: 47.15, lng: 9.568 }], avoid: ['ferries'] }, 'NO_ROUTE'],
    [{ waypoints: [crossing(1, 1), 'xqzxqzxqz'] }, 'LOCATION_INVALID'],
    [{ waypoints: ['Lima', 'Oslo'] }, 'OUT_OF_COVERAGE'],
    [{ waypoints: SQUARE, mode: 'transit' }, 'MODE_UNSUPPORTED'],
    [{ waypoints: SQUARE, departAt: '2026-11-22T10:00:00+01:00' }, 'OPTION_UNSUPPORTED'],
    [{ waypoints: SQUARE, departAt: 'soon' }, 'INVALID_PARAM'],
    [{ waypoints: [...SQUARE, crossing(1, 4)], alternatives: 1 }, 'CONFLICTING_OPTIONS'],
    [{ waypoints: SQUARE, matrix: true, optimize: true }, 'CONFLICTING_OPTIONS'],
    [{ waypoints: SQUARE, matrix: true, fallback: 'greatcircle' }, 'CONFLICTING_OPTIONS'],
    [{ waypoints: [crossing(1, 1)] }, 'INVALID_PARAM'],
    [{ waypoints: [crossing(1, 1), [9, 47]] }, 'INVALID_PARAM'],
    [{ waypoints: [crossing(1, 1), { lat: 91, lng: 0 }] }, 'INVALID_PARAM'],
    [{ waypoints: SQUARE, avoid: ['dragons'] }, 'INVALID_PARAM'],
  ]
  for (const [body, code] of refusals) {
    const answer = await plan(body)
    expect([JSON.stringify(body), answer.json().code, answer.statusCode < 500]).toEqual([
      JSON.stringify(body),
      code,
      true,
    ])
  }
  expect(await customer.money()).toEqual([before, 0n])
})
