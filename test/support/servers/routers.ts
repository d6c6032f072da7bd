import { encodePolyline } from '../../../tasks/engines/roads/describe/polyline.ts'
import { type LocalServer, openLocalServer } from './local.ts'

/** A router over HTTP that answers in the form of OSRM and of Valhalla, or as the test wants it to fail. */
export interface FakeRouter extends LocalServer {
  requests: { path: string; body: string; authorization?: string; key?: string; fields?: string }[]
  /** Answers the next call instead of a route. */
  next: object | undefined
}

const PLACES = [
  { lat: 52.5, lng: 13.4 },
  { lat: 52.51, lng: 13.41 },
  { lat: 52.52, lng: 13.42 },
]
const LINE = encodePolyline(PLACES)

export async function openFakeRouter(): Promise<FakeRouter> {
  const requests: FakeRouter['requests'] = []
  const server = await openLocalServer(({ path, body, headers }) => {
    const named = {
      authorization: headers.authorization,
      key: headers['x-goog-api-key'],
      fields: headers['x-goog-fieldmask'],
    }
    requests.push({
      path,
      body,
      ...(JSON.parse(JSON.stringify(named)) as Partial<typeof named>),
    } as (typeof requests)[number])
    const { next } = fake
    // A broken answer stays, because such a call is sent twice.
    if (!next || !('text' in next)) fake.next = undefined
    return next ?? answerPath(path)
  })
  const fake: FakeRouter = {
    url: server.url,
    requests,
    next: undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return fake
}

function answerPath(path: string): object {
  if (/^\/(route|trip|directions|optimized-trips)\/v\d\//.test(path)) return answerOsrm(path)
  if (/^\/(table|directions-matrix)\//.test(path)) return answerTable()
  if (path.startsWith('/route?key=')) return { paths: [HOPPER_PATH, HOPPER_PATH], info: { took: 1 } }
  if (path.startsWith('/directions/v2:')) return { routes: [GOOGLE_ROUTE, GOOGLE_ROUTE] }
  if (path === '/sources_to_targets') return { sources_to_targets: VALHALLA_TABLE }
  return { trip: VALHALLA_TRIP, alternates: [{ trip: VALHALLA_TRIP }], id: 'unused' }
}

function answerOsrm(path: string) {
  const maneuver = (type: string, modifier: string, at: number) => ({
    ...{ type, modifier, bearing_before: 0, bearing_after: 31, location: [PLACES[at]!.lng, PLACES[at]!.lat] },
    ...(path.startsWith('/directions/') && { instruction: `Mapbox: ${type}` }),
  })
  const steps = [
    {
      name: 'Straße am Ufer',
      distance: 1_300.4,
      duration: 99.6,
      mode: 'driving',
      maneuver: maneuver('depart', 'right', 0),
    },
    { name: '', distance: 1_300, duration: 100, mode: 'driving', maneuver: maneuver('turn', 'sharp left', 1) },
    { name: 'Ende', distance: 0, duration: 0, mode: 'driving', maneuver: maneuver('arrive', 'left', 2) },
  ]
  const route = {
    distance: 2_600.4,
    duration: 199.6,
    geometry: LINE,
    legs: [{ distance: 2_600.4, duration: 199.6, steps }],
  }
  const isTrip = /trip/.test(path)
  const order = [0, 2, 1, 3]
  const count = path.split('?')[0]!.split(';').length
  const waypoints = Array.from({ length: count }, (_, index) => ({
    ...{ name: 'Ufer', hint: 'unused', distance: 5, location: [13.4 + index / 100, 52.5] },
    ...(isTrip && { waypoint_index: order[index], trips_index: 0 }),
  }))
  return { code: 'Ok', waypoints, ...(isTrip ? { trips: [route] } : { routes: [route, route, route] }) }
}

function answerTable() {
  const sources = PLACES.slice(0, 2).map(({ lat, lng }) => ({ name: 'Ufer', location: [lng, lat], distance: 1 }))
  return {
    code: 'Ok',
    durations: [
      [0, 99.6],
      [null, 0],
    ],
    distances: [
      [0, 1_300.4],
      [null, 0],
    ],
    sources,
  }
}

const VALHALLA_TRIP = {
  locations: [
    { lat: 52.5, lon: 13.4, original_index: 0 },
    { lat: 52.52, lon: 13.42, original_index: 1 },
  ],
  legs: [
    {
      shape: LINE,
      summary: { length: 2.6004, time: 199.6 },
      maneuvers: [
        {
          type: 1,
          instruction: 'Fahren Sie los.',
          street_names: ['Ufer'],
          length: 1.3,
          time: 99.6,
          begin_shape_index: 0,
        },
        { type: 14, instruction: 'Biegen Sie scharf links ab.', length: 1.3004, time: 100, begin_shape_index: 1 },
        { type: 4, instruction: 'Sie haben Ihr Ziel erreicht.', length: 0, time: 0, begin_shape_index: 2 },
      ],
    },
  ],
  summary: { length: 2.6004, time: 199.6 },
  status: 0,
  units: 'kilometers',
}
const VALHALLA_TABLE = [
  [
    { distance: 0, time: 0 },
    { distance: 1.3004, time: 99.6 },
  ],
  [
    { distance: null, time: null },
    { distance: 0, time: 0 },
  ],
]

const COORDINATES = PLACES.map(({ lat, lng }) => [lng, lat])
const HOPPER_PATH = {
  ...{ distance: 2_600.4, time: 199_600, points_encoded: false, ascend: 0, descend: 0 },
  points: { type: 'LineString', coordinates: COORDINATES },
  snapped_waypoints: { type: 'LineString', coordinates: [COORDINATES[0], COORDINATES[2]] },
  instructions: [
    { text: 'Geradeaus auf Ufer', street_name: 'Ufer', distance: 1_300.4, time: 99_600, interval: [0, 1], sign: 0 },
    { text: 'Scharf links abbiegen', street_name: '', distance: 1_300, time: 100_000, interval: [1, 2], sign: -3 },
    { text: 'Ziel erreicht!', street_name: '', distance: 0, time: 0, interval: [2, 2], sign: 4 },
  ],
}
const at = (index: number) => ({ latLng: { latitude: PLACES[index]!.lat, longitude: PLACES[index]!.lng } })
const GOOGLE_ROUTE = {
  ...{ distanceMeters: 2_600, duration: '200s', polyline: { encodedPolyline: '_|l_I_expAo}@o}@o}@o}@' } },
  legs: [
    {
      ...{ distanceMeters: 2_600, duration: '200s', startLocation: at(0), endLocation: at(2) },
      steps: [
        {
          ...{ distanceMeters: 1_300, staticDuration: '100s', startLocation: at(0) },
          navigationInstruction: { maneuver: 'DEPART', instructions: 'Fahre auf Ufer los' },
        },
        {
          ...{ distanceMeters: 1_300, staticDuration: '100s', startLocation: at(1) },
          navigationInstruction: { maneuver: 'TURN_SHARP_LEFT', instructions: 'Scharf links abbiegen' },
        },
      ],
    },
  ],
}
