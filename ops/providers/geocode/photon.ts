import { Problem } from '#kit'
import type {
  AreaQuestion,
  GeocodeQuestion,
  ListedPlace,
  Place,
  Precision,
  ReverseQuestion,
} from '../../../tasks/engines/gazetteer/answer.ts'
import { findCategories } from '../../../tasks/engines/gazetteer/provider-categories.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import { type Circle, findBoxAround, findCircleAround, keepPlainBox, roundDegrees } from './area.ts'
import { listProviderNames } from './categories.ts'
import type { PlaceAdapter } from './contract.ts'
import { joinAddress, keepTexts, readAnswer, readFeatures, readPoint, refuseOption } from './provider.ts'

const ID = 'photon'
const MAX_RESULTS = 50

interface Feature {
  geometry: { coordinates: number[] }
  properties: Partial<Record<TextName, string>> & { osm_id?: number; extent?: number[]; extra?: Record<string, string> }
}
type TextName =
  | ('osm_type' | 'osm_key' | 'osm_value' | 'type' | 'name' | 'housenumber' | 'street' | 'locality')
  | ('district' | 'city' | 'county' | 'state' | 'postcode' | 'country' | 'countrycode')

/** A parameter may be there several times, which the query of the shared client cannot say. */
function writeQuery(pairs: readonly (readonly [string, string | number | undefined])[]): string {
  const given = pairs.filter(([, value]) => value !== undefined)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
}

export function openPhoton({ url }: { url: string }): PlaceAdapter {
  const client = openProviderClient({ provider: ID, baseUrl: url })

  async function ask(path: string, pairs: Parameters<typeof writeQuery>[0], signal: AbortSignal): Promise<Feature[]> {
    const answer = await client({ path: `${path}?${writeQuery(pairs)}`, signal, isRepeatable: true }).catch(explain)
    return readFeatures<Feature>(ID, answer)
  }

  return {
    ...{ id: ID, attribution: '© OpenStreetMap contributors, ODbL 1.0', ratesMatches: false },
    async geocode(question, signal) {
      const features = await ask('/api', buildSearch(question), signal)
      return readAnswer(ID, () => features.map(readPlace))
    },
    async reverse(question, signal) {
      const features = await ask('/reverse', buildReverse(question), signal)
      return readAnswer(ID, () => features.map(readPlace))
    },
    async search(question, signal) {
      if (question.openNow) refuseOption(ID, 'openNow')
      const tags = listProviderNames(ID, 'osm', question.categories)
      const path = question.query === undefined ? '/reverse' : '/api'
      const features = await ask(path, buildAreaSearch(question, tags), signal)
      return readAnswer(ID, () => features.map(readListed))
    },
  }
}

function explain(error: unknown): never {
  if (!(error instanceof ProviderRefusal)) throw error
  const { message } = (error.body ?? {}) as { message?: unknown }
  if (error.status !== 400 || typeof message !== 'string')
    throw new Problem('PROVIDER_UNAVAILABLE', { provider: ID, providerStatus: error.status })
  const option = /lang/i.test(message) ? 'language' : undefined
  throw new Problem('OPTION_UNSUPPORTED', { provider: ID, ...(option && { option }), reason: message.slice(0, 200) })
}

type Pairs = Parameters<typeof writeQuery>[0]

function buildSearch({ query, countries, near, bbox, limit, language, types }: GeocodeQuestion): Pairs {
  const isFiltered = types.length > 0 || near !== undefined || bbox !== undefined || countries.length > 0
  const box = keepPlainBox(bbox) ?? (near && findBoxAround({ center: near, radiusM: near.radiusKm * 1_000 }))
  return [
    ['q', typeof query === 'string' ? query : joinAddress(query)],
    ['lang', language],
    ['limit', isFiltered ? MAX_RESULTS : limit],
    ['bbox', box?.map(roundDegrees).join(',')],
    ['lat', near?.lat],
    ['lon', near?.lng],
    ...countries.map(code => ['countrycode', code.toUpperCase()] as const),
  ]
}

const LAYERS: Readonly<Record<Precision, readonly string[]>> = {
  ...{ rooftop: ['house'], interpolated: [], street: ['street'], point: ['house', 'other'], postcode: [] },
  ...{ city: ['locality', 'district', 'city'], admin: ['county', 'state'], country: ['country'] },
}

function buildReverse({ point, language, radiusM, types, limit }: ReverseQuestion): Pairs {
  const layers = [...new Set(types.flatMap(type => LAYERS[type]))]
  if (types.length > 0 && layers.length === 0) refuseOption(ID, 'types', types[0])
  return [
    ...placeCircle({ center: point, radiusM }),
    ['lang', language],
    ['limit', types.length > 0 ? MAX_RESULTS : limit],
    ...layers.map(layer => ['layer', layer] as const),
  ]
}

function placeCircle({ center, radiusM }: Pick<Circle, 'center'> & { radiusM?: number }): Pairs {
  return [
    ['lat', roundDegrees(center.lat)],
    ['lon', roundDegrees(center.lng)],
    ['radius', radiusM === undefined ? undefined : Math.min(5_000, Math.ceil(radiusM) / 1_000)],
  ]
}

/** Without a name it lists what is near. */
function buildAreaSearch({ query, near, bbox, radiusM, language }: AreaQuestion, tags: readonly string[]): Pairs {
  const circle = near ? { center: near, radiusM } : findCircleAround(bbox!)
  const box = near ? findBoxAround(circle) : keepPlainBox(bbox)
  const { center } = circle
  const place: Pairs =
    query === undefined
      ? placeCircle(circle)
      : [['q', query], ['bbox', box?.map(roundDegrees).join(',')], ...placeCircle({ center })]
  return [
    ...place,
    ['lang', language],
    ['limit', MAX_RESULTS],
    ...tags.map(tag => ['osm_tag', tag.replace('=', ':')] as const),
  ]
}

function readPlace({ geometry, properties }: Feature): Place {
  const { name, housenumber, street, locality, district, city, county, state, postcode, country } = properties
  const address = [street, housenumber].filter(Boolean).join(' ')
  const title = name || address || city || country
  if (!title) throw new TypeError('no name')
  const parts = [title, title === address ? '' : address, [postcode, city].filter(Boolean).join(' '), state, country]
  const [west, north, east, south] = properties.extent ?? []
  return {
    ...readPoint(geometry.coordinates[1], geometry.coordinates[0]),
    ...{ placeId: readId(properties), name: title, precision: readPrecision(properties), source: ID },
    formatted: [...new Set(parts.filter(Boolean))].join(', '),
    components: keepTexts({
      ...{ houseNumber: housenumber, street, suburb: district ?? locality, postcode, district: county },
      ...{ city: properties.type === 'city' ? (name ?? city) : city, region: state, country },
      countryCode: properties.countrycode?.toUpperCase(),
    }),
    ...([west, south, east, north].every(Number.isFinite) && { bbox: [west!, south!, east!, north!] }),
  }
}

const OSM_TYPES: Readonly<Record<string, string>> = { N: 'node', W: 'way', R: 'relation' }

function readId({ osm_type: type = '', osm_id: id }: Feature['properties']): string {
  return `osm:${OSM_TYPES[type] ?? type}:${id}`
}

function readPrecision({ type = '', osm_key, osm_value, housenumber }: Feature['properties']): Precision {
  if (osm_value === 'postcode' || osm_value === 'postal_code') return 'postcode'
  if (type === 'country') return 'country'
  if (LAYERS.admin.includes(type)) return 'admin'
  if (LAYERS.city.includes(type)) return 'city'
  if (type === 'street' || osm_key === 'highway') return 'street'
  return housenumber ? 'rooftop' : 'point'
}

function readListed(feature: Feature): ListedPlace {
  const { placeId, name, lat, lng, formatted, components } = readPlace(feature)
  const { osm_key: key, osm_value: value, extra = {} } = feature.properties
  return {
    ...{ placeId, name, lat, lng, source: ID, categories: findCategories('osm', [`${key}=${value}`]) },
    ...keepTexts({
      ...{ address: formatted, countryCode: components.countryCode, hours: extra.opening_hours },
      ...{ phone: extra.phone, website: extra.website },
    }),
  }
}
