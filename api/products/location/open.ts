import { createRefresh } from '../../../ops/back-off.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'
import { type LocationProviders, openLocation, reportProviders } from './providers.ts'

/** The geocoders and routers that answer; the roads of our own router are read again when they have changed. */
export default async function openLocations({ config, db, log }: PlatformParts): Promise<OpenedProduct> {
  const location = openLocation(config.location, db, error => log.warn({ err: error }, 'a call was not counted'))
  const { routers } = location
  const refresh = createRefresh(
    () => routers.refresh(),
    error => log.warn({ err: error }, 'the roads are not loaded'),
  )
  await refresh()
  return {
    parts: location,
    report: () => reportProviders(location),
    onChange: what => what === 'roads' && void refresh(),
    onMissed: () => void refresh(),
    close: () => routers.close(),
  }
}

declare module '../../context.ts' {
  interface ProductParts extends LocationProviders {}
}
