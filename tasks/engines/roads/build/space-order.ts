import type { RoadCollection } from './collect.ts'

const BITS = 12

/**
 * Numbers the points that are nodes so that near ones have near numbers, which keeps a search within little memory.
 * `nodeOf` gives the number of each point, `order` the point of each number.
 */
export function orderBySpace(
  ends: readonly Float64Array[],
  { lat, lng }: RoadCollection['points'],
): { nodeOf: Uint32Array; order: Uint32Array } {
  const isEnd = new Uint8Array(lat.length)
  for (const points of ends) for (const point of points) isEnd[point] = 1
  const nodeOf = new Uint32Array(lat.length)
  const keys = new Float64Array(isEnd.reduce((sum, bit) => sum + bit, 0))
  let [south, north, west, east] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let point = 0; point < lat.length; point++) {
    if (!isEnd[point]) continue
    ;[south, north] = [Math.min(south, lat[point]!), Math.max(north, lat[point]!)]
    ;[west, east] = [Math.min(west, lng[point]!), Math.max(east, lng[point]!)]
  }
  const scale = (2 ** BITS - 1) / Math.max(1, north - south, east - west)
  let count = 0
  for (let point = 0; point < lat.length; point++) {
    if (!isEnd[point]) continue
    const square = interleave(Math.trunc((lat[point]! - south) * scale), Math.trunc((lng[point]! - west) * scale))
    keys[count++] = square * 2 ** 29 + point
  }
  keys.sort()
  const order = Uint32Array.from(keys, key => key % 2 ** 29)
  for (const [node, point] of order.entries()) nodeOf[point] = node
  return { nodeOf, order }
}

function interleave(x: number, y: number): number {
  let square = 0
  for (let bit = BITS - 1; bit >= 0; bit--) square = square * 4 + ((x >> bit) & 1) * 2 + ((y >> bit) & 1)
  return square
}
