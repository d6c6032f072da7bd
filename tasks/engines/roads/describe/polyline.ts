import type { LatLng } from '../sphere.ts'

const PRECISION = 1e6

/** The encoded form of a line that map libraries read, with six decimals. */
export function encodePolyline(points: readonly LatLng[]): string {
  let [text, lat, lng] = ['', 0, 0]
  for (const point of points) {
    const [nextLat, nextLng] = [Math.round(point.lat * PRECISION), Math.round(point.lng * PRECISION)]
    text += encodeNumber(nextLat - lat) + encodeNumber(nextLng - lng)
    ;[lat, lng] = [nextLat, nextLng]
  }
  return text
}

function encodeNumber(difference: number): string {
  let rest = difference < 0 ? -2 * difference - 1 : 2 * difference
  let text = ''
  while (rest >= 0x20) {
    text += String.fromCharCode(0x20 + (rest % 0x20) + 63)
    rest = Math.floor(rest / 0x20)
  }
  return text + String.fromCharCode(rest + 63)
}

/** Undefined if the text is no line. `decimals` is 5 or 6, as its maker chose. */
export function decodePolyline(text: string, decimals: number): LatLng[] | undefined {
  const points: LatLng[] = []
  const sums = [0, 0]
  let [value, factor, count] = [0, 1, 0]
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 63
    if (digit < 0 || digit > 63) return undefined
    value += (digit & 0x1f) * factor
    factor *= 32
    if (digit >= 0x20) continue
    sums[count % 2]! += value % 2 ? -(value + 1) / 2 : value / 2
    ;[value, factor, count] = [0, 1, count + 1]
    if (count % 2 === 0) points.push({ lat: sums[0]! / 10 ** decimals, lng: sums[1]! / 10 ** decimals })
  }
  return count % 2 === 0 && factor === 1 ? points : undefined
}
