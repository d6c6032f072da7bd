import { createQuoteFinder } from '../language/extract/evidence.ts'
import { listWords } from '../vectors/words.ts'
import type { Quote } from './extract.ts'
import type { Passage } from './relevance.ts'

/** A citation as a model gives it. */
export interface Claim {
  id: string
  quote: string
}

interface CheckedCitations {
  quotes: Quote[]
  /** How many were found in another passage than the one that was named. */
  moved: number
  /** How many are in no passage. */
  dropped: number
}

/** One word proves nothing: it is in many passages. */
const LEAST_WORDS = 2

/** Finds each quote word for word, in whatever spaces and capitals: where it is said to be, else in another passage. */
export function checkCitations(passages: readonly Passage[], claims: readonly Claim[]): CheckedCitations {
  const finders = new Map(passages.map(({ id, text }) => [id, createQuoteFinder(text)]))
  const found = new Map<string, Quote>()
  let [moved, dropped] = [0, 0]
  for (const { id, quote } of claims) {
    const named = finders.has(id) ? [id] : []
    const place =
      listWords(quote).length < LEAST_WORDS ? undefined : findFirst(finders, [...named, ...finders.keys()], quote)
    if (!place) dropped += 1
    else if (place.id !== id) moved += 1
    if (place) found.set(`${place.id} ${place.start} ${place.end}`, place)
  }
  return { quotes: [...found.values()], moved, dropped }
}

function findFirst(
  finders: ReadonlyMap<string, ReturnType<typeof createQuoteFinder>>,
  ids: readonly string[],
  quote: string,
): Quote | undefined {
  for (const id of ids) {
    const found = finders.get(id)!(quote)
    if (found) return { id, ...found }
  }
  return undefined
}
