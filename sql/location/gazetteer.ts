import { type Db, value } from '../db.ts'

/** Which places a question is about; all of its conditions hold. */
interface PlaceFilter {
  limit: number
  countries: readonly string[]
  kinds: readonly string[]
  /** Folded names or codes of what the place lies in. */
  within: readonly string[]
  near?: { lat: number; lng: number; radiusM: number }
  /** West, south, east, north; it crosses the date line if west is larger than east. */
  bbox?: readonly number[]
}

/** A question for places by their names: folded ones, the likeliest reading first. */
export interface NameQuestion extends PlaceFilter {
  names: readonly string[]
}

/** A question for places in a circle or a box. */
export interface AreaQuestion extends PlaceFilter {
  features: readonly string[]
  name?: string
  order: 'distance' | 'relevance'
}

export interface FoundPlace {
  id: string
  name: string
  kind: 'city' | 'postcode' | 'admin' | 'country' | 'point'
  feature: string
  lat: number
  lng: number
  country: string
  regionCode: string | null
  region: string | null
  district: string | null
  population: number
  timezone: string | null
  likeness: number
  distanceM: number | null
}

export interface PlaceAnswers {
  data: { source: string; attribution: string; date: string; isSample: boolean }
  answers: FoundPlace[][]
}

export function askGazetteer(db: Db, questions: readonly (NameQuestion | AreaQuestion)[]): Promise<PlaceAnswers> {
  return value(db, 'select location.answer($1)', [JSON.stringify(questions)])
}
