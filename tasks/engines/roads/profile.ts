import type { RoadKind } from './kind.ts'
import { type Avoidable, MODE_BIT, type Mode } from './mode.ts'

const WALK_KMH = 5
const STEPS_KMH = 2.5
const BIKE_KMH = 16
const BIKE_SPEEDS: Readonly<Record<string, number>> = { cycleway: 18, path: 12, track: 13, footway: 8, pedestrian: 8 }
const TRUCK_MAX_KMH = 80
/** A road that is only open to those with an errand costs this many times its length. */
const SLOW_FACTOR = 3

/**
 * Seconds that a metre takes, for each kind of road along it (at 2 * index) and against it (at 2 * index + 1); infinite
 * where the mode may not go. What is avoided only makes roads slower, never faster, on which the search relies.
 */
export function buildProfile(kinds: readonly RoadKind[], mode: Mode, avoid: readonly Avoidable[] = []): Float32Array {
  const seconds = new Float32Array(kinds.length * 2)
  for (const [index, kind] of kinds.entries()) {
    const perMetre = isAvoided(kind, avoid) ? Number.POSITIVE_INFINITY : 3.6 / findSpeed(kind, mode)
    seconds[2 * index] = kind.forward & MODE_BIT[mode] ? perMetre : Number.POSITIVE_INFINITY
    seconds[2 * index + 1] = kind.backward & MODE_BIT[mode] ? perMetre : Number.POSITIVE_INFINITY
  }
  return seconds
}

function isAvoided({ has }: RoadKind, avoid: readonly Avoidable[]): boolean {
  return has.some(name => avoid.includes(name))
}

function findSpeed({ highway, speedKmh, isSlow, has }: RoadKind, mode: Mode): number {
  if (highway === 'ferry') return speedKmh
  if (mode === 'walk') return highway === 'steps' ? STEPS_KMH : WALK_KMH
  if (mode === 'bike') return (BIKE_SPEEDS[highway] ?? BIKE_KMH) * (has.includes('unpaved') ? 0.7 : 1)
  return Math.min(speedKmh, mode === 'truck' ? TRUCK_MAX_KMH : speedKmh) / (isSlow ? SLOW_FACTOR : 1)
}
