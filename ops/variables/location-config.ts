import type { Mode } from '../../tasks/engines/roads/mode.ts'
import type { GoogleMapsConfig, LocationConfig, NominatimConfig } from '../providers/location.ts'
import type { VariableValues } from '../variables.ts'

const GRAPHHOPPER_URL = 'https://graphhopper.com/api/1'
const GOOGLE_URLS = {
  geocodeUrl: 'https://maps.googleapis.com',
  placesUrl: 'https://places.googleapis.com',
  routesUrl: 'https://routes.googleapis.com',
}
const PUBLIC_PER_SECOND = 1
const MICROS = 1e6

export function readLocationConfig(values: VariableValues, publicUrl: string): LocationConfig {
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
function readNominatim(values: VariableValues, publicUrl: string): NominatimConfig {
  const { NOMINATIM_URL: url, NOMINATIM_CONTACT: contact = publicUrl, NOMINATIM_PER_SECOND: perSecond } = values
  const isPublic = /(^|\.)openstreetmap\.org$/i.test(new URL(url).hostname)
  return { url, contact, isPublic, perSecond: isPublic ? Math.min(perSecond ?? 1, PUBLIC_PER_SECOND) : perSecond }
}

function readGoogle({ GOOGLE_MAPS_KEY: key, GOOGLE_MAPS_URL: url }: VariableValues): GoogleMapsConfig | undefined {
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
