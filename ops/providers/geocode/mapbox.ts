import { Problem } from '#kit'
import type {
  AreaQuestion,
  Components,
  GeocodeQuestion,
  ListedPlace,
  Place,
  Precision,
  ReverseQuestion,
} from '../../../tasks/engines/gazetteer/answer.ts'
import { findCategories } from '../../../tasks/engines/gazetteer/provider-categories.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { LocationConfig } from '../location/settings.ts'
import { findBoxAround, findCircleAround, keepPlainBox, roundDegrees } from './area.ts'
import { listProviderNames } from './categories.ts'
import type { PlaceAdapter } from './contract.ts'
import { joinAddress, keepTexts, readAnswer, readFeatures, readPoint, readText, refuseOption } from './provider.ts'

const ID = 'mapbox'
const MAX_RESULTS = 10
const MAX_OF_CATEGORY = 25

type Query = Record<string, string | number | boolean | undefined>
interface Feature {
  properties: {
    mapbox_id: string
    feature_type?: string
    name?: string
    full_address?: string
    place_formatted?: string
    coordinates: { longitude: number; latitude: number; accuracy?: string }
    bbox?: number[]
    match_code?: { confidence?: string }
    context?: Record<string, ContextPart | undefined>
    poi_category_ids?: string[]
    metadata?: { phone?: string; website?: string }
  }
}
interface ContextPart {
  name?: string
  region_code?: string
  country_code?: string
  address_number?: string
  street_name?: string
}

/** Mapbox Geocoding, and for lists of places its Search Box. */
export function openMapbox({ url, token }: NonNullable<LocationConfig['mapbox']>): PlaceAdapter {
  const client = openProviderClient({ provider: ID, baseUrl: url })

  async function ask(path: string, query: Query, signal: AbortSignal): Promise<Feature[]> {
    const call = { path, query: { ...query, access_token: token }, signal, isRepeatable: true }
    const answer = await client(call).catch(explain)
    return readFeatures<Feature>(ID, answer)
  }

  return {
    ...{ id: ID, attribution: '© Mapbox © OpenStreetMap', ratesMatches: false },
    async geocode(question, signal) {
      const features = await ask('/search/geocode/v6/forward', buildSearch(question), signal)
      return readAnswer(ID, () => features.map(readPlace))
    },
    async reverse(question, signal) {
      const features = await ask('/search/geocode/v6/reverse', buildReverse(question), signal)
      return readAnswer(ID, () => features.map(readPlace))
    },
    async search(question, signal) {
      if (question.openNow) refuseOption(ID, 'openNow')
      const names = listProviderNames(ID, 'mapbox', question.categories)
      const area = describeArea(question)
      const { query: q, language } = question
      if (q !== undefined) {
        const query = {
          q,
          types: 'poi',
          limit: MAX_RESULTS,
          language,
          poi_category: names.join(',') || undefined,
          ...area,
        }
        const features = await ask('/search/searchbox/v1/forward', query, signal)
        return readAnswer(ID, () => features.map(readListed))
      }
      if (names.length > 1) refuseOption(ID, 'categories', question.categories[1] ?? question.categories[0])
      const query = { limit: MAX_OF_CATEGORY, language, ...area }
      const features = await ask(`/search/searchbox/v1/category/${names[0]}`, query, signal)
      return readAnswer(ID, () => features.map(readListed))
    },
  }
}

function explain(error: unknown): never {
  if (!(error instanceof ProviderRefusal)) throw error
  const { message } = (error.body ?? {}) as { message?: unknown }
  if (typeof message !== 'string')
    throw new Problem('PROVIDER_UNAVAILABLE', { provider: ID, providerStatus: error.status })
  throw new Problem('OPTION_UNSUPPORTED', { provider: ID, reason: message.slice(0, 200) })
}

const TYPES: Readonly<Record<Precision, readonly string[]>> = {
  ...{ rooftop: ['address', 'secondary_address'], interpolated: ['address'], street: ['street', 'block'], point: [] },
  ...{ city: ['place', 'locality', 'neighborhood'], postcode: ['postcode'], admin: ['region', 'district'] },
  country: ['country'],
}

function listTypes(types: readonly Precision[]): string[] {
  const names = [...new Set(types.flatMap(type => TYPES[type]))]
  if (types.length > 0 && names.length === 0) refuseOption(ID, 'types', types[0])
  return names
}

/** A semicolon would begin another question. */
function buildSearch({ query, countries, near, bbox, language, types }: GeocodeQuestion): Query {
  const text = (typeof query === 'string' ? query : joinAddress(query)).replaceAll(';', ',')
  const box = keepPlainBox(bbox) ?? (near && findBoxAround({ center: near, radiusM: near.radiusKm * 1_000 }))
  return {
    ...{ q: text, autocomplete: false, limit: MAX_RESULTS, language },
    country: countries.join(',').toLowerCase() || undefined,
    bbox: box?.map(roundDegrees).join(','),
    proximity: near && `${near.lng},${near.lat}`,
    types: listTypes(types).join(',') || undefined,
  }
}

/** It takes a limit only together with one type. */
function buildReverse({ point, language, types, limit }: ReverseQuestion): Query {
  const names = listTypes(types)
  return {
    ...{ longitude: point.lng, latitude: point.lat, language, types: names.join(',') || undefined },
    limit: names.length === 1 ? Math.min(5, limit) : undefined,
  }
}

function describeArea({ near, bbox, radiusM }: AreaQuestion): Query {
  const { center } = near ? { center: near } : findCircleAround(bbox!)
  const box = near ? findBoxAround({ center: near, radiusM }) : keepPlainBox(bbox)
  return {
    bbox: box?.map(roundDegrees).join(','),
    proximity: `${roundDegrees(center.lng)},${roundDegrees(center.lat)}`,
  }
}

const CONFIDENCES: Readonly<Record<string, number>> = { exact: 1, high: 0.75, medium: 0.5, low: 0.25 }

function readPlace({ properties }: Feature): Place {
  const { mapbox_id, name, full_address, place_formatted, coordinates, bbox, match_code, context = {} } = properties
  const title = readText(name)
  const confidence = CONFIDENCES[match_code?.confidence ?? '']
  return {
    ...readPoint(coordinates.latitude, coordinates.longitude),
    ...{ placeId: `mapbox:${readText(mapbox_id)}`, name: title, source: ID, precision: readPrecision(properties) },
    formatted: full_address ?? [title, place_formatted].filter(Boolean).join(', '),
    components: readComponents(properties, context),
    ...(confidence !== undefined && { confidence }),
    ...(bbox?.length === 4 && bbox.every(Number.isFinite) && { bbox }),
  }
}

function readPrecision({ feature_type: type = '', coordinates }: Feature['properties']): Precision {
  if (type === 'address' || type === 'secondary_address')
    return ['rooftop', 'parcel', 'point'].includes(coordinates.accuracy ?? '') ? 'rooftop' : 'interpolated'
  const found = Object.entries(TYPES).find(([, names]) => names.includes(type))
  return (found?.[0] as Precision | undefined) ?? 'point'
}

function readComponents(
  { feature_type: type, name }: Feature['properties'],
  {
    address,
    street,
    neighborhood,
    locality,
    place,
    postcode,
    district,
    region,
    country,
  }: NonNullable<Feature['properties']['context']>,
): Components {
  return keepTexts({
    ...{ houseNumber: address?.address_number, street: street?.name ?? address?.street_name },
    ...{ suburb: neighborhood?.name ?? locality?.name, city: type === 'place' ? name : place?.name },
    ...{ postcode: postcode?.name, district: district?.name, region: region?.name, regionCode: region?.region_code },
    ...{ country: country?.name, countryCode: country?.country_code?.toUpperCase() },
  })
}

function readListed(feature: Feature): ListedPlace {
  const { placeId, name, lat, lng, formatted, components } = readPlace(feature)
  const { poi_category_ids: ids = [], metadata } = feature.properties
  return {
    ...{ placeId, name, lat, lng, source: ID, categories: findCategories('mapbox', ids) },
    ...keepTexts({ address: formatted, phone: metadata?.phone, website: metadata?.website }),
    ...keepTexts({ countryCode: components.countryCode }),
  }
}
