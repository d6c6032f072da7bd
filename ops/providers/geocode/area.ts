import type { Box } from '../../../tasks/engines/gazetteer/answer.ts'
import { type LatLng, METRES_OF_DEGREE, measureDistance } from '../../../tasks/engines/roads/sphere.ts'

export interface Circle {
  center: LatLng
  radiusM: number
}

/** The box around a circle; undefined if it crosses the date line or holds a pole, which providers do not understand. */
export function findBoxAround({ center, radiusM }: Circle): Box | undefined {
  const up = radiusM / METRES_OF_DEGREE
  const [south, north] = [center.lat - up, center.lat + up]
  if (south <= -90 || north >= 90) return undefined
  const side = up / Math.cos(Math.max(Math.abs(south), Math.abs(north)) * (Math.PI / 180))
  const [west, east] = [center.lng - side, center.lng + side]
  return west < -180 || east > 180 ? undefined : [west, south, east, north]
}

/** The circle around a box. */
export function findCircleAround([west = 0, south = 0, east = 0, north = 0]: Box): Circle {
  const span = east < west ? east - west + 360 : east - west
  const lng = west + span / 2
  const center = { lat: (south + north) / 2, lng: lng > 180 ? lng - 360 : lng }
  const corners = [south, north].map(lat => measureDistance(center, { lat, lng: west }))
  return { center, radiusM: Math.ceil(Math.max(...corners)) }
}

/** The box, unless it crosses the date line. */
export function keepPlainBox(box: Box | undefined): Box | undefined {
  return box && box[0]! <= box[2]! ? box : undefined
}

export function isInBox([west = 0, south = 0, east = 0, north = 0]: Box, { lat, lng }: LatLng): boolean {
  const isBetween = west <= east ? lng >= west && lng <= east : lng >= west || lng <= east
  return isBetween && lat >= south && lat <= north
}

export function roundDegrees(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6
}
