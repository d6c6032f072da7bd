import { foldName } from './fold.ts'

/** Names of regions and districts by their codes, such as `US.IL` and `US.IL.167`. */
export interface AdminNames {
  regions: ReadonlyMap<string, string>
  districts: ReadonlyMap<string, string>
}

const PLACE_COLUMNS = 19
const POSTCODE_COLUMNS = 12
const MAX_NAMES = 200

/**
 * Reads a line of a dump of places or of postcodes, which differ in the number of columns, as a place of the gazetteer;
 * undefined if it is neither.
 */
export function parseGeoNamesLine(line: string, admin: AdminNames) {
  const columns = line.split('\t')
  const place =
    columns.length === PLACE_COLUMNS
      ? readPlace(columns, admin)
      : columns.length === POSTCODE_COLUMNS
        ? readPostcode(columns)
        : undefined
  return place && isOnEarth(place) && place.names.length > 0 ? place : undefined
}

export function parseAdminLine(line: string): [code: string, name: string] | undefined {
  const [code, name] = line.split('\t')
  return code && name ? [code, name] : undefined
}

function readPlace(columns: readonly string[], { regions, districts }: AdminNames) {
  const [id, name, plainName, others, lat, lng, kindLetter, feature, country, , regionCode, districtCode] =
    columns as string[] & { length: 19 }
  const region = regions.get(`${country}.${regionCode}`)
  const district = districts.get(`${country}.${regionCode}.${districtCode}`)
  return {
    ...{
      id: `geonames:${id}`,
      name: name!,
      kind: readKind(kindLetter!, feature!),
      feature: feature!,
      country: country!,
    },
    ...{ lat: Number(lat), lng: Number(lng), population: Number(columns[14]) || 0 },
    ...(regionCode && { regionCode }),
    ...(region && { region }),
    ...(district && { district }),
    ...(columns[17] && { timezone: columns[17] }),
    names: foldAll([name!, plainName!, ...others!.split(',')]),
  }
}

function readPostcode(columns: readonly string[]) {
  const [country, postcode, town, region, regionCode, district] = columns as [string, string, ...string[]]
  return {
    ...{
      id: `postcode:${country}-${foldName(postcode).replaceAll(' ', '-')}-${foldName(town ?? '').replaceAll(' ', '-')}`,
    },
    ...{ name: postcode, kind: 'postcode' as const, feature: 'POST', country, population: 0 },
    ...{ lat: Number(columns[9]), lng: Number(columns[10]) },
    ...(regionCode && { regionCode }),
    ...(region && { region }),
    ...((town || district) && { district: town || district }),
    names: foldAll([postcode]),
  }
}

function readKind(letter: string, feature: string): 'city' | 'admin' | 'country' | 'point' {
  if (letter === 'P') return 'city'
  if (letter !== 'A') return 'point'
  return feature.startsWith('PCL') ? 'country' : 'admin'
}

/** Web addresses and codes are among the other names. */
function foldAll(names: readonly string[]): string[] {
  const usable = names.filter(name => name !== '' && !name.includes('://'))
  return [...new Set(usable.map(foldName))].filter(name => name !== '' && name.length <= 200).slice(0, MAX_NAMES)
}

function isOnEarth({ lat, lng, country }: { lat: number; lng: number; country: string }): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && /^[A-Z]{2}$/.test(country)
}
