import { Problem } from '#kit'
import type { NameQuestion } from '../../../sql/location/gazetteer.ts'
import { findCountry } from '../../../tasks/engines/gazetteer/countries.ts'
import { foldName } from '../../../tasks/engines/gazetteer/fold.ts'
import { type PlaceQuery, parsePlaceQuery } from '../../../tasks/engines/gazetteer/query.ts'

interface Filters {
  limit: number
  countries: readonly string[]
  types: readonly string[]
  near?: { lat: number; lng: number; radiusKm: number }
  bbox?: readonly number[]
}

interface Address {
  street?: string
  houseNumber?: string
  city?: string
  state?: string
  postalCode?: string
  country?: string
}

export function readQuery(text: string, language: string): PlaceQuery {
  const query = parsePlaceQuery(text, language)
  if (query.names.length === 0) throw new Problem('INVALID_PARAM', { field: 'query', reason: 'it has no letters' })
  return query
}

/** Without a town, the region or the country itself is asked for. */
export function readAddress(address: Address, language: string): PlaceQuery {
  const { street, houseNumber, city, state, postalCode, country } = address
  const countryCode = country === undefined ? undefined : findCountry(country, language)
  if (country !== undefined && !countryCode)
    throw new Problem('INVALID_PARAM', { field: 'address.country', reason: 'no country has this name or code' })
  const [first, ...others] = [city, postalCode, state, country].filter(text => text !== undefined)
  if (first === undefined)
    throw new Problem('MISSING_FIELD', { field: 'address.city', reason: 'streets are not in the data' })
  const names = [first, ...others.filter(text => text === postalCode)].map(foldName)
  return {
    names,
    within: state !== undefined && state !== first ? [foldName(state)] : [],
    countries: countryCode && country !== first ? [countryCode] : [],
    hasHouseNumber: street !== undefined || houseNumber !== undefined,
  }
}

export function buildNameQuestion(query: PlaceQuery, { limit, countries, types, near, bbox }: Filters): NameQuestion {
  const allowed = countries.map(code => code.toUpperCase())
  const both = query.countries.filter(code => allowed.length === 0 || allowed.includes(code))
  // A country that the filter does not allow is kept, so that nothing is found.
  const asked = query.countries.length > 0 && both.length === 0 ? ['--'] : both
  return {
    ...{ names: query.names, within: query.within, kinds: types, limit },
    countries: query.countries.length > 0 ? asked : allowed,
    ...(near && { near: { lat: near.lat, lng: near.lng, radiusM: near.radiusKm * 1_000 } }),
    ...(bbox && { bbox }),
  }
}
