import { beforeAll, expect, test } from 'vitest'
import { buildMadeUpRoads, createRandom } from '../../../../ops/bench/figures/location/made-up-roads.ts'
import type { RouteQuestion } from '../../../../tasks/engines/roads/answer.ts'
import { snapToRoad } from '../../../../tasks/engines/roads/cells.ts'
import { decodePolyline, encodePolyline } from '../../../../tasks/engines/roads/describe/polyline.ts'
import { formatDistance } from '../../../../tasks/engines/roads/describe/units.ts'
import { decodeGraph, describeGraph, encodeGraph, type RoadGraph } from '../../../../tasks/engines/roads/graph.ts'
import { MODES, type Mode } from '../../../../tasks/engines/roads/mode.ts'
import { planMatrix, planRoute } from '../../../../tasks/engines/roads/plan.ts'
import { buildProfile } from '../../../../tasks/engines/roads/profile.ts'
import { Searcher } from '../../../../tasks/engines/roads/search.ts'
import { orderVisits } from '../../../../tasks/engines/roads/visit-order.ts'
import { buildTown, crossing } from '../../../support/places/town.ts'

let town: RoadGraph
let searcher: Searcher
beforeAll(async () => {
  town = await buildTown()
  searcher = new Searcher(town)
})

const ask = (waypoints: RouteQuestion['waypoints'], options: Partial<RouteQuestion> = {}): RouteQuestion => ({
  ...{ waypoints, mode: 'drive', alternatives: 0, avoid: [], optimize: false, hasSteps: true },
  ...{ language: 'en', snapRadiusM: 100, ...options },
})
const plan = (waypoints: RouteQuestion['waypoints'], options?: Partial<RouteQuestion>) =>
  planRoute(town, searcher, ask(waypoints, options))
const legOf = (waypoints: RouteQuestion['waypoints'], options?: Partial<RouteQuestion>) => {
  const [leg] = plan(waypoints, options).routes[0]!.legs
  return { ...leg!, text: leg!.steps.map(({ instruction }) => instruction) }
}
const problemOf = (run: () => unknown) => {
  try {
    return run()
  } catch (error) {
    return { code: (error as { code: string }).code, hints: (error as { hints: object }).hints }
  }
}

test('a drive takes the quickest road and says what to do', () => {
  const { distanceM, durationSec, text } = legOf([crossing(3, 1), crossing(4, 3)])
  expect(distanceM).toBeGreaterThan(670)
  expect(distanceM).toBeLessThan(685)
  expect(durationSec).toBeGreaterThan(60)
  expect(durationSec).toBeLessThan(90)
  expect(text.at(-1)).toBe('Arrive at the waypoint')
  expect(text[0]).toMatch(/^Head (north|east) onto (Apple Avenue|Third Street)$/)
})

test('one-way streets, trucks under a low bridge, footpaths and private roads', () => {
  const along = [crossing(2, 1), crossing(2, 4)]
  expect(legOf(along).distanceM).toBeLessThan(690)
  expect(legOf(along.toReversed()).distanceM).toBeGreaterThan(1_000)
  expect(legOf(along.toReversed(), { mode: 'walk' }).distanceM).toBeLessThan(690)
  const bridge = [crossing(1, 3), crossing(2, 3)]
  expect(legOf(bridge).distanceM).toBeLessThan(230)
  expect(legOf(bridge, { mode: 'truck' }).distanceM).toBeGreaterThan(650)
  const park = [crossing(2, 2), crossing(3, 3)]
  expect(legOf(park, { mode: 'walk' }).distanceM).toBeLessThan(325)
  expect(legOf(park, { mode: 'bike' }).distanceM).toBeGreaterThan(440)
  const [driveway] = plan([{ lat: 47.1421, lng: 9.5185 }, crossing(1, 1)], { snapRadiusM: 300 }).waypoints
  expect(driveway!.offsetM).toBeGreaterThan(100)
})

test('motorways, tolls and ferries are taken, unless they are to be avoided', () => {
  const across = [crossing(1, 1), crossing(1, 4)]
  expect(legOf(across).text).toEqual([
    'Head south',
    expect.stringMatching(/^(Merge|Turn left) onto A 1$/),
    expect.stringContaining('ramp'),
    'Arrive at the waypoint',
  ])
  expect(legOf(across, { avoid: ['tolls'] }).text[0]).toBe('Head east onto First Street')
  expect(legOf(across, { avoid: ['highways'] }).distanceM).toBeLessThan(690)
  const island = [crossing(4, 2), { lat: 47.15, lng: 9.568 }]
  const { text, durationSec } = legOf(island)
  expect(text).toContain('At the roundabout take exit 1 onto Harbour Road')
  expect(text).toContain('Take the ferry onto Lake Ferry')
  expect(text).toContain('Continue onto Île Röad')
  expect(durationSec).toBeGreaterThan(600)
  expect(problemOf(() => plan(island, { avoid: ['ferries'] }))).toMatchObject({ code: 'NO_ROUTE', hints: { leg: 0 } })
  expect(legOf(island, { language: 'de' }).text).toContain('Im Kreisverkehr die 1. Ausfahrt nehmen: Harbour Road')
  const west = legOf([crossing(4, 2), { lat: 47.15, lng: 9.516 }], { mode: 'bike', language: 'fr' })
  expect(west.text[0]).toMatch(/^Partez vers (le nord|l'ouest)/)
})

test('places are snapped to the large network only, and within the radius', () => {
  const [lost] = plan([{ lat: 47.1408, lng: 9.5246 }, crossing(3, 3)], { snapRadiusM: 200 }).waypoints
  expect(lost!.name).not.toBe('Lost Lane')
  expect(lost!.offsetM).toBeGreaterThan(50)
  const far = { lat: 47.1408, lng: 9.5246 }
  expect(problemOf(() => plan([crossing(1, 1), far], { snapRadiusM: 10 }))).toMatchObject({
    code: 'SNAP_TOO_FAR',
    hints: { index: 1, radiusM: 10 },
  })
  expect(problemOf(() => plan([crossing(1, 1), { lat: 50, lng: 9 }]))).toMatchObject({
    code: 'OUT_OF_COVERAGE',
    hints: { index: 1, bounds: town.bounds },
  })
  expect(problemOf(() => plan([crossing(1, 1), crossing(2, 2)], { mode: 'transit' }))).toMatchObject({
    code: 'MODE_UNSUPPORTED',
    hints: { modes: [...MODES] },
  })
  expect(problemOf(() => plan([crossing(1, 1), crossing(2, 2)], { departAt: '2026-11-22T10:00:00Z' }))).toMatchObject({
    code: 'OPTION_UNSUPPORTED',
  })
})

test('several legs, the same place twice, alternatives and the order of visits', () => {
  const stops = [crossing(1, 1), crossing(4, 4), crossing(4, 1), crossing(1, 4)]
  const { routes, waypointOrder } = plan(stops, { optimize: true })
  expect(waypointOrder).toEqual([0, 2, 1, 3])
  expect(routes[0]!.legs).toHaveLength(3)
  const sum = routes[0]!.legs.reduce((total, { distanceM }) => total + distanceM, 0)
  expect(Math.abs(routes[0]!.distanceM - sum)).toBeLessThan(3)
  expect(routes[0]!.durationSec).toBeLessThan(plan(stops).routes[0]!.durationSec)
  expect(plan([crossing(3, 3), crossing(3, 3)]).routes[0]).toMatchObject({ distanceM: 0, durationSec: 0 })
  const others = plan([crossing(3, 1), crossing(4, 4)], { alternatives: 2 }).routes
  expect(others.length).toBeGreaterThan(1)
  expect(others[1]!.durationSec).toBeGreaterThanOrEqual(others[0]!.durationSec)
  expect(others[1]!.points).not.toEqual(others[0]!.points)
})

test('a matrix has the times of the routes, both ways', () => {
  const stops = [crossing(2, 1), crossing(2, 4), crossing(4, 2)]
  const { matrix } = planMatrix(town, searcher, ask(stops))
  for (const [from, row] of matrix.durationsSec.entries())
    for (const [to, seconds] of row.entries())
      expect(seconds).toBe(plan([stops[from]!, stops[to]!]).routes[0]!.durationSec)
  expect(matrix.distancesM[1]![0]).toBeGreaterThan(matrix.distancesM[0]![1]!)
})

test('the search finds what a search of everything finds, in every mode and with roads avoided', () => {
  const graph = buildMadeUpRoads(40)
  const all = new Searcher(graph)
  const random = createRandom(11)
  const place = (mode: Mode) => {
    const point = { lat: random() * 0.08, lng: random() * 0.08 }
    return snapToRoad(graph, point, { mode, radiusM: 5_000, allows: () => true })!
  }
  for (const mode of MODES) {
    for (const avoid of [[], ['highways'] as const]) {
      const costs = { seconds: buildProfile(graph.kinds, mode, avoid), mode }
      for (let round = 0; round < 12; round++) {
        const [from, to] = [place(mode), place(mode)]
        const [full] = all.findAll(from, [to], costs)
        expect(all.find(from, to, costs)?.cost ?? -1).toBeCloseTo(full?.cost ?? -1, 1)
      }
    }
  }
})

test('a graph that was stored in parts is the same again', async () => {
  async function* parts() {
    for (const bytes of encodeGraph(town, 1_000)) yield Buffer.from(bytes)
  }
  const again = await decodeGraph(JSON.parse(JSON.stringify(describeGraph(town))), parts())
  expect(describeGraph(again)).toEqual(describeGraph(town))
  expect([...again.shape]).toEqual([...town.shape])
  expect([...again.bikeBetween]).toEqual([...town.bikeBetween])
  async function* fewer() {
    yield* [...encodeGraph(town, 1_000)].slice(0, -1)
  }
  await expect(decodeGraph(describeGraph(town), fewer())).rejects.toThrow('not whole')
})

test('lines, distances and orders of visits', () => {
  const line = [crossing(1, 1), { lat: -33.5, lng: 179.999999 }, crossing(2, 2)]
  const close = decodePolyline(encodePolyline(line), 6)!
  for (const [index, point] of close.entries()) {
    expect(point.lat).toBeCloseTo(line[index]!.lat, 5)
    expect(point.lng).toBeCloseTo(line[index]!.lng, 5)
  }
  // The example of the format's own documentation.
  expect(decodePolyline('_p~iF~ps|U_ulLnnqC_mqNvxq`@', 5)).toEqual([
    { lat: 38.5, lng: -120.2 },
    { lat: 40.7, lng: -120.95 },
    { lat: 43.252, lng: -126.453 },
  ])
  expect(decodePolyline('\u0001', 6)).toBeUndefined()
  expect([346, 12_345].map(metres => formatDistance(metres, 'metric'))).toEqual(['350 m', '12 km'])
  expect([100, 2_000].map(metres => formatDistance(metres, 'imperial'))).toEqual(['350 ft', '1.2 mi'])
  const spots = [0, 50, 10, 40, 20, 30, 60]
  const durations = spots.map(from => spots.map(to => Math.abs(from - to)))
  expect(orderVisits(durations).map(index => spots[index])).toEqual([0, 10, 20, 30, 40, 50, 60])
})
