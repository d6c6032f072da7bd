import { PROVIDER_CATEGORIES } from '../../../tasks/engines/gazetteer/provider-categories.ts'
import { refuseOption } from './provider.ts'

/** A provider's own names for categories. */
export function listProviderNames(
  provider: string,
  kind: 'osm' | 'google' | 'mapbox',
  categories: readonly string[],
): string[] {
  const names = categories.flatMap(
    category => PROVIDER_CATEGORIES[category]?.[kind] ?? refuseOption(provider, 'categories', category),
  )
  return [...new Set(names)]
}
