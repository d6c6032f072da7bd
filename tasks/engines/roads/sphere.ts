export interface LatLng {
  lat: number
  lng: number
}

const EARTH_RADIUS_M = 6_371_008.8
const RADIANS = Math.PI / 180
export const METRES_OF_DEGREE = EARTH_RADIUS_M * RADIANS

export function measureDistance(from: LatLng, to: LatLng): number {
  const [lat, lng] = [((to.lat - from.lat) * RADIANS) / 2, ((to.lng - from.lng) * RADIANS) / 2]
  const chord = Math.sin(lat) ** 2 + Math.cos(from.lat * RADIANS) * Math.cos(to.lat * RADIANS) * Math.sin(lng) ** 2
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** Degrees clockwise from north. */
export function measureBearing(from: LatLng, to: LatLng): number {
  const lng = (to.lng - from.lng) * RADIANS
  const [start, end] = [from.lat * RADIANS, to.lat * RADIANS]
  const y = Math.sin(lng) * Math.cos(end)
  const x = Math.cos(start) * Math.sin(end) - Math.sin(start) * Math.cos(end) * Math.cos(lng)
  return (Math.atan2(y, x) / RADIANS + 360) % 360
}

/** The point of the stretch between two that is nearest to a third; near enough for stretches of road. */
export function findNearestOnStretch(point: LatLng, from: LatLng, to: LatLng): { share: number; distanceM: number } {
  const east = Math.cos(point.lat * RADIANS) * METRES_OF_DEGREE
  const [ax, ay] = [(from.lng - point.lng) * east, (from.lat - point.lat) * METRES_OF_DEGREE]
  const [dx, dy] = [(to.lng - from.lng) * east, (to.lat - from.lat) * METRES_OF_DEGREE]
  const square = dx * dx + dy * dy
  const share = square === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / square))
  return { share, distanceM: Math.hypot(ax + share * dx, ay + share * dy) }
}
