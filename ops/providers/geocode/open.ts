import { Problem } from '#kit'
import { askInOrder, type OnCall } from '../ask-in-order.ts'
import type { LocationCall, LocationConfig } from '../location/settings.ts'
import type { Geocoder, Geocoders, PlaceAdapter, PlaceMemory } from './contract.ts'
import { openGoogle } from './google.ts'
import { openMapbox } from './mapbox.ts'
import { openNominatim } from './nominatim.ts'
import { openPhoton } from './photon.ts'
import { openProviderGeocoder } from './provider.ts'

interface Options {
  /** Our own gazetteer. */
  embedded: Geocoder
  memory: PlaceMemory
  onCall?: OnCall
}

/** The geocoders in the order of the configuration: providers, and our own gazetteer. */
export function openGeocoders(config: LocationConfig, { embedded, memory, onCall }: Options): Geocoders {
  const geocoders = config.geocoders.flatMap(name => {
    if (name === 'embedded') return [embedded]
    const adapter = openAdapter(name, config, memory)
    const costOf = (call: LocationCall) => config.costs.get(`${name}.${call}`) ?? 0
    return adapter ? [openProviderGeocoder(adapter, { costOf, onCall })] : []
  })
  const ask = <Answer>(
    asked: { call: LocationCall; requests: number; paidMicros: bigint; signal: AbortSignal },
    run: (geocoder: Geocoder) => Promise<Answer>,
  ) => {
    if (geocoders.length === 0) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: `location.${asked.call}` })
    return askInOrder(geocoders, config, asked, run)
  }
  return {
    servedBy: () => geocoders[0]?.id,
    geocode: (questions, paid) =>
      ask({ call: 'geocode', requests: questions.length, ...paid }, one => one.geocode(questions, paid.signal)),
    reverse: (questions, paid) =>
      ask({ call: 'reverse-geocode', requests: questions.length, ...paid }, one => one.reverse(questions, paid.signal)),
    search: (question, paid) =>
      ask({ call: 'place-search', requests: 1, ...paid }, one => one.search(question, paid.signal)),
  }
}

function openAdapter(
  name: Exclude<LocationConfig['geocoders'][number], 'embedded'>,
  { nominatim, photon, google, mapbox }: LocationConfig,
  memory: PlaceMemory,
): PlaceAdapter | undefined {
  if (name === 'nominatim') return openNominatim(nominatim, memory)
  if (name === 'photon') return photon && openPhoton(photon)
  if (name === 'google') return google && openGoogle(google)
  return mapbox && openMapbox(mapbox)
}
