import { Problem } from '#kit'
import { askGazetteer } from '../../../sql/location/gazetteer.ts'
import type { LatLng } from '../../../tasks/engines/roads/sphere.ts'
import type { ApiContext } from '../../context.ts'
import { buildNameQuestion, readQuery } from './questions.ts'

/** The coordinates of waypoints, of which some are named. */
export async function locateWaypoints(
  { db }: ApiContext,
  waypoints: readonly (LatLng | string)[],
  language: string,
): Promise<LatLng[]> {
  const names = waypoints.filter(waypoint => typeof waypoint === 'string')
  if (names.length === 0) return waypoints as LatLng[]
  const filters = { limit: 1, countries: [], types: [] }
  const questions = names.map(name => buildNameQuestion(readQuery(name, language), filters))
  const { answers } = await askGazetteer(db, questions)
  const found = answers.values()
  return waypoints.map((waypoint, index) => {
    if (typeof waypoint !== 'string') return waypoint
    const [place] = found.next().value ?? []
    if (!place) throw new Problem('LOCATION_INVALID', { index, query: waypoint, reason: 'there is no such place' })
    return { lat: place.lat, lng: place.lng }
  })
}
