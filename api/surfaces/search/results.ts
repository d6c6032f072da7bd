import type { Entry } from '#kit'
import { isPaid, type SurfaceOptions } from '../entries.ts'
import { findHowToOf, howToPath } from '../how-to/load.ts'
import { joinCompactFields } from '../llms/compact-fields.ts'
import { describePrice } from '../prices.ts'
import { buildSearchIndex, rankEntries, type SearchIndex } from './ranking.ts'

export interface FoundCall {
  name: string
  /** Its name as an MCP tool. */
  tool: string
  method: string
  path: string
  summary: string
  price: string
  /** `file* Source, degrees* 90|180|270, pages=all`: `*` is required, `=` a default. */
  fields: string
  /** The address of a page that shows how it is used, as Markdown. */
  howTo?: string
  /** Only where it is false. */
  isAvailable?: false
}

/** Of so many more, one may be available if the best are not. */
const SPARE = 10
const indexes = new WeakMap<readonly Entry[], SearchIndex>()

/** The calls that fit a query best, each with what is needed to make it. */
export function searchCalls(
  entries: readonly Entry[],
  { query, limit }: { query: string; limit: number },
  { ratesOf, isAvailable = () => true }: Pick<SurfaceOptions, 'ratesOf' | 'isAvailable'>,
): FoundCall[] {
  const index = indexes.get(entries) ?? buildSearchIndex(entries.filter(({ tool }) => tool !== undefined))
  indexes.set(entries, index)
  const ranked = rankEntries(index, query, limit + SPARE).map(({ entry }) => entry)
  // What cannot run here is told, but an agent that takes the first must be able to call it.
  const first = ranked.findIndex(({ name }) => isAvailable(name))
  if (first > 0) ranked.unshift(...ranked.splice(first, 1))
  return ranked.slice(0, limit).map(entry => {
    const { name, tool, method, path, summary } = entry
    const page = findHowToOf(name)
    const price = isPaid(entry) ? describePrice(entry, ratesOf) : 'free'
    return {
      name,
      tool: tool!,
      method,
      path,
      summary,
      price,
      fields: joinFields(entry),
      ...(page && { howTo: `${howToPath(page)}.md` }),
      ...(!isAvailable(name) && { isAvailable: false }),
    }
  })
}

const fieldTexts = new WeakMap<Entry, string>()

function joinFields(entry: Entry): string {
  const known = fieldTexts.get(entry)
  if (known !== undefined) return known
  const { params, query, body } = entry
  const parts = [params, query, body].flatMap(schema => (schema ? joinCompactFields(schema) : []))
  const text = parts.filter(part => part !== '').join(', ')
  fieldTexts.set(entry, text)
  return text
}
