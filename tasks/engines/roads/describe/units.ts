const METRES_OF_MILE = 1_609.344
const METRES_OF_FOOT = 0.3048

/** A distance as it is shown to people. */
export function formatDistance(distanceM: number, units: 'metric' | 'imperial'): string {
  if (units === 'metric')
    return distanceM < 1_000 ? `${roundTo(distanceM, 10)} m` : `${formatLarge(distanceM / 1_000)} km`
  const miles = distanceM / METRES_OF_MILE
  return miles < 0.1 ? `${roundTo(distanceM / METRES_OF_FOOT, 50)} ft` : `${formatLarge(miles)} mi`
}

function formatLarge(count: number): string {
  return count < 10 ? count.toFixed(1) : String(Math.round(count))
}

function roundTo(count: number, step: number): number {
  return count < step ? Math.round(count) : Math.round(count / step) * step
}
