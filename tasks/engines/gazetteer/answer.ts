import type { LatLng } from '../roads/sphere.ts'

/** How near a result is to what was asked for. The gazetteer knows neither streets nor houses. */
export const PRECISIONS = [
  ...['rooftop', 'interpolated', 'street', 'point', 'city', 'postcode', 'admin', 'country'],
] as const as readonly [...['rooftop', 'interpolated', 'street', 'point', 'city', 'postcode', 'admin', 'country']]

export type Precision = (typeof PRECISIONS)[number]
/** West, south, east, north; it crosses the date line if west is larger than east. */
export type Box = readonly number[]

export interface Address {
  street?: string
  houseNumber?: string
  city?: string
  state?: string
  postalCode?: string
  country?: string
}

/** What is asked of a geocoder, ours or a provider. */
export interface GeocodeQuestion {
  query: string | Address
  limit: number
  language: string
  countries: readonly string[]
  near?: LatLng & { radiusKm: number }
  bbox?: Box
  minConfidence: number
  types: readonly Precision[]
}

export interface ReverseQuestion {
  point: LatLng
  language: string
  radiusM?: number
  types: readonly Precision[]
  limit: number
}

/** Places in a circle or a box. */
export interface AreaQuestion {
  query?: string
  categories: readonly string[]
  near?: LatLng
  bbox?: Box
  radiusM: number
  openNow: boolean
  limit: number
  language?: string
  sort: 'relevance' | 'distance'
}

export interface Components {
  houseNumber?: string
  street?: string
  suburb?: string
  city?: string
  postcode?: string
  district?: string
  region?: string
  regionCode?: string
  country?: string
  countryCode?: string
}

export interface Place extends LatLng {
  placeId: string
  name: string
  formatted: string
  precision: Precision
  /** From 0 to 1, where it is known how well the place fits the question. */
  confidence?: number
  bbox?: Box
  components: Components
  population?: number
  timezone?: string
  distanceM?: number
  source: string
}

/** A place as place-search lists it. */
export interface ListedPlace extends LatLng {
  placeId: string
  name: string
  categories: readonly string[]
  address?: string
  phone?: string
  website?: string
  hours?: string
  distanceM?: number
  population?: number
  countryCode?: string
  source: string
}

interface Source {
  /** `embedded`, or the provider that answered. */
  engine: string
  coverage: 'sample' | 'full'
  attribution: string
  dataDate?: string
}

interface PlaceWarning {
  code: string
  message: string
}

/** In the order of the questions. */
export interface PlaceAnswers extends Source {
  answers: { results: Place[]; warnings?: PlaceWarning[] }[]
}

export interface PlaceList extends Source {
  places: ListedPlace[]
  quality: 'basic' | 'full'
}
