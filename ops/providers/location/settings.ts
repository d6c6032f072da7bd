import { type Static, type TObject, Type } from 'typebox'
import type { Mode } from '../../../tasks/engines/roads/mode.ts'
import { declareSettings } from '../../variables/declaration.ts'
import { MarkupPct, OptionalText, OptionalUrl, Text, Url } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Who finds places and plans routes. */
    location: LocationConfig
  }
}

export const GEOCODERS = ['nominatim', 'photon', 'google', 'mapbox', 'embedded'] as const
export const ROUTERS = ['osrm', 'valhalla', 'graphhopper', 'google', 'mapbox', 'embedded'] as const

export type LocationCall = 'geocode' | 'reverse-geocode' | 'place-search' | 'route' | 'matrix'

/** Who answers the location calls. A provider without its settings is passed over. */
export interface LocationConfig {
  /** The first that is configured answers, the next where it is unavailable. */
  geocoders: readonly (typeof GEOCODERS)[number][]
  routers: readonly (typeof ROUTERS)[number][]
  nominatim: NominatimConfig
  photon?: { url: string }
  osrm?: { url: string; modes: readonly Mode[] }
  valhalla?: { url: string; apiKey?: string }
  graphhopper?: { url: string; apiKey?: string }
  google?: GoogleMapsConfig
  mapbox?: { url: string; token: string }
  /** What a request costs at a provider, in micros: by `google.geocode`. */
  costs: ReadonlyMap<string, number>
  markupPct: number
}

export interface NominatimConfig {
  url: string
  /** Who asks, as its usage policy wants to know. */
  contact: string
  /** Undefined for a server of one's own without a limit. */
  perSecond?: number
  /** Its usage policy forbids lists of questions and asks to keep answers. */
  isPublic: boolean
}

export interface GoogleMapsConfig {
  key: string
  geocodeUrl: string
  placesUrl: string
  routesUrl: string
}

const COSTS = [
  ...['google.geocode 0.005', 'google.reverse-geocode 0.005', 'google.place-search 0.04', 'google.route 0.01'],
  ...['mapbox.geocode 0.00075', 'mapbox.reverse-geocode 0.00075', 'mapbox.place-search 0.0075'],
  ...['mapbox.route 0.002', 'mapbox.matrix 0.002'],
]
const COST = '[a-z]+\\.(geocode|reverse-geocode|place-search|route|matrix) \\d{1,3}(\\.\\d{1,6})?'

const variables = {
  GEOCODE_PROVIDERS: Text({
    default: 'embedded',
    expects: 'some of nominatim, photon, google, mapbox, embedded, separated by commas',
    pattern: '^\\s*(nominatim|photon|google|mapbox|embedded)(\\s*,\\s*(nominatim|photon|google|mapbox|embedded))*\\s*$',
    description:
      'Who answers geocode, reverse-geocode and place-search: the first of these that is configured; the next where it is ' +
      'unavailable and costs no more. `embedded` is our own gazetteer.',
  }),
  ROUTE_PROVIDERS: Text({
    default: 'embedded',
    expects: 'some of osrm, valhalla, graphhopper, google, mapbox, embedded, separated by commas',
    pattern:
      '^\\s*(osrm|valhalla|graphhopper|google|mapbox|embedded)(\\s*,\\s*(osrm|valhalla|graphhopper|google|mapbox|embedded))*\\s*$',
    description: 'Who plans the routes of location/route, likewise; `embedded` is our own road graph.',
  }),
  NOMINATIM_URL: Url({ default: 'https://nominatim.openstreetmap.org', description: 'Address of Nominatim.' }),
  NOMINATIM_CONTACT: OptionalText({
    displayDefault: 'PUBLIC_URL',
    pattern: '^[\\x21-\\x7e]{1,200}$',
    expects: 'a mail or web address without blanks',
    description: 'How its operators reach you; sent in the User-Agent, which the public server asks for.',
  }),
  NOMINATIM_PER_SECOND: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1000,
      displayDefault: '1 of the public server, else no limit',
      description: 'Requests a second of all api processes together; of the public server at most 1.',
    }),
  ),
  PHOTON_URL: OptionalUrl({ displayDefault: 'no Photon', description: 'Address of a Photon server.' }),
  OSRM_URL: OptionalUrl({ displayDefault: 'no OSRM', description: 'Address of an OSRM server.' }),
  OSRM_MODES: Text({
    default: 'drive',
    expects: 'some of drive, walk, bike, truck, separated by commas',
    pattern: '^(drive|walk|bike|truck)(\\s*,\\s*(drive|walk|bike|truck))*$',
    description: 'What that server was built for, of drive, walk, bike and truck.',
  }),
  VALHALLA_URL: OptionalUrl({ displayDefault: 'no Valhalla', description: 'Address of a Valhalla server.' }),
  VALHALLA_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Its bearer token; only the api gets it.',
  }),
  GRAPHHOPPER_URL: OptionalUrl({
    displayDefault: "GraphHopper's own, with a key",
    description: 'Address of a GraphHopper server of your own.',
  }),
  GRAPHHOPPER_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Key of the GraphHopper Directions API; only the api gets it.',
  }),
  GOOGLE_MAPS_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'no Google Maps',
    description: 'Key of Google Maps Platform with Geocoding, Places (New) and Routes; only the api gets it.',
  }),
  GOOGLE_MAPS_URL: OptionalUrl({
    displayDefault: "Google's own",
    description: 'One server that answers as all three of them.',
  }),
  MAPBOX_TOKEN: OptionalText({
    isSecret: true,
    displayDefault: 'no Mapbox',
    description: 'Access token of Mapbox; only the api gets it.',
  }),
  MAPBOX_URL: Url({ default: 'https://api.mapbox.com', description: 'Address of Mapbox.' }),
  LOCATION_COSTS: Text({
    default: COSTS.join(', '),
    expects: 'costs such as `google.geocode 0.005`, separated by commas',
    pattern: `^\\s*(none|${COST}(\\s*,\\s*${COST})*)\\s*$`,
    description:
      'What one request costs you at a provider, in dollars; of a matrix, one pair. What is not listed costs nothing; `none` ' +
      'lists nothing. The default is what the providers published in 2026 for small volumes.',
  }),
  LOCATION_MARKUP_PCT: MarkupPct(
    'What callers pay beyond that, in per cent: the price of a location call is raised to the cost of the first provider ' +
      'and this markup, unless `price set` says otherwise.',
  ),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Location',
  variables,
  secretsOf: { api: ['VALHALLA_KEY', 'GRAPHHOPPER_KEY', 'GOOGLE_MAPS_KEY', 'MAPBOX_TOKEN'] },
  read: (values, { publicUrl }) => ({ location: readLocationConfig(values, publicUrl) }),
})

const GRAPHHOPPER_URL = 'https://graphhopper.com/api/1'
const GOOGLE_URLS = {
  geocodeUrl: 'https://maps.googleapis.com',
  placesUrl: 'https://places.googleapis.com',
  routesUrl: 'https://routes.googleapis.com',
}
const PUBLIC_PER_SECOND = 1
const MICROS = 1e6

function readLocationConfig(values: Values, publicUrl: string): LocationConfig {
  const { PHOTON_URL, OSRM_URL, VALHALLA_URL, GRAPHHOPPER_URL: hopperUrl, GRAPHHOPPER_KEY, MAPBOX_TOKEN } = values
  return {
    geocoders: splitNames(values.GEOCODE_PROVIDERS) as LocationConfig['geocoders'],
    routers: splitNames(values.ROUTE_PROVIDERS) as LocationConfig['routers'],
    nominatim: readNominatim(values, publicUrl),
    photon: PHOTON_URL ? { url: PHOTON_URL } : undefined,
    osrm: OSRM_URL ? { url: OSRM_URL, modes: splitNames(values.OSRM_MODES) as Mode[] } : undefined,
    valhalla: VALHALLA_URL ? { url: VALHALLA_URL, apiKey: values.VALHALLA_KEY } : undefined,
    graphhopper:
      hopperUrl || GRAPHHOPPER_KEY ? { url: hopperUrl ?? GRAPHHOPPER_URL, apiKey: GRAPHHOPPER_KEY } : undefined,
    google: readGoogle(values),
    mapbox: MAPBOX_TOKEN ? { url: values.MAPBOX_URL, token: MAPBOX_TOKEN } : undefined,
    costs: readCosts(values.LOCATION_COSTS),
    markupPct: values.LOCATION_MARKUP_PCT,
  }
}

function splitNames(text: string): string[] {
  return [...new Set(text.split(',').map(name => name.trim()))]
}

/** The terms of the public server hold whatever is set. */
function readNominatim(values: Values, publicUrl: string): NominatimConfig {
  const { NOMINATIM_URL: url, NOMINATIM_CONTACT: contact = publicUrl, NOMINATIM_PER_SECOND: perSecond } = values
  const isPublic = /(^|\.)openstreetmap\.org$/i.test(new URL(url).hostname)
  return { url, contact, isPublic, perSecond: isPublic ? Math.min(perSecond ?? 1, PUBLIC_PER_SECOND) : perSecond }
}

function readGoogle({ GOOGLE_MAPS_KEY: key, GOOGLE_MAPS_URL: url }: Values): GoogleMapsConfig | undefined {
  if (!key) return undefined
  return { key, ...(url ? { geocodeUrl: url, placesUrl: url, routesUrl: url } : GOOGLE_URLS) }
}

function readCosts(text: string): ReadonlyMap<string, number> {
  if (text.trim() === 'none') return new Map()
  return new Map(
    text.split(',').map(entry => {
      const [name = '', dollars] = entry.trim().split(' ')
      return [name, Math.round(Number(dollars) * MICROS)]
    }),
  )
}
