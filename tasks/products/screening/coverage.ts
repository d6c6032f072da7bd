import { Problem } from '#kit'
import { FAMILIES, type Family } from './entity.ts'
import { findSource, OWN_PREFIX, PRINCIPAL, SAMPLE_KEY, SOURCES } from './sources.ts'

/** A list with the version that a search would read; without one it is not loaded. */
export interface ListedVersion {
  key: string
  title: string
  families: Family[]
  isOwn: boolean
  listId: number
  version: number | null
  publishedAt: string | null
  loadedAt: string | null
  checkedAt: string | null
  entries: number | null
  sha256: string | null
  failure: string | null
}

export interface CoverageRules {
  /** The lists that the operator has chosen. */
  chosen: readonly string[]
  refreshHours: number
  expireDays: number
  now: Date
  /** An old version is asked for, so its age is no fault. */
  isPast: boolean
}

interface CoverageRequest {
  lists: readonly string[]
  sources: readonly string[]
  allowSample: boolean
}

export interface FamilyCoverage {
  state: 'full' | 'partial' | 'sample' | 'none'
  sources: ReturnType<typeof showVersion>[]
  missing: string[]
}

export interface Coverage {
  families: Partial<Record<Family, FamilyCoverage>>
  searched: ListedVersion[]
  /** The families that are searched at all. */
  searchedFamilies: Family[]
  isComplete: boolean
  isSample: boolean
  /** Lists of the caller that were not asked for. */
  passedOver: string[]
  /** What of the price of each family applies, as the loaded part of the lists that were asked for. */
  shares: [loaded: number, wanted: number][]
}

/** What a search covers, and what it does not. Throws if nothing that was asked for is loaded. */
export function findCoverage(
  request: CoverageRequest,
  versions: readonly ListedVersion[],
  rules: CoverageRules,
): Coverage {
  const own = listOwn(versions)
  const families = readFamilies(request, own)
  const passedOver = families.includes('custom') || request.sources.length > 0 ? [] : own
  const covered = families.map(family => coverFamily(family, request, versions, rules))
  const isNothing = covered.every(({ loaded }) => loaded.length === 0)
  if (isNothing && !request.allowSample)
    throw new Problem('SCREENING_LISTS_NOT_LOADED', {
      missing: [...new Set(covered.flatMap(({ missing }) => missing))],
      ...(passedOver.length > 0 && { ofYours: passedOver, toSearchYours: { lists: ['custom'] } }),
    })
  if (isNothing) return { ...coverSample(families, versions, rules), passedOver }
  const searched = new Map(covered.flatMap(({ loaded }) => loaded.map(list => [list.key, list] as const)))
  return {
    families: Object.fromEntries(covered.map(({ family, coverage }) => [family, coverage])),
    searched: [...searched.values()],
    searchedFamilies: covered.flatMap(({ family, loaded }) => (loaded.length > 0 ? [family] : [])),
    isComplete: covered.every(({ coverage }) => isWhole(coverage)),
    isSample: false,
    passedOver,
    shares: covered.map(({ loaded, wanted }) => [loaded.length, wanted.length]),
  }
}

/** What a search of each family would cover, if all chosen lists were asked for. */
export function describeFamilies(versions: readonly ListedVersion[], rules: CoverageRules) {
  const request = { lists: FAMILIES, sources: [], allowSample: false }
  return FAMILIES.filter(family => family !== 'custom').map(family => {
    const { coverage, loaded, missing } = coverFamily(family, request, versions, rules)
    return { family, state: coverage.state, loaded: loaded.map(({ key }) => key), missing }
  })
}

function isWhole({ state, sources }: FamilyCoverage): boolean {
  return state === 'full' && sources.every(({ stale }) => !stale)
}

function listOwn(versions: readonly ListedVersion[]): string[] {
  return versions.flatMap(({ key, isOwn }) => (isOwn ? [key] : []))
}

/** The families that are searched: of those that were asked for, the ones that the sources belong to. */
function readFamilies({ lists, sources }: CoverageRequest, own: readonly string[]): Family[] {
  const available = FAMILIES.filter(family => family !== 'custom' || own.length > 0)
  const unknown = lists.find(list => !available.some(family => family === list))
  if (unknown !== undefined) throw new Problem('LIST_UNKNOWN', { list: unknown, available })
  requireKnownSources(sources, own)
  const asked = FAMILIES.filter(family => lists.includes(family))
  if (sources.length === 0) return asked
  // A source of another family than those that were asked for would be passed over in silence; an own list says itself what it is.
  const unasked = sources.find(key => !isOwn(key) && !familiesOf(key).some(family => asked.includes(family)))
  if (unasked) throw new Problem('CONFLICTING_OPTIONS', { fields: ['lists', 'sources'], source: unasked })
  return FAMILIES.filter(family => sources.some(key => familiesOf(key).includes(family))).filter(
    family => family === 'custom' || asked.includes(family),
  )
}

function requireKnownSources(sources: readonly string[], own: readonly string[]): void {
  const available = [...SOURCES.map(({ key }) => key), ...own]
  const unknown = sources.find(key => !available.includes(key))
  if (unknown !== undefined) throw new Problem('SOURCE_UNKNOWN', { source: unknown, available })
}

function isOwn(key: string): boolean {
  return key.startsWith(OWN_PREFIX)
}

function familiesOf(key: string): readonly Family[] {
  return isOwn(key) ? ['custom'] : (findSource(key)?.families ?? [])
}

function coverFamily(
  family: Family,
  { sources }: CoverageRequest,
  versions: readonly ListedVersion[],
  rules: CoverageRules,
) {
  const wanted = family === 'custom' && sources.length === 0 ? listOwn(versions) : listWanted(family, sources, rules)
  const loaded = wanted.flatMap(key => versions.find(version => version.key === key && isUsable(version, rules)) ?? [])
  const missing = wanted.filter(key => !loaded.some(version => version.key === key))
  const state = loaded.length === 0 ? 'none' : missing.length === 0 ? 'full' : 'partial'
  const coverage: FamilyCoverage = { state, sources: loaded.map(version => showVersion(version, rules)), missing }
  return { family, wanted, loaded, missing, coverage }
}

function listWanted(family: Family, sources: readonly string[], { chosen }: CoverageRules): string[] {
  if (sources.length > 0) return [...new Set(sources.filter(key => familiesOf(key).includes(family)))]
  const ofFamily = chosen.filter(key => findSource(key)?.families.includes(family))
  return [...new Set([...(PRINCIPAL[family] ?? []), ...ofFamily])]
}

const HOUR_MS = 3_600_000
/** A list that could not be checked for so many times its interval is stale. */
const STALE_INTERVALS = 3

function ageOf({ checkedAt, loadedAt, isOwn }: ListedVersion, { now, isPast }: CoverageRules): number {
  return isPast || isOwn ? 0 : now.getTime() - Date.parse(checkedAt ?? loadedAt ?? '1970-01-01')
}

function isUsable(version: ListedVersion, rules: CoverageRules): boolean {
  return version.version !== null && ageOf(version, rules) <= rules.expireDays * 24 * HOUR_MS
}

export function showVersion(version: ListedVersion, rules: CoverageRules) {
  const { key, title, version: id, publishedAt, loadedAt, entries, sha256 } = version
  return {
    ...{ source: key, title, publisher: findSource(key)?.publisher ?? (version.isOwn ? 'you' : 'this service') },
    ...{ version: id!, publishedAt, loadedAt: loadedAt!, entries: entries ?? 0, sha256 },
    stale: ageOf(version, rules) > STALE_INTERVALS * rules.refreshHours * HOUR_MS,
  }
}

function coverSample(
  families: Family[],
  versions: readonly ListedVersion[],
  rules: CoverageRules,
): Omit<Coverage, 'passedOver'> {
  const sample = versions.find(({ key, version }) => key === SAMPLE_KEY && version !== null)
  const sources = sample ? [showVersion(sample, rules)] : []
  const missing = (family: Family) => [...(PRINCIPAL[family] ?? [])]
  return {
    families: Object.fromEntries(
      families.map(family => [family, { state: 'sample' as const, sources, missing: missing(family) }]),
    ),
    searched: sample ? [sample] : [],
    searchedFamilies: families,
    isComplete: false,
    isSample: true,
    shares: [],
  }
}

/** The price of one subject by what is loaded of the families that were asked for. */
export function priceSubject({ shares }: Pick<Coverage, 'shares'>, familyMicros: bigint): bigint {
  return shares.reduce((sum, [loaded, wanted]) => {
    if (loaded === 0) return sum
    return sum + (familyMicros * BigInt(loaded) + BigInt(wanted) - 1n) / BigInt(wanted)
  }, 0n)
}
