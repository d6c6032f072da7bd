import type { Mode } from '../../tasks/engines/roads/mode.ts'

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

/** What a call has to cost, so that it pays for so many requests to a provider. */
export function computeProviderPrice(
  { costs, markupPct }: Pick<LocationConfig, 'costs' | 'markupPct'>,
  name: string,
  requests = 1,
): bigint {
  return BigInt(Math.ceil((costs.get(name) ?? 0) * requests * (1 + markupPct / 100) - 1e-6))
}
