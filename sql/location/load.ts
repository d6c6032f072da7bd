import { type Db, rows, value } from '../db.ts'
import type { FoundPlace } from './gazetteer.ts'

/** A place as it is loaded; the first of the folded names is that of `name`. */
export interface LoadedPlace {
  id: string
  name: string
  kind: FoundPlace['kind']
  feature: string
  lat: number
  lng: number
  country: string
  regionCode?: string
  region?: string
  district?: string
  population: number
  timezone?: string
  names: string[]
}

/** Begins a data set, or goes on with one that broke off: `progress` has the lines stored of each file. */
export function beginPlaceLoad(
  db: Db,
  { source, attribution, date }: { source: string; attribution: string; date: string },
): Promise<{ id: number; progress: Record<string, number> }> {
  return value(db, 'select location.begin_load($1, $2, $3)', [source, attribution, date])
}

export async function storePlaces(
  db: Db,
  id: number,
  places: readonly LoadedPlace[],
  read: { file: string; lines: number },
): Promise<void> {
  await rows(db, 'select location.store($1, $2, $3, $4)', [id, JSON.stringify(places), read.file, read.lines])
}

/** Makes a data set the one that answers, removes the others and returns how many places it has. */
export function activatePlaces(db: Db, id: number): Promise<number> {
  return value(db, 'select location.activate($1)', [id])
}
