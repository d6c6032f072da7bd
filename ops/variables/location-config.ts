import type { Mode } from '../../tasks/formats/roads/mode.ts'
import type { RouterConfig } from '../providers/route/provider.ts'
import { ConfigError, type VariableValues } from '../variables.ts'

const MAPBOX_URL = 'https://api.mapbox.com'

export function readRouterConfig(values: VariableValues): RouterConfig | undefined {
  const { ROUTE_PROVIDER: provider, ROUTE_URL, ROUTE_API_KEY: apiKey, ROUTE_MODES } = values
  if (!provider) {
    const stray = (['ROUTE_URL', 'ROUTE_API_KEY'] as const).find(name => values[name])
    if (stray) throw new ConfigError(`ROUTE_PROVIDER must be set when ${stray} is set.`)
    return undefined
  }
  const url = ROUTE_URL ?? (provider === 'mapbox' ? MAPBOX_URL : undefined)
  if (!url) throw new ConfigError(`ROUTE_URL must be set when ROUTE_PROVIDER is ${provider}.`)
  const modes = ROUTE_MODES.split(',').map(mode => mode.trim() as Mode)
  return { provider, url: url.replace(/\/+$/, ''), apiKey, modes }
}
