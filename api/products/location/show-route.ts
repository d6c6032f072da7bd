import type { Static } from 'typebox'
import type { Router } from '../../../ops/providers/route/contract.ts'
import type { MatrixAnswer, PlannedRoute, RouteAnswer, RouteQuestion } from '../../../tasks/engines/roads/answer.ts'
import { encodePolyline } from '../../../tasks/engines/roads/describe/polyline.ts'
import { formatDistance } from '../../../tasks/engines/roads/describe/units.ts'
import { type LatLng, measureDistance } from '../../../tasks/engines/roads/sphere.ts'
import type { RouteBody } from './route-fields.ts'

type Options = Pick<Static<typeof RouteBody>, 'geometry' | 'units'>

export function showRoutes({ router, answer }: { router: Router; answer: RouteAnswer }, options: Options) {
  const { routes, waypoints, waypointOrder } = answer
  return {
    routes: routes.map(route => showRoute(route, options)),
    waypoints,
    ...(waypointOrder && { waypointOrder }),
    ...showSource(router),
  }
}

export function showMatrix({ router, answer: { matrix, waypoints } }: { router: Router; answer: MatrixAnswer }) {
  return { routes: [], waypoints, matrix, ...showSource(router) }
}

function showSource(router: Router) {
  const dataDate = router.dataDate()
  return { engine: router.id, attribution: router.attribution(), ...(dataDate && { dataDate }) }
}

function showRoute({ distanceM, durationSec, points, legs }: PlannedRoute, { geometry, units }: Options) {
  const measure = (part: { distanceM: number; durationSec: number }) => ({
    ...{ distanceM: part.distanceM, durationSec: part.durationSec },
    distanceText: formatDistance(part.distanceM, units),
  })
  return {
    ...measure({ distanceM, durationSec }),
    ...(geometry !== 'none' && { geometry: geometry === 'geojson' ? toGeoJson(points) : encodePolyline(points) }),
    legs: legs.map(leg => ({
      ...measure(leg),
      steps: leg.steps.map(({ location, ...step }) => ({ ...step, ...measure(step), location: roundPoint(location) })),
    })),
  }
}

function toGeoJson(points: readonly LatLng[]) {
  return { type: 'LineString', coordinates: points.map(roundPoint).map(({ lat, lng }) => [lng, lat]) }
}

/** To six decimals, about ten centimetres. */
function roundPoint({ lat, lng }: LatLng): LatLng {
  return { lat: Math.round(lat * 1e6) / 1e6, lng: Math.round(lng * 1e6) / 1e6 }
}

/** How fast one usually gets on along the straight line. */
const STRAIGHT_KMH: Readonly<Record<RouteQuestion['mode'], number>> = {
  ...{ drive: 50, truck: 40, walk: 4, bike: 12, transit: 30 },
}

/** Straight lines from waypoint to waypoint, for callers who asked for them where there is no route. */
export function showStraightLines({ waypoints, mode }: Pick<RouteQuestion, 'waypoints' | 'mode'>, options: Options) {
  const legs = waypoints.slice(1).map((to, index) => {
    const distanceM = Math.round(measureDistance(waypoints[index]!, to))
    return { distanceM, durationSec: Math.round((distanceM / STRAIGHT_KMH[mode]) * 3.6), steps: [] }
  })
  const sum = (field: 'distanceM' | 'durationSec') => legs.reduce((total, leg) => total + leg[field], 0)
  const route = { distanceM: sum('distanceM'), durationSec: sum('durationSec'), points: [...waypoints], legs }
  return {
    routes: [showRoute(route, options)],
    waypoints: waypoints.map(point => ({ snapped: point, offsetM: 0, name: '' })),
    ...{ approximate: true, engine: 'greatcircle', attribution: '' },
  }
}
