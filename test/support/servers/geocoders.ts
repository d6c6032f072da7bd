import { type LocalServer, openLocalServer } from './local.ts'

/** Answers in the forms of Nominatim, Photon, Google and Mapbox, or as the test wants it to fail. */
export interface FakeGeocoder extends LocalServer {
  requests: { path: string; query: URLSearchParams; body: string; agent: string; key: string }[]
  /** Answers all calls from now on. */
  answer: object | undefined
}

export async function openFakeGeocoder(): Promise<FakeGeocoder> {
  const requests: FakeGeocoder['requests'] = []
  const server = await openLocalServer(({ path, headers, body }) => {
    const { pathname, searchParams: query } = new URL(path, 'http://localhost')
    const { 'user-agent': agent = '', 'x-goog-api-key': key = '' } = headers
    requests.push({ path: pathname, query, body, agent, key: String(key) })
    return fake.answer ?? ANSWERS[pathname]?.(query)
  })
  const fake: FakeGeocoder = {
    url: server.url,
    requests,
    answer: undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return fake
}

const ANSWERS: Readonly<Record<string, (query: URLSearchParams) => object>> = {
  '/search': query => ({
    list: query.get('q')?.startsWith('[') ? [NOMINATIM_MUSEUM] : [NOMINATIM_ADDRESS, NOMINATIM_CITY],
  }),
  '/reverse': query =>
    query.has('format') ? NOMINATIM_ADDRESS : { type: 'FeatureCollection', features: [PHOTON_ADDRESS] },
  '/api': () => ({ type: 'FeatureCollection', features: [PHOTON_ADDRESS, PHOTON_CITY] }),
  '/maps/api/geocode/json': () => ({ list: { status: 'OK', results: [GOOGLE_ADDRESS, GOOGLE_CITY] } }),
  '/v1/places:searchNearby': () => ({ places: [GOOGLE_MUSEUM, GOOGLE_CLOSED] }),
  '/v1/places:searchText': () => ({ places: [GOOGLE_MUSEUM] }),
  '/search/geocode/v6/forward': () => collect(MAPBOX_ADDRESS, MAPBOX_CITY),
  '/search/geocode/v6/reverse': () => collect(MAPBOX_ADDRESS),
  '/search/searchbox/v1/forward': () => collect(MAPBOX_MUSEUM),
  '/search/searchbox/v1/category/museum': () => collect(MAPBOX_MUSEUM),
}

const NOMINATIM_ADDRESS = {
  ...{ place_id: 137_207_134, licence: 'Data © OpenStreetMap contributors, ODbL 1.0.', osm_type: 'node' },
  ...{ osm_id: 2_846_295_644, lat: '52.5170365', lon: '13.3888599', category: 'place', type: 'house', place_rank: 30 },
  ...{ importance: 0.00001, addresstype: 'place', name: '', boundingbox: ['52.516', '52.518', '13.387', '13.389'] },
  display_name: '1, Unter den Linden, Mitte, Berlin, 10117, Deutschland',
  address: {
    ...{
      ...Object.fromEntries([['house_number', '1']]),
      road: 'Unter den Linden',
      suburb: 'Mitte',
      city: 'Berlin',
      state: 'Berlin',
    },
    ...{ 'ISO3166-2-lvl4': 'DE-BE', postcode: '10117', country: 'Deutschland', country_code: 'de' },
  },
}
const NOMINATIM_CITY = {
  ...{ place_id: 1, osm_type: 'relation', osm_id: 62_422, lat: '52.5', lon: '13.4', category: 'boundary' },
  ...{
    type: 'administrative',
    place_rank: 8,
    addresstype: 'city',
    name: 'Berlin',
    display_name: 'Berlin, Deutschland',
  },
  ...{ address: { city: 'Berlin', country: 'Deutschland', country_code: 'de' }, boundingbox: ['52', '53', '13', '14'] },
}
const NOMINATIM_MUSEUM = {
  ...{ ...NOMINATIM_ADDRESS, osm_type: 'way', osm_id: 5, category: 'tourism', type: 'museum', name: 'Altes Museum' },
  extratags: { opening_hours: 'Tu-Su 10:00-18:00', phone: '+49 30 266424242', website: 'https://museum.test/' },
}

const POINT = { type: 'Point', coordinates: [13.3888599, 52.5170365] }
const PHOTON_ADDRESS = {
  ...{ type: 'Feature', geometry: POINT },
  properties: {
    ...{
      osm_type: 'N',
      osm_id: 2_846_295_644,
      osm_key: 'tourism',
      osm_value: 'museum',
      type: 'house',
      housenumber: '1',
    },
    ...{ name: 'Altes Museum', street: 'Unter den Linden', postcode: '10117', city: 'Berlin', district: 'Mitte' },
    ...{ country: 'Deutschland', countrycode: 'DE' },
  },
}
const PHOTON_CITY = {
  ...{ type: 'Feature', geometry: { type: 'Point', coordinates: [13.4, 52.5] } },
  properties: {
    ...{ osm_type: 'R', osm_id: 62_422, osm_key: 'place', osm_value: 'city', type: 'city', name: 'Berlin' },
    ...{ country: 'Deutschland', countrycode: 'DE', extent: [13, 53, 14, 52] },
  },
}

const part = (long_name: string, short_name: string, ...types: string[]) => ({ long_name, short_name, types })
const COUNTRY = part('Deutschland', 'DE', 'country', 'political')
const GOOGLE_ADDRESS = {
  ...{ place_id: 'ChIJhouse', formatted_address: 'Unter den Linden 1, 10117 Berlin, Deutschland' },
  ...{ types: ['street_address'], partial_match: true },
  address_components: [
    part('1', '1', 'street_number'),
    part('Unter den Linden', 'Unter d. Linden', 'route'),
    part('Berlin', 'Berlin', 'locality', 'political'),
    part('10117', '10117', 'postal_code'),
    COUNTRY,
  ],
  geometry: { location: { lat: 52.5170365, lng: 13.3888599 }, location_type: 'ROOFTOP' },
}
const GOOGLE_CITY = {
  ...{ place_id: 'ChIJcity', formatted_address: 'Berlin, Deutschland', types: ['locality', 'political'] },
  address_components: [part('Berlin', 'Berlin', 'locality', 'political'), COUNTRY],
  geometry: {
    ...{ location: { lat: 52.5, lng: 13.4 }, location_type: 'APPROXIMATE' },
    viewport: { northeast: { lat: 53, lng: 14 }, southwest: { lat: 52, lng: 13 } },
  },
}
const GOOGLE_MUSEUM = {
  ...{ id: 'ChIJmuseum', displayName: { text: 'Altes Museum', languageCode: 'de' } },
  ...{ formattedAddress: 'Am Lustgarten, Berlin', location: { latitude: 52.5170365, longitude: 13.3888599 } },
  ...{ types: ['museum', 'tourist_attraction'], internationalPhoneNumber: '+49 30 266424242' },
  ...{ websiteUri: 'https://museum.test/', currentOpeningHours: { openNow: true } },
  regularOpeningHours: { weekdayDescriptions: ['Montag: Geschlossen', 'Dienstag: 10:00–18:00'] },
  addressComponents: [{ longText: 'Deutschland', shortText: 'DE', types: ['country'] }],
}
const GOOGLE_CLOSED = { ...GOOGLE_MUSEUM, id: 'ChIJclosed', currentOpeningHours: { openNow: false } }

const collect = (...features: object[]) => ({ type: 'FeatureCollection', features, attribution: 'NOTICE: © Mapbox' })
const MAPBOX_ADDRESS = {
  ...{ type: 'Feature', id: 'dXJuOm1ieGFkcjo', geometry: POINT },
  properties: {
    ...{ mapbox_id: 'dXJuOm1ieGFkcjo', feature_type: 'address', name: 'Unter den Linden 1' },
    ...{ full_address: 'Unter den Linden 1, 10117 Berlin, Deutschland', match_code: { confidence: 'exact' } },
    coordinates: { longitude: 13.3888599, latitude: 52.5170365, accuracy: 'rooftop' },
    context: {
      ...{ address: { address_number: '1', street_name: 'Unter den Linden' }, street: { name: 'Unter den Linden' } },
      ...{ postcode: { name: '10117' }, place: { name: 'Berlin' } },
      ...{ country: { name: 'Deutschland', country_code: 'DE' } },
    },
  },
}
const MAPBOX_CITY = {
  ...{ type: 'Feature', geometry: { type: 'Point', coordinates: [13.4, 52.5] } },
  properties: {
    ...{ mapbox_id: 'dXJuOm1ieHBsYzo', feature_type: 'place', name: 'Berlin', place_formatted: 'Deutschland' },
    ...{ coordinates: { longitude: 13.4, latitude: 52.5 }, bbox: [13, 52, 14, 53] },
    context: { country: { name: 'Deutschland', country_code: 'DE' } },
  },
}
const MAPBOX_MUSEUM = {
  ...MAPBOX_ADDRESS,
  properties: {
    ...{ ...MAPBOX_ADDRESS.properties, mapbox_id: 'poi', feature_type: 'poi', name: 'Altes Museum' },
    ...{ poi_category: ['museum'], poi_category_ids: ['museum'] },
    metadata: { phone: '+49 30 266424242', website: 'https://museum.test/' },
  },
}
