import type { Router } from './contract.ts'
import { EmbeddedRouter, type RoadSource } from './embedded.ts'
import { openMapbox, openOsrm } from './osrm.ts'
import type { RouterConfig } from './provider.ts'
import { openValhalla } from './valhalla.ts'

const ADAPTERS = { osrm: openOsrm, mapbox: openMapbox, valhalla: openValhalla }

/** The provider that is configured, or our own road graph. */
export function openRouter(config: RouterConfig | undefined, source: RoadSource): Router {
  return config ? ADAPTERS[config.provider](config) : new EmbeddedRouter(source)
}
