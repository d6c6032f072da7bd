import type { Entry } from '#kit'
import { isForPersons, isPaid, type SurfaceOptions } from '../entries.ts'
import { findHowToOf, howToCurlPath } from '../how-to/load.ts'
import { describePrice } from '../prices.ts'
import { exampleFor, joinFields, type Reader } from './fields.ts'
import { buildSearchIndex, type Found, findEntries, type SearchIndex } from './ranking.ts'

export interface FoundCall {
  name: string
  /** Its name as an MCP tool. What a person does in the dashboard is none. */
  tool?: string
  method: string
  path: string
  summary: string
  /** Without the bounds and notes, but of the best match. */
  price: string
  /** `file* Source, degrees* 90|180|270, pages=all`: `*` is required, `=` a default. Left out where they are many. */
  fields?: string
  /** The first example of the best match: its body, or the arguments of its tool. Left out where it is long. */
  example?: unknown
  /** The address of a page that shows how it is used by curl, as Markdown. */
  howTo?: string
  /** Only where it is false. */
  isAvailable?: false
  /** Only where keys are refused. */
  needs?: 'session'
}

interface SearchResults {
  results: FoundCall[]
  /** Words of the query that no call knows, so that nobody takes the best match for what was asked. */
  unknownWords?: string[]
  /** Only where the first match alone is not what was asked for. */
  note?: string
}

/** Of so many more, one may be available if the best are not. */
const SPARE = 10
/** How long the fields of all results may be together, in characters. The best match has its fields in any case. */
const FIELDS_LENGTH = 1_700
/** Such as the id in an address: told with every match. */
const SHORT = 60
/** What the second match may have beside the first: it is the one that is meant where the first is not. */
const SECOND_LENGTH = 600
/** Of 49 wishes that no call fulfils, 39 are below or find nothing; of those whose right call comes first, one in 44. */
const POOR_FIT = 2.1
/** An answer may be so long with an example, in characters, and so long may that be. */
const EXAMPLED_LENGTH = 3_200
const MAX_EXAMPLE_LENGTH = 400
const POOR_FIT_NOTE = 'Little of the query describes these calls: perhaps none does it.'
const indexes = new WeakMap<readonly Entry[], SearchIndex>()

type Described = Pick<SurfaceOptions, 'ratesOf' | 'isAvailable' | 'publicUrl'>

/** The calls that fit a query best, each with what is needed to make it. */
export function searchCalls(
  entries: readonly Entry[],
  { query, limit, reader = 'rest' }: { query: string; limit: number; reader?: Reader },
  { ratesOf, isAvailable = () => true, publicUrl = '' }: Partial<Described>,
): SearchResults {
  // A path means an address to those who call by HTTP; a caller of tools knows no host.
  const host = reader === 'tool' ? publicUrl : ''
  const index = indexes.get(entries) ?? buildSearchIndex(entries.filter(isSearched))
  indexes.set(entries, index)
  const found = findEntries(index, query, limit + SPARE)
  const ranked = found.ranked.map(({ entry }) => entry)
  // What cannot run here is told, but an agent that takes the first must be able to call it.
  const first = ranked.findIndex(({ name }) => isAvailable(name))
  if (first > 0) ranked.unshift(...ranked.splice(first, 1))
  let left = FIELDS_LENGTH
  const results = ranked.slice(0, limit).map((entry, place) => {
    const fields = joinFields(entry, reader)
    const hasFields = place === 0 || fields.length <= Math.max(left, place === 1 ? SECOND_LENGTH : SHORT)
    if (hasFields) left -= fields.length
    return describeCall(
      entry,
      { fields: hasFields ? fields : undefined, isBest: place === 0 },
      { ratesOf, isAvailable, host },
    )
  })
  if (results[0]) addExample(results, ranked[0]!, reader)
  const { unknownWords } = found
  const note = results.length === 0 ? undefined : writeNote(found, isAvailable)
  return { results, ...(unknownWords.length > 0 && { unknownWords }), ...(note && { note }) }
}

/** What a field list leaves open, an example settles. */
function addExample(results: FoundCall[], entry: Entry, reader: Reader): void {
  const example = exampleFor(entry, reader)
  const length = example === undefined ? 0 : JSON.stringify(example).length
  if (length === 0 || length > MAX_EXAMPLE_LENGTH) return
  if (JSON.stringify(results).length + length <= EXAMPLED_LENGTH) results[0] = { ...results[0]!, example }
}

function writeNote({ ranked, steps, fit }: Found, isAvailable: (name: string) => boolean): string | undefined {
  if (steps?.every(({ name }) => isAvailable(name)))
    return `No single call does it: ${steps.map(({ name }) => name).join(', then ')} with what the first has made.`
  const { name } = ranked[0]!.entry
  if (!isAvailable(name) && ranked.some(({ entry }) => isAvailable(entry.name)))
    return `${name} fits best, but cannot run here: GET /v1/capabilities says why. The first result may do something else.`
  return fit < POOR_FIT ? POOR_FIT_NOTE : undefined
}

/** What an agent calls, and what it must ask a person for: a key with a limit, say. */
export function isSearched(entry: Entry): boolean {
  return entry.tool !== undefined || isForPersons(entry)
}

function describeCall(
  entry: Entry,
  { fields, isBest }: { fields: string | undefined; isBest: boolean },
  {
    ratesOf,
    isAvailable,
    host,
  }: Required<Pick<SurfaceOptions, 'isAvailable'>> & Pick<SurfaceOptions, 'ratesOf'> & { host: string },
): FoundCall {
  const { name, tool, method, path, summary } = entry
  const page = findHowToOf(name)
  const price = isPaid(entry) ? describePrice(entry, ratesOf) : 'free'
  return {
    ...{ name, ...(tool && { tool }), method, path, summary },
    price: isBest ? price : price.split('; ')[0]!,
    ...(fields !== undefined && { fields }),
    ...(page && { howTo: `${host}${howToCurlPath(page)}` }),
    ...(!isAvailable(name) && { isAvailable: false }),
    ...(isForPersons(entry) && { needs: 'session' }),
  }
}
