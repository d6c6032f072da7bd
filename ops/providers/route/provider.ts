import { Problem } from '#kit'
import type { Matrix, RouteQuestion, SnappedWaypoint, Step } from '../../../tasks/engines/roads/answer.ts'
import type { Avoidable } from '../../../tasks/engines/roads/mode.ts'
import { type LatLng, measureDistance } from '../../../tasks/engines/roads/sphere.ts'
import type { Router } from './contract.ts'

/** What all routers over HTTP have in common: nothing of theirs changes while the process runs. */
export function describeProvider(
  id: string,
  attribution: string,
): Pick<Router, 'id' | 'attribution' | 'dataDate' | 'missing' | 'refresh' | 'close'> {
  return {
    ...{ id, attribution: () => attribution, dataDate: () => undefined, missing: () => undefined },
    ...{ refresh: async () => undefined, close: async () => undefined },
  }
}

/** The provider's own name for a mode. */
export function translateMode(names: Partial<Record<RouteQuestion['mode'], string>>, { mode }: RouteQuestion): string {
  const name = names[mode]
  if (!name) throw new Problem('MODE_UNSUPPORTED', { mode, modes: Object.keys(names) })
  return name
}

/** The provider's own names for what is to be avoided. */
export function translateAvoid(names: Partial<Record<Avoidable, string>>, { avoid }: RouteQuestion): string[] {
  return avoid.map(name => names[name] ?? refuseOption('avoid', name))
}

export function refuseOption(option: string, value?: string): never {
  throw new Problem('OPTION_UNSUPPORTED', { option, ...(value && { value }) })
}

export function noRoute(): Problem {
  return new Problem('NO_ROUTE', { leg: 0 })
}

/** An answer that is not what the provider documents. */
export function badAnswer(provider: string): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { provider, reason: 'its answer has not the expected form' })
}

/** Reads an answer; whatever it lacks makes it a bad one. */
export function readAnswer<Result>(provider: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof Problem ? error : badAnswer(provider)
  }
}

export function round(count: number): number {
  if (!Number.isFinite(count) || count < 0) throw new TypeError('no number')
  return Math.round(count)
}

export function snapAt(asked: LatLng, snapped: LatLng, name = '') {
  return { snapped, offsetM: Math.round(measureDistance(asked, snapped)), name }
}

/** A table in which what cannot be reached is null. */
export function readTable(rows: readonly (readonly (number | null | undefined)[])[]): Matrix['distancesM'] {
  return rows.map(row => row.map(count => (typeof count === 'number' ? round(count) : null)))
}

export function readPoint(pair: readonly number[]): LatLng {
  const [lng, lat] = pair
  if (!Number.isFinite(lat) || !Number.isFinite(lng)) throw new TypeError('no point')
  return { lat: lat!, lng: lng! }
}

/** Steps that callers did not ask for are not shown. */
export function keepSteps({ hasSteps }: RouteQuestion, list: () => Step[]): Step[] {
  return hasSteps ? list() : []
}

/** Providers that choose the road themselves are held to what the caller allows. */
export function checkSnaps({ snapRadiusM }: RouteQuestion, waypoints: readonly SnappedWaypoint[]): SnappedWaypoint[] {
  const index = waypoints.findIndex(({ offsetM }) => offsetM > snapRadiusM)
  if (index >= 0) throw new Problem('SNAP_TOO_FAR', { index, offsetM: waypoints[index]!.offsetM })
  return [...waypoints]
}
