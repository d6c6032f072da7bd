import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createGazetteer } from '../../../api/products/location/gazetteer.ts'
import { loadConfig } from '../../../ops/config.ts'
import type { PlaceMemory } from '../../../ops/providers/geocode/contract.ts'
import { openGeocoders } from '../../../ops/providers/geocode/open.ts'
import { keepAnswer, recallAnswer, takeTurn } from '../../../sql/provider/memory.ts'
import { readProviderUsage } from '../../../sql/provider/usage.ts'
import type { AreaQuestion, GeocodeQuestion, ReverseQuestion } from '../../../tasks/engines/gazetteer/answer.ts'
import { type FakeGeocoder, openFakeGeocoder } from '../../support/servers/geocoders.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let server: FakeGeocoder
let api: InProcessApi
beforeAll(async () => {
  server = await openFakeGeocoder()
  api = await openInProcessApi(env('photon,embedded'))
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})
beforeEach(() => {
  server.requests.length = 0
  server.answer = undefined
})

const TOKEN = 'a-secret-token'
const PROVIDERS = ['nominatim', 'photon', 'google', 'mapbox'] as const
function env(providers: string): Record<string, string> {
  const { url } = server
  return {
    ...{ GEOCODE_PROVIDERS: providers, NOMINATIM_URL: url, NOMINATIM_CONTACT: 'ops@coinop.test', PHOTON_URL: url },
    ...{ GOOGLE_MAPS_URL: url, GOOGLE_MAPS_KEY: TOKEN, MAPBOX_URL: url, MAPBOX_TOKEN: TOKEN },
    ...{ DATA_DIR: '/tmp', SECRET: 'a secret of the tests alone' },
  }
}
const NO_MEMORY: PlaceMemory = { takeTurn: async () => 0, read: async () => undefined, keep: async () => undefined }
const open = (providers: string, memory = NO_MEMORY, isPublic = false) => {
  const { location } = loadConfig(env(providers))
  const config = { ...location, nominatim: { ...location.nominatim, isPublic, perSecond: isPublic ? 1 : undefined } }
  return openGeocoders(config, { embedded: createGazetteer(api.context.db), memory })
}
const paid = { paidMicros: 5_000n, signal: new AbortController().signal }
const POINT = { lat: 52.517, lng: 13.3889 }
const ask = (options: Partial<GeocodeQuestion> = {}): GeocodeQuestion => ({
  ...{ query: 'Unter den  Linden 1, Berlin', limit: 5, language: 'de', countries: [], minConfidence: 0, types: [] },
  ...options,
})
const askAt = (options: Partial<ReverseQuestion> = {}): ReverseQuestion => ({
  ...{ point: POINT, language: 'de', types: [], limit: 1 },
  ...options,
})
const askAround = (options: Partial<AreaQuestion> = {}): AreaQuestion => ({
  ...{ categories: ['museum'], near: POINT, radiusM: 2_000, openNow: false, limit: 20, sort: 'relevance' },
  ...options,
})
const geocode = async (provider: string, options?: Partial<GeocodeQuestion>) =>
  (await open(provider).geocode([ask(options)], paid)).answers[0]!.results
const reverse = async (provider: string, options?: Partial<ReverseQuestion>) =>
  (await open(provider).reverse([askAt(options)], paid)).answers[0]!.results
const search = (provider: string, options?: Partial<AreaQuestion>) => open(provider).search(askAround(options), paid)

test.each(PROVIDERS)('%s: an address has a house, a street and a country, and a city a box', async provider => {
  const { answers, engine, attribution, coverage } = await open(provider).geocode([ask()], paid)
  expect([engine, coverage]).toEqual([provider, 'full'])
  expect(attribution).toMatch(/OpenStreetMap|Google Maps/)
  const [address, city] = answers[0]!.results
  expect(address).toMatchObject({
    ...{ precision: 'rooftop', lat: 52.5170365, lng: 13.3888599, source: provider },
    ...{
      placeId: expect.stringMatching(/^(osm:node:\d+|google:|mapbox:)/),
      formatted: expect.stringContaining('Berlin'),
    },
    components: {
      ...{ houseNumber: '1', street: 'Unter den Linden', city: 'Berlin', postcode: '10117' },
      ...{ country: 'Deutschland', countryCode: 'DE' },
    },
  })
  expect(city).toMatchObject({ name: 'Berlin', precision: 'city', bbox: [13, 52, 14, 53] })
  expect(await reverse(provider)).toMatchObject([{ precision: 'rooftop', distanceM: expect.any(Number) }])
})

test.each(PROVIDERS)('%s: what does not fit an option is left out', async provider => {
  expect(await geocode(provider, { types: ['city'] })).toMatchObject([{ name: 'Berlin' }])
  expect(await geocode(provider, { countries: ['fr'] })).toEqual([])
  expect(await geocode(provider, { limit: 1 })).toHaveLength(1)
  expect(await geocode(provider, { bbox: [13.38, 52.51, 13.39, 52.52] })).toMatchObject([{ precision: 'rooftop' }])
  const near = await geocode(provider, { near: { ...POINT, radiusKm: 1 } })
  expect(near).toMatchObject([{ precision: 'rooftop', distanceM: 5 }])
  expect(await reverse(provider, { radiusM: 1 })).toEqual([])
  expect(await reverse(provider, { types: ['admin'] })).toEqual([])
})

test.each(PROVIDERS)('%s: places of a category, and by name', async provider => {
  const { places, quality } = await search(provider, { sort: 'distance', language: 'de' })
  expect(quality).toBe('full')
  expect(places[0]).toMatchObject({
    ...{ name: 'Altes Museum', categories: ['museum'], countryCode: 'DE', distanceM: 5 },
    ...(provider !== 'photon' && { phone: '+49 30 266424242', website: 'https://museum.test/' }),
  })
  const named = await search(provider, { query: 'Altes', near: undefined, bbox: [13, 52, 14, 53] })
  expect(named.places[0]).toMatchObject({ name: 'Altes Museum' })
  expect((await search(provider, { near: { lat: 0, lng: 0 } })).places).toEqual([])
})

test('every option reaches the provider in its own words, and its key only where it belongs', async () => {
  const filters = { near: { ...POINT, radiusKm: 10 }, countries: ['DE'], types: ['street' as const] }
  const last = () => server.requests.at(-1)!
  await geocode('nominatim', filters)
  expect(Object.fromEntries(last().query)).toMatchObject({
    ...{ q: 'Unter den Linden 1, Berlin', format: 'jsonv2', addressdetails: '1', countrycodes: 'de', bounded: '1' },
    ...{ 'accept-language': 'de', limit: '40', viewbox: expect.stringMatching(/^13\.24\d*,52\.42\d*,13\.5/) },
  })
  expect(last().agent).toBe('coinop (+ops@coinop.test)')
  await geocode('nominatim', { query: { street: 'Linden', houseNumber: '1', city: 'Berlin', postalCode: '10117' } })
  expect(last().query.toString()).toMatch(/^street=1\+Linden&city=Berlin&postalcode=10117&limit=5/)
  await reverse('nominatim', { types: ['city', 'country'] })
  expect(last().query.get('zoom')).toBe('13')
  await geocode('photon', filters)
  expect(last().query.toString()).toContain('lang=de&limit=50&bbox=13.24')
  expect(last().query.getAll('countrycode')).toEqual(['DE'])
  await reverse('photon', { radiusM: 500, types: ['city'] })
  expect(last().query.toString()).toContain('radius=0.5&lang=de&limit=50&layer=locality&layer=district&layer=city')
  await search('photon', { categories: ['university'] })
  expect(last().query.getAll('osm_tag')).toEqual(['amenity:university', 'amenity:college'])
  await geocode('google', { ...filters, bbox: [13, 52, 14, 53] })
  expect(last().query.toString()).toContain('language=de&components=country%3ADE&bounds=52%2C13%7C53%2C14&key=a-secret')
  await reverse('google', { types: ['country'] })
  expect(last().query.get('result_type')).toBe('country')
  const { places } = await search('google', { openNow: true, sort: 'distance' })
  expect(places.map(({ placeId }) => placeId)).toEqual(['google:ChIJmuseum'])
  expect(last()).toMatchObject({ path: '/v1/places:searchNearby', key: TOKEN })
  expect(JSON.parse(last().body)).toMatchObject({ includedTypes: ['museum'], rankPreference: 'DISTANCE' })
  await geocode('mapbox', { ...filters, query: 'a;b' })
  expect(Object.fromEntries(last().query)).toMatchObject({
    ...{ q: 'a,b', autocomplete: 'false', country: 'de', types: 'street,block', proximity: '13.3889,52.517' },
    ...{ access_token: TOKEN, language: 'de' },
  })
})

test.each([
  ['nominatim', () => geocode('nominatim', { minConfidence: 0.5 }), 'minConfidence'],
  ['nominatim', () => reverse('nominatim', { types: ['postcode'] }), 'types'],
  ['nominatim', () => search('nominatim', { openNow: true }), 'openNow'],
  ['nominatim', () => search('nominatim', { near: { lat: 0, lng: 180 } }), 'near'],
  ['nominatim', () => search('nominatim', { categories: ['desert'] }), 'categories'],
  ['photon', () => geocode('photon', { minConfidence: 0.5 }), 'minConfidence'],
  ['photon', () => search('photon', { openNow: true }), 'openNow'],
  ['google', () => search('google', { categories: ['glacier'] }), 'categories'],
  ['google', () => search('google', { near: undefined, bbox: [0, 0, 20, 20] }), 'bbox'],
  ['mapbox', () => search('mapbox', { openNow: true }), 'openNow'],
  ['mapbox', () => reverse('mapbox', { types: ['point'] }), 'types'],
  ['embedded', () => search('embedded', { openNow: true }), 'openNow'],
  ['embedded', () => search('embedded', { language: 'de' }), 'language'],
])('%s refuses what it cannot do without a call', async (_provider, run, option) => {
  await expect(run()).rejects.toMatchObject({ code: 'OPTION_UNSUPPORTED', hints: { option } })
  expect(server.requests).toEqual([])
})

const HTML = '<html><head><title>Access blocked</title></head></html>'
const FAILURES: [provider: string, answer: object, code: string][] = [
  ...PROVIDERS.flatMap((provider): [string, object, string][] => [
    [provider, { status: 429, text: HTML }, 'PROVIDER_UNAVAILABLE'],
    [provider, { status: 403, text: HTML }, 'PROVIDER_UNAVAILABLE'],
    [provider, { status: 200, text: HTML }, 'PROVIDER_UNAVAILABLE'],
    [provider, { status: 200, text: '{"results":[{"na' }, 'PROVIDER_UNAVAILABLE'],
    [provider, { status: 302 }, 'PROVIDER_UNAVAILABLE'],
    [provider, { unexpected: true }, 'PROVIDER_UNAVAILABLE'],
    [provider, { list: [{ lat: '99', lon: 'x', display_name: 5 }] }, 'PROVIDER_UNAVAILABLE'],
    [provider, { features: [{}], status: 200 }, 'PROVIDER_UNAVAILABLE'],
    [provider, { status: 404, text: 'not here' }, 'PROVIDER_UNAVAILABLE'],
  ]),
  ['nominatim', { status: 400, error: { code: 400, message: "Parameter 'q' is missing" } }, 'OPTION_UNSUPPORTED'],
  ['photon', { status: 400, message: 'Language is not supported. Supported are: [de, en]' }, 'OPTION_UNSUPPORTED'],
  [
    'google',
    { list: { status: 'OVER_QUERY_LIMIT', results: [], error_message: `key ${TOKEN}` } },
    'PROVIDER_UNAVAILABLE',
  ],
  ['google', { list: { status: 'REQUEST_DENIED', error_message: `key ${TOKEN}` } }, 'PROVIDER_UNAVAILABLE'],
  ['google', { list: { status: 'INVALID_REQUEST', results: [] } }, 'OPTION_UNSUPPORTED'],
  ['mapbox', { status: 422, message: 'Query too long - 300/256 characters' }, 'OPTION_UNSUPPORTED'],
  ['mapbox', { status: 401, message: 'Not Authorized - Invalid Token' }, 'PROVIDER_UNAVAILABLE'],
]
test.each(FAILURES)('%s: %o is a problem', async (provider, answer, code) => {
  server.answer = answer
  const error = await geocode(provider).catch((problem: unknown) => problem)
  expect(error).toMatchObject({ code })
  expect(JSON.stringify(error)).not.toContain('secret')
})

test.each([
  ['nominatim', { error: 'Unable to geocode' }],
  ['photon', { type: 'FeatureCollection', features: [] }],
  ['google', { list: { status: 'ZERO_RESULTS', results: [] } }],
  ['mapbox', { type: 'FeatureCollection', features: [] }],
])('%s: nothing at a point is no problem', async (provider, answer) => {
  server.answer = answer
  expect(await reverse(provider)).toEqual([])
})

test('the public Nominatim is not asked for lists, and its answers are kept', async () => {
  const { db } = api.context
  let turns = 0
  const memory: PlaceMemory = {
    takeTurn: async () => {
      turns++
      return 0
    },
    read: key => recallAnswer(db, key),
    keep: (key, answer, days) => keepAnswer(db, { key, answer, days }),
  }
  const geocoders = open('nominatim', memory, true)
  const list = geocoders.geocode([ask(), ask()], paid)
  await expect(list).rejects.toMatchObject({ code: 'OPTION_UNSUPPORTED' })
  for (const query of ['Berlin', 'BERLIN ', 'Rome'])
    expect((await geocoders.geocode([ask({ query })], paid)).answers[0]!.results).toHaveLength(2)
  expect([turns, server.requests.length]).toEqual([2, 2])
  const { location } = loadConfig({ ...env('nominatim'), NOMINATIM_URL: 'https://nominatim.openstreetmap.org/' })
  expect(location.nominatim).toMatchObject({ isPublic: true, perSecond: 1 })
  const busy = open('nominatim', { ...memory, takeTurn: async () => undefined }, true).geocode(
    [ask({ query: 'x' })],
    paid,
  )
  await expect(busy).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', hints: { retryAfterSeconds: 5 } })
})

test('turns with a provider come one after the other, and none is taken that is too far away', async () => {
  const { db } = api.context
  const take = (maxWaitMs: number) => takeTurn(db, 'slow', { perSecond: 0.001, maxWaitMs })
  expect(await take(5_000)).toBe(0)
  expect(await take(5_000)).toBeUndefined()
  expect(await take(1e7)).toBeGreaterThan(800_000)
  expect(await take(1e7)).toBeGreaterThan(1_800_000)
})

test('a call is answered and charged once, and our own gazetteer answers where the provider does not', async () => {
  const customer = await openBatonOwner(api)
  const call = (body: object) => customer.call('POST', '/v1/location/geocode', body)
  const answer = await call({ queries: ['Berlin', 'Roma'], limit: 1 })
  expect(answer.headers['x-service-charged-micros']).toBe('4000')
  expect(answer.json()).toMatchObject({ engine: 'photon', answers: [{ results: [{ source: 'photon' }] }, {}] })
  server.answer = { status: 503 }
  expect((await call({ query: 'Roma' })).json()).toMatchObject({ engine: 'embedded', results: [{ name: 'Rome' }] })
  server.answer = { status: 400, message: 'Language is not supported. Supported are: [de, en]' }
  expect((await call({ query: 'Roma', language: 'zu' })).json()).toMatchObject({ engine: 'embedded' })
  await expect
    .poll(async () => (await readProviderUsage(api.context.db, 2)).map(({ calls, failed }) => [calls, failed]))
    .toEqual([[4n, 2n]])
  const { operations } = (await api.app.inject({ url: '/v1/capabilities' })).json()
  expect(operations['location.geocode']).toEqual({ available: true, provider: 'photon' })
})

test('a paid provider sets the price, and without any a call is refused before it costs anything', async () => {
  await using google = await openInProcessApi({ ...env('google'), LOCATION_MARKUP_PCT: '50' })
  const customer = await openBatonOwner(google)
  const answer = await customer.call('POST', '/v1/location/geocode', { queries: ['Berlin', 'Rom'] })
  expect(answer.headers['x-service-charged-micros']).toBe('15000')
  const openApi = (await google.app.inject({ url: '/openapi.json' })).json()
  expect(JSON.stringify(openApi.paths['/v1/location/geocode'])).toContain('0.0075')
  await using none = await openInProcessApi({ ...env('mapbox'), MAPBOX_TOKEN: '' })
  const poor = await openBatonOwner(none)
  const before = await poor.money()
  const refused = await poor.call('POST', '/v1/location/place-search', { near: POINT, categories: ['museum'] })
  expect(refused.json()).toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', install: 'GEOCODE_PROVIDERS' })
  expect(await poor.money()).toEqual(before)
})
