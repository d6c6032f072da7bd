import type { FoundPlace, PlaceAnswers } from '../../../sql/location/gazetteer.ts'
import type { Place } from '../../../tasks/engines/gazetteer/answer.ts'
import { countryName } from '../../../tasks/engines/gazetteer/countries.ts'

/** Of this many people a place is as well known as it gets. */
const FULL_FAME = 1e6

export function showPlace(found: FoundPlace, source: string, language: string): Place {
  const { id, name, kind, lat, lng, country, regionCode, region, district, population, timezone, distanceM } = found
  const land = countryName(country, language)
  const components = {
    ...(kind === 'city' && { city: name }),
    ...(kind === 'postcode' && { postcode: name }),
    ...(district && { district }),
    ...(region && { region }),
    ...(regionCode && { regionCode }),
    country: land,
    countryCode: country,
  }
  return {
    ...{ placeId: id, name, lat, lng, precision: kind, components, source },
    formatted: [...new Set([name, region ?? name, land])].join(', '),
    confidence: rateConfidence(found),
    ...(population > 0 && { population }),
    ...(timezone && { timezone }),
    ...(distanceM !== null && { distanceM }),
  }
}

/** How alike the name is, lowered for places that few people would mean. */
export function rateConfidence({ likeness, population }: FoundPlace): number {
  const fame = Math.min(1, Math.log10(population + 1) / Math.log10(FULL_FAME))
  return Math.round(likeness * (0.8 + 0.2 * fame) * 100) / 100
}

export function showSource({ attribution, date, isSample }: PlaceAnswers['data']) {
  return { engine: 'embedded', coverage: isSample ? 'sample' : 'full', attribution, dataDate: date } as const
}

export const LIMITED_PRECISION = {
  code: 'PRECISION_LIMITED',
  message: 'Streets and house numbers are not in the data; the results are the places that they lie in.',
}
