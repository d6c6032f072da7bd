import type { Geocoders } from '../../../ops/providers/geocode/contract.ts'
import { openGeocoders } from '../../../ops/providers/geocode/open.ts'
import { GEOCODERS, type LocationConfig, ROUTERS } from '../../../ops/providers/location/settings.ts'
import type { Routers } from '../../../ops/providers/route/contract.ts'
import { openRouters } from '../../../ops/providers/route/open.ts'
import type { Db } from '../../../sql/db.ts'
import { keepAnswer, recallAnswer, takeTurn } from '../../../sql/provider/memory.ts'
import { countProviderCall } from '../../../sql/provider/usage.ts'
import type { ToolReport } from '../../../sql/worker.ts'
import { createGazetteer } from './gazetteer.ts'
import { createRoadSource } from './roads.ts'

export interface LocationProviders {
  geocoders: Geocoders
  routers: Routers
}

/** What answers the location calls; `onError` hears of calls that could not be counted. */
export function openLocation(config: LocationConfig, db: Db, onError: (error: Error) => void): LocationProviders {
  const onCall = (call: Parameters<typeof countProviderCall>[1]) => void countProviderCall(db, call).catch(onError)
  const memory = {
    takeTurn: (provider: string, perSecond: number, maxWaitMs: number) =>
      takeTurn(db, provider, { perSecond, maxWaitMs }),
    read: (key: string) => recallAnswer(db, key),
    keep: (key: string, answer: unknown, days: number) => keepAnswer(db, { key, answer, days }),
  }
  return {
    geocoders: openGeocoders(config, { embedded: createGazetteer(db), memory, onCall }),
    routers: openRouters(config, createRoadSource(db), onCall),
  }
}

/** What the location calls need in this process, as workers report their tools. */
export function reportProviders({ geocoders, routers }: LocationProviders): ToolReport[] {
  const install = routers.missing()
  const [geocoder, router] = [geocoders.servedBy(), routers.servedBy()]
  return [
    {
      ...{ name: 'geocoder', lane: 'remote', ok: geocoder !== undefined, adapters: GEOCODERS },
      ...(geocoder ? { servedBy: { provider: geocoder } } : { install: 'GEOCODE_PROVIDERS', isAbsent: true }),
    },
    {
      ...{ name: 'router', lane: 'remote', ok: install === undefined, adapters: ROUTERS },
      ...(install ? { install, isAbsent: true } : router && { servedBy: { provider: router } }),
    },
  ]
}
