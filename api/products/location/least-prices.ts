import { computeProviderPrice } from '../../../ops/providers/location/price.ts'
import type { PricingParts } from '../../product-parts.ts'
import { openLocation } from './providers.ts'

/** What the location calls cost at least, because of what their first provider costs. */
export default function listLeastPrices({ config: { location }, db }: PricingParts): ReadonlyMap<string, bigint> {
  const { geocoders, routers } = openLocation(location, db, () => undefined)
  const geocodes = ['geocode', 'reverse-geocode', 'place-search'] as const
  return new Map([
    ...geocodes.map(
      call => [`location.${call}`, computeProviderPrice(location, `${geocoders.servedBy()}.${call}`)] as const,
    ),
    ['location.route', computeProviderPrice(location, `${routers.servedBy()}.route`)],
  ])
}
