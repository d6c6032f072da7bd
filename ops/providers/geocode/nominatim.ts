import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#kit'
import type {
  Address,
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
import type { NominatimConfig } from '../location/settings.ts'
import { findBoxAround, keepPlainBox } from './area.ts'
import { listProviderNames } from './categories.ts'
import type { PlaceAdapter, PlaceMemory } from './contract.ts'
import { keepTexts, readAnswer, readPoint, readText, refuseOption } from './provider.ts'

const ID = 'nominatim'
const KEPT_DAYS = 30
const MAX_WAIT_MS = 5_000
const MAX_RESULTS = 40

type Query = Record<string, string | number | undefined>
interface NominatimPlace {
  lat?: unknown
  lon?: unknown
  osm_type?: string
  osm_id?: number | string
  place_id?: number | string
  category?: string
  type?: string
  addresstype?: string
  place_rank?: number
  name?: string
  display_name?: string
  boundingbox?: string[]
  address?: Record<string, string | undefined>
  extratags?: Record<string, string | undefined> | null
}

/** A server of Nominatim, the public one under its terms: a request a second, no lists, and answers are kept. */
export function openNominatim(
  { url, contact, perSecond, isPublic }: NominatimConfig,
  memory: PlaceMemory,
): PlaceAdapter {
  const headers = { 'user-agent': `coinop (+${contact})` }
  const client = openProviderClient({ provider: ID, baseUrl: url, headers })

  async function ask(path: string, query: Query, signal: AbortSignal): Promise<NominatimPlace[]> {
    const key = createHash('sha256')
      .update(JSON.stringify([url, path, query]).toLowerCase())
      .digest('hex')
    const known = isPublic ? await memory.read(key) : undefined
    if (known) return known as NominatimPlace[]
    if (perSecond) await waitForTurn(memory, perSecond, signal)
    const answer = await client({ path, query: { ...query, format: 'jsonv2', addressdetails: 1 }, signal }).catch(
      explain,
    )
    const list = readAnswer(ID, () => readList(answer))
    if (isPublic) await memory.keep(key, list, KEPT_DAYS)
    return list
  }

  return {
    ...{ id: ID, attribution: 'Data © OpenStreetMap contributors, ODbL 1.0', ratesMatches: false },
    ...(isPublic && { maxQuestions: 1 }),
    async geocode(question, signal) {
      const found = await ask('/search', buildSearch(question), signal)
      return readAnswer(ID, () => found.map(readPlace))
    },
    async reverse(question, signal) {
      const found = await ask('/reverse', buildReverse(question), signal)
      return readAnswer(ID, () => found.map(readPlace))
    },
    async search(question, signal) {
      const searches = buildAreaSearches(question)
      if (isPublic && searches.length > 1) refuseOption(ID, 'categories')
      const found: NominatimPlace[] = []
      for (const search of searches) found.push(...(await ask('/search', search, signal)))
      return readAnswer(ID, () => found.map(readListed))
    },
  }
}

async function waitForTurn(memory: PlaceMemory, perSecond: number, signal: AbortSignal): Promise<void> {
  const waitMs = await memory.takeTurn(ID, perSecond, MAX_WAIT_MS)
  if (waitMs === undefined)
    throw new Problem('PROVIDER_UNAVAILABLE', {
      provider: ID,
      reason: 'too many calls wait for it',
      retryAfterSeconds: 5,
    })
  if (waitMs > 0) await sleep(waitMs, undefined, { signal })
}

/** What is not found at a point is an answer of its own. */
function readList(answer: unknown): NominatimPlace[] {
  if (Array.isArray(answer)) return answer as NominatimPlace[]
  const { error, lat } = answer as NominatimPlace & { error?: unknown }
  if (lat === undefined && error === 'Unable to geocode') return []
  if (lat === undefined) throw new TypeError('no place')
  return [answer as NominatimPlace]
}

function explain(error: unknown): never {
  if (!(error instanceof ProviderRefusal)) throw error
  const { message } = ((error.body ?? {}) as { error?: { message?: string } }).error ?? {}
  if (error.status !== 400) throw new Problem('PROVIDER_UNAVAILABLE', { provider: ID, providerStatus: error.status })
  throw new Problem('OPTION_UNSUPPORTED', { provider: ID, reason: String(message).slice(0, 200) })
}

function buildSearch({ query, countries, near, bbox, limit, language, types }: GeocodeQuestion): Query {
  const box = keepPlainBox(bbox) ?? (near && findBoxAround({ center: near, radiusM: near.radiusKm * 1_000 }))
  const isFiltered = types.length > 0 || near !== undefined || bbox !== undefined
  return {
    ...(typeof query === 'string' ? { q: query.trim().replaceAll(/\s+/g, ' ') } : buildAddress(query)),
    limit: isFiltered ? MAX_RESULTS : limit,
    'accept-language': language,
    ...(countries.length > 0 && { countrycodes: countries.join(',').toLowerCase() }),
    ...(box && { viewbox: box.join(','), bounded: 1 }),
  }
}

function buildAddress({ street, houseNumber, city, state, postalCode, country }: Address): Query {
  const line = [houseNumber, street].filter(Boolean).join(' ')
  return { street: line || undefined, city, state, postalcode: postalCode, country }
}

/** How near it looks, by what is wanted; it gives one result, the finest. */
const ZOOMS: Partial<Record<Precision, number>> = { country: 3, admin: 8, city: 13, street: 17 }

function buildReverse({ point, language, types }: ReverseQuestion): Query {
  if (types.includes('postcode')) refuseOption(ID, 'types', 'postcode')
  const zooms = types.map(type => ZOOMS[type] ?? 18)
  return { lat: point.lat, lon: point.lng, zoom: Math.max(0, ...zooms) || 18, 'accept-language': language }
}

/** One request for each tag, because a search has one. */
function buildAreaSearches({ query, categories, near, bbox, radiusM, openNow, language }: AreaQuestion): Query[] {
  if (openNow) refuseOption(ID, 'openNow')
  const box = near ? findBoxAround({ center: near, radiusM }) : keepPlainBox(bbox)
  if (!box) refuseOption(ID, near ? 'near' : 'bbox')
  const tags = listProviderNames(ID, 'osm', categories)
  const shared = { limit: MAX_RESULTS, viewbox: box.join(','), bounded: 1, extratags: 1, 'accept-language': language }
  const texts = tags.length > 0 ? tags.map(tag => [`[${tag}]`, query].filter(Boolean).join(' ')) : [query!]
  return texts.map(q => ({ q, ...shared }))
}

function readPlace(found: NominatimPlace): Place {
  const { name, display_name: formatted, boundingbox, address = {} } = found
  const whole = readText(formatted)
  const [south, north, west, east] = (boundingbox ?? []).map(Number)
  const hasBox = [south, north, west, east].every(Number.isFinite)
  return {
    ...readPoint(found.lat, found.lon),
    ...{ placeId: readId(found), name: name || whole.split(',')[0]!, formatted: whole, source: ID },
    ...{ precision: readPrecision(found), components: readComponents(address) },
    ...(hasBox && { bbox: [west!, south!, east!, north!] }),
  }
}

function readId({ osm_type, osm_id, place_id }: NominatimPlace): string {
  return osm_type ? `osm:${osm_type}:${osm_id}` : `nominatim:${place_id}`
}

const COUNTIES = ['state', 'region', 'province', 'state_district', 'county', 'municipality']
const TOWNS = ['city', 'town', 'village', 'hamlet', 'suburb', 'city_district', 'borough', 'quarter', 'neighbourhood']

const NUMBER = 'house_number'
const KINDS: Readonly<Record<string, Precision>> = { postcode: 'postcode', country: 'country', road: 'street' }

function readPrecision({
  addresstype = '',
  place_rank: rank = 30,
  osm_type,
  type = '',
  category,
  address,
}: NominatimPlace) {
  const kind = KINDS[addresstype] ?? (type === 'postcode' ? 'postcode' : undefined)
  if (kind) return kind
  if (COUNTIES.includes(addresstype)) return 'admin'
  if (TOWNS.includes(addresstype)) return 'city'
  if (rank <= 27) return readRank(rank)
  if (!address?.[NUMBER]) return 'point'
  return category === 'place' && type === 'house' && osm_type === 'way' ? 'interpolated' : 'rooftop'
}

function readRank(rank: number): Precision {
  if (rank <= 4) return 'country'
  if (rank <= 12) return 'admin'
  return rank <= 25 ? 'city' : 'street'
}

function readComponents(address: Readonly<Record<string, string | undefined>>): Components {
  const { road, county, state_district, state, postcode, country, country_code } = address
  const first = (...names: string[]) => names.map(name => address[name]).find(Boolean)
  return keepTexts({
    ...{
      houseNumber: address[NUMBER],
      street: road,
      suburb: first('suburb', 'city_district', 'borough', 'neighbourhood'),
    },
    ...{
      city: first('city', 'town', 'village', 'municipality', 'hamlet'),
      postcode,
      district: county ?? state_district,
    },
    ...{ region: state, regionCode: address['ISO3166-2-lvl4']?.split('-')[1], country },
    countryCode: country_code?.toUpperCase(),
  })
}

function readListed(found: NominatimPlace): ListedPlace {
  const { components, name, formatted, placeId, lat, lng } = readPlace(found)
  const { extratags: tags, category, type } = found
  return {
    ...{ placeId, name, lat, lng, source: ID, categories: findCategories('osm', [`${category}=${type}`]) },
    ...keepTexts({
      ...{ address: formatted, countryCode: components.countryCode, hours: tags?.opening_hours },
      ...{ phone: tags?.phone ?? tags?.['contact:phone'], website: tags?.website ?? tags?.['contact:website'] },
    }),
  }
}
