import { Problem } from '#kit'
import type {
  AreaQuestion,
  Box,
  Components,
  GeocodeQuestion,
  ListedPlace,
  Place,
  Precision,
  ReverseQuestion,
} from '../../../tasks/engines/gazetteer/answer.ts'
import { findCategories } from '../../../tasks/engines/gazetteer/provider-categories.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { GoogleMapsConfig } from '../location/settings.ts'
import { explainGoogleRefusal } from '../route/google.ts'
import { findBoxAround, findCircleAround, keepPlainBox } from './area.ts'
import { listProviderNames } from './categories.ts'
import type { PlaceAdapter } from './contract.ts'
import { joinAddress, keepTexts, readAnswer, readPoint, readText, refuseOption } from './provider.ts'

const ID = 'google'
const MAX_RESULTS = 20
const MAX_RADIUS_M = 50_000
const PARTIAL_MATCH = 0.5
const FIELDS = [
  ...['id', 'displayName', 'formattedAddress', 'location', 'types', 'addressComponents'],
  ...['internationalPhoneNumber', 'websiteUri', 'regularOpeningHours.weekdayDescriptions'],
]

interface Corner {
  lat: number
  lng: number
}
interface Result {
  place_id: string
  formatted_address: string
  types: string[]
  partial_match?: boolean
  address_components: { long_name: string; short_name: string; types: string[] }[]
  geometry: { location: Corner; location_type?: string; viewport?: { northeast: Corner; southwest: Corner } }
}
interface Answer {
  status?: string
  results?: Result[]
}
interface ListedResult {
  id: string
  displayName?: { text?: string }
  formattedAddress?: string
  location?: { latitude?: number; longitude?: number }
  types?: string[]
  addressComponents?: { shortText?: string; types?: string[] }[]
  internationalPhoneNumber?: string
  websiteUri?: string
  regularOpeningHours?: { weekdayDescriptions?: string[] }
  currentOpeningHours?: { openNow?: boolean }
}

/** Google's Geocoding API, and for lists of places its Places API. */
export function openGoogle({ geocodeUrl, placesUrl, key }: GoogleMapsConfig): PlaceAdapter {
  const geocoding = openProviderClient({ provider: ID, baseUrl: geocodeUrl })
  const places = openProviderClient({ provider: ID, baseUrl: placesUrl, headers: { 'x-goog-api-key': key } })

  async function ask(query: Record<string, string | undefined>, signal: AbortSignal): Promise<Place[]> {
    const call = { path: '/maps/api/geocode/json', query: { ...query, key }, signal, isRepeatable: true }
    const answer = (await geocoding(call).catch(explain)) as Answer
    return readAnswer(ID, () => checkStatus(answer).map(readPlace))
  }

  return {
    ...{ id: ID, attribution: 'Google Maps', ratesMatches: true },
    geocode: (question, signal) => ask(buildSearch(question), signal),
    reverse: (question, signal) => ask(buildReverse(question), signal),
    async search(question, signal) {
      const { path, json } = buildAreaSearch(question)
      const fields = [...FIELDS, ...(question.openNow ? ['currentOpeningHours.openNow'] : [])]
      const headers = { 'x-goog-fieldmask': fields.map(name => `places.${name}`).join(',') }
      const answer = await places({ path, json, headers, signal, isRepeatable: true }).catch(explain)
      const { places: found = [] } = answer as { places?: ListedResult[] }
      const open = found.filter(place => !question.openNow || place.currentOpeningHours?.openNow === true)
      return readAnswer(ID, () => open.map(readListed))
    },
  }
}

function explain(error: unknown): never {
  throw error instanceof ProviderRefusal ? explainGoogleRefusal(error) : error
}

/** Its errors come with status 200. Their texts may repeat the key, so they are not shown. */
function checkStatus({ status, results }: Answer): Result[] {
  if (status === 'OK' && Array.isArray(results)) return results
  if (status === 'ZERO_RESULTS') return []
  if (status === 'INVALID_REQUEST') throw new Problem('OPTION_UNSUPPORTED', { provider: ID, reason: status })
  throw new Problem('PROVIDER_UNAVAILABLE', { provider: ID, reason: String(status ?? 'no status').slice(0, 100) })
}

function buildSearch({ query, countries, bbox, language }: GeocodeQuestion): Record<string, string | undefined> {
  const box = keepPlainBox(bbox)
  return {
    ...{ address: typeof query === 'string' ? query : joinAddress(query), language },
    components: countries.length === 1 ? `country:${countries[0]}` : undefined,
    bounds: box && `${box[1]},${box[0]}|${box[3]},${box[2]}`,
  }
}

const RESULT_TYPES: Readonly<Record<Precision, readonly string[]>> = {
  ...{ rooftop: ['street_address', 'premise', 'subpremise'], interpolated: ['street_address'], street: ['route'] },
  ...{
    point: ['point_of_interest', 'airport', 'park', 'natural_feature'],
    city: ['locality', 'sublocality', 'postal_town'],
  },
  ...{ postcode: ['postal_code'], country: ['country'] },
  admin: ['administrative_area_level_1', 'administrative_area_level_2'],
}

function buildReverse({ point, language, types }: ReverseQuestion): Record<string, string | undefined> {
  const kinds = [...new Set(types.flatMap(type => RESULT_TYPES[type]))]
  return { latlng: `${point.lat},${point.lng}`, language, result_type: kinds.length > 0 ? kinds.join('|') : undefined }
}

function buildAreaSearch(question: AreaQuestion): { path: string; json: object } {
  const types = listProviderNames(ID, 'google', question.categories)
  const { near, bbox, radiusM } = question
  const { center, radiusM: radius } = near ? { center: near, radiusM } : findCircleAround(bbox!)
  const circle = { center: { latitude: center.lat, longitude: center.lng }, radius: Math.min(MAX_RADIUS_M, radius) }
  if (question.query !== undefined) return buildTextSearch(question, types, circle)
  if (radius > MAX_RADIUS_M) refuseOption(ID, 'bbox')
  const { language: languageCode, sort } = question
  const rankPreference = sort === 'distance' ? 'DISTANCE' : 'POPULARITY'
  const json = { includedTypes: types, languageCode, rankPreference, maxResultCount: MAX_RESULTS }
  return { path: '/v1/places:searchNearby', json: { ...json, locationRestriction: { circle } } }
}

/** A search by text takes one type, and keeps to boxes alone. */
function buildTextSearch(question: AreaQuestion, types: readonly string[], circle: object) {
  const { query, categories, near, bbox, radiusM, openNow, language, sort } = question
  if (types.length > 1) refuseOption(ID, 'categories', categories[1] ?? categories[0])
  const box = near ? findBoxAround({ center: near, radiusM }) : bbox
  const area = box ? { locationRestriction: { rectangle: buildRectangle(box) } } : { locationBias: { circle } }
  const kind = types[0] && { includedType: types[0], strictTypeFiltering: true }
  const json = { textQuery: query, languageCode: language, openNow, pageSize: MAX_RESULTS, ...area, ...kind }
  return {
    path: '/v1/places:searchText',
    json: { ...json, ...(sort === 'distance' && { rankPreference: 'DISTANCE' }) },
  }
}

function buildRectangle([west, south, east, north]: Box) {
  return { low: { latitude: south, longitude: west }, high: { latitude: north, longitude: east } }
}

function readPlace(result: Result): Place {
  const { place_id, formatted_address, address_components, geometry, partial_match } = result
  const { location, viewport } = geometry
  const formatted = readText(formatted_address)
  const { southwest, northeast } = viewport ?? {}
  return {
    ...readPoint(location.lat, location.lng),
    ...{ placeId: `google:${readText(place_id)}`, name: formatted.split(',')[0]!, formatted, source: ID },
    ...{ precision: readPrecision(result), confidence: partial_match ? PARTIAL_MATCH : 1 },
    components: readComponents(address_components),
    ...(southwest && northeast && { bbox: [southwest.lng, southwest.lat, northeast.lng, northeast.lat] }),
  }
}

const LOCATION_TYPES: Readonly<Record<string, Precision>> = { ROOFTOP: 'rooftop', RANGE_INTERPOLATED: 'interpolated' }

function readPrecision({ types, geometry }: Result): Precision {
  const has = (...names: string[]) => names.some(name => types.includes(name))
  if (has('country')) return 'country'
  if (types.some(type => type.startsWith('administrative_area'))) return 'admin'
  if (has('postal_code')) return 'postcode'
  if (has('locality', 'sublocality', 'postal_town', 'neighborhood')) return 'city'
  if (has('route', 'intersection')) return 'street'
  if (has('street_address', 'premise', 'subpremise')) return LOCATION_TYPES[geometry.location_type ?? ''] ?? 'street'
  return 'point'
}

function readComponents(list: Result['address_components']): Components {
  const find = (...types: string[]) => list.find(component => component.types.some(type => types.includes(type)))
  const region = find('administrative_area_level_1')
  const country = find('country')
  return keepTexts({
    ...{ houseNumber: find('street_number')?.long_name, street: find('route')?.long_name },
    ...{ suburb: find('sublocality', 'neighborhood')?.long_name, city: find('locality', 'postal_town')?.long_name },
    ...{ postcode: find('postal_code')?.long_name, district: find('administrative_area_level_2')?.long_name },
    ...{ region: region?.long_name, regionCode: region?.short_name },
    ...{ country: country?.long_name, countryCode: country?.short_name },
  })
}

function readListed(place: ListedResult): ListedPlace {
  const { id, displayName, location, types = [], addressComponents = [], regularOpeningHours } = place
  const country = addressComponents.find(component => component.types?.includes('country'))
  return {
    ...readPoint(location?.latitude ?? 0, location?.longitude ?? 0),
    ...{ placeId: `google:${readText(id)}`, name: readText(displayName?.text), source: ID },
    categories: findCategories('google', types),
    ...keepTexts({
      ...{ address: place.formattedAddress, phone: place.internationalPhoneNumber, website: place.websiteUri },
      ...{ hours: regularOpeningHours?.weekdayDescriptions?.join('; '), countryCode: country?.shortText },
    }),
  }
}
