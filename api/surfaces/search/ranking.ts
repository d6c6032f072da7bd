import { type Entry, fieldEntries } from '#kit'
import { findNearest } from '../../../tasks/formats/words/nearest.ts'
import { describeFamily } from '../entries.ts'
import { type Conversions, findConversions, findRoute, indexConversions } from './conversions.ts'
import { listAccepted, listNamedKinds, namesPdf, takesNone } from './named-files.ts'
import { listSynonyms } from './synonyms.ts'
import { listAsides, listNames, listStems, listWords, splitWords, stem, withoutPayment } from './words.ts'

interface Ranked {
  entry: Entry
  score: number
}

/** Which words describe which entries, and how well. Made once for a catalogue. */
export interface SearchIndex {
  entries: readonly Entry[]
  /** The weight of each word in each entry that has it. */
  weights: ReadonlyMap<string, ReadonlyMap<number, number>>
  /** The entries by their names. */
  names: ReadonlyMap<string, number>
  /** The entries that convert one format to another. */
  conversions: Conversions
  /** The types that the files of each entry may have. */
  accepted: readonly (ReadonlySet<string> | undefined)[]
}

/** How much a word tells, by the place where it stands. */
const WEIGHTS = { name: 4, phrase: 4, keywords: 3.5, family: 3.5, summary: 2, description: 0.4, fields: 0.2 }
const SYNONYM_FACTOR = 0.5
const MISSPELT_FACTOR = 0.6
/** More than any words can have: the query is the name of the entry. */
const NAMED_SCORE = 1_000
/** Of words that only name a file or stand in parentheses. */
const ASIDE_FACTOR = 0.5
const PAIR_FACTOR = 0.35
/** More than words can have that stand in another call by chance. */
const CONVERSION_SCORE = 100
/** How much of its score a call keeps that takes none of the files which the query names. */
const OTHER_FILES_FACTOR = 0.5
/** How much of its score a call keeps that says nothing of PDFs where the query names one. */
const NO_PDF_FACTOR = 0.7
/** How much of a score depends on how many words of the query an entry has. */
const COVERAGE_SHARE = 0.5
/** A query is a sentence, not a document. */
const MAX_QUERY_WORDS = 24

export function buildSearchIndex(entries: readonly Entry[]): SearchIndex {
  const weights = new Map<string, Map<number, number>>()
  for (const [index, entry] of entries.entries()) {
    for (const [word, weight] of weighWords(entry)) {
      const byEntry = weights.get(word) ?? new Map<number, number>()
      weights.set(word, byEntry.set(index, weight))
    }
  }
  const names = new Map(entries.map(({ name }, index) => [toPlainName(name), index]))
  return { entries, weights, names, conversions: indexConversions(entries), accepted: entries.map(listAccepted) }
}

export interface Found {
  /** The entries that fit the words of a query best, best first. */
  ranked: Ranked[]
  /** The words of the query that mean something, but nothing here. */
  unknownWords: string[]
  /** Two calls that together convert what no single one converts. */
  steps?: readonly Entry[]
  /** How well the best fits, for the weight of two words of the query: what has no right call stays below 2 mostly. */
  fit: number
}

export function findEntries(index: SearchIndex, asked: string, limit: number): Found {
  const { entries, names, accepted } = index
  const query = withoutPayment(asked)
  const kinds = listNamedKinds(query)
  const { scores, steps } = scoreConversions(index, splitWords(query))
  const named = names.get(toPlainName(query))
  if (named !== undefined) addTo(scores, named, NAMED_SCORE)
  const wordOf = new Map(listWords(query).map(word => [stem(word), word]))
  const words = [...wordOf.keys()].slice(0, MAX_QUERY_WORDS)
  const asides = new Set(listAsides(query).map(stem))
  const properNames = new Set(listNames(query).map(stem))
  const { covered, unknown } = scoreWords(index, words, { scores, properNames, asides })
  const ofPdf = namesPdf(query) ? index.weights.get('pdf') : undefined
  const knownWords = Math.max(1, words.length - unknown.length)
  const measureCoverage = (place: number) => (covered.get(place) ?? 0) / knownWords
  const ranked = [...scores]
    .map(([place, score]) => ({
      entry: entries[place]!,
      score:
        score *
        (1 - COVERAGE_SHARE + COVERAGE_SHARE * measureCoverage(place)) *
        (takesNone(accepted[place], kinds) ? OTHER_FILES_FACTOR : 1) *
        (ofPdf && !ofPdf.has(place) ? NO_PDF_FACTOR : 1),
    }))
    .sort((a, b) => b.score - a.score || a.entry.name.localeCompare(b.entry.name))
    .slice(0, limit)
  const fit = (ranked[0]?.score ?? 0) / measureAsked(index.weights, words, entries.length)
  return { ranked, unknownWords: unknown.map(word => wordOf.get(word)!), ...(steps && { steps }), fit }
}

type Scores = Map<number, number>

function addTo(scores: Scores, place: number, score: number): void {
  scores.set(place, (scores.get(place) ?? 0) + score)
}

/** Converting calls go before others, and the first of two steps before the second. */
function scoreConversions(index: SearchIndex, words: readonly string[]): { scores: Scores; steps?: Entry[] } {
  const converting = findConversions(index.conversions, words)
  if (converting.length > 0) return { scores: new Map(converting.map(place => [place, CONVERSION_SCORE])) }
  const steps = findSteps(index, words)
  if (!steps) return { scores: new Map() }
  return {
    scores: new Map(steps.map((step, at) => [index.entries.indexOf(step), CONVERSION_SCORE * (4 - 2 * at)])),
    steps,
  }
}

/** Adds what the words say of each entry, and counts how many of them it has. */
function scoreWords(
  { weights, entries }: SearchIndex,
  words: readonly string[],
  { scores, properNames, asides }: { scores: Scores; properNames: ReadonlySet<string>; asides: ReadonlySet<string> },
) {
  const covered = new Map<number, number>()
  const unknown = words.filter(word => {
    const matches = weighMatches(weights, word, { total: entries.length, isName: properNames.has(word) })
    for (const [place, weight] of matches) {
      addTo(scores, place, asides.has(word) ? weight * ASIDE_FACTOR : weight)
      addTo(covered, place, 1)
    }
    return matches.size === 0
  })
  for (const pair of listPairs(words)) {
    const found = weights.get(pair)
    for (const [place, weight] of found ?? [])
      addTo(scores, place, weight * measureRarity(found!.size, entries.length) * PAIR_FACTOR)
  }
  return { covered, unknown }
}

/** The calls that make in two steps what no single call converts, none where there is no such way. */
function findSteps(index: SearchIndex, words: readonly string[]): Entry[] | undefined {
  const route = findRoute(index.conversions, words)
  const steps = route?.map(pair => findEntries(index, pair, 1).ranked[0]!.entry)
  return new Set(steps).size === 2 ? steps : undefined
}

function measureAsked(weights: SearchIndex['weights'], words: readonly string[], total: number): number {
  const rarities = words.map(word => measureRarity(weights.get(word)?.size ?? 1, total))
  const sum = rarities.reduce((all, rarity) => all + rarity, 0)
  // Long wishes say much that no summary says.
  return Math.max(1, (sum * Math.min(2, words.length)) / Math.max(1, words.length))
}

/** For one word of the query: how well it fits each entry, by itself or by the best of its synonyms. */
function weighMatches(
  weights: SearchIndex['weights'],
  word: string,
  { total, isName }: { total: number; isName: boolean },
): Map<number, number> {
  const forms: [string, number][] = [
    [word, 1],
    ...[...listSynonyms(word)].map(other => [other, SYNONYM_FACTOR] as [string, number]),
  ]
  // A name is no misspelt word: Paris is not `parse`.
  const meant = !isName && forms.every(([form]) => !weights.has(form)) && findMeant(weights, word)
  if (meant) forms.push([meant, MISSPELT_FACTOR])
  const best = new Map<number, number>()
  for (const [form, factor] of forms) {
    const found = weights.get(form)
    if (!found) continue
    const rarity = measureRarity(found.size, total)
    for (const [index, weight] of found) {
      const score = factor * rarity * weight
      if (score > (best.get(index) ?? 0)) best.set(index, score)
    }
  }
  return best
}

/** `pdf.from-html`, `pdf_from_html` and `PDF from HTML` are one name. */
function toPlainName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
}

/** Rare words tell more. */
function measureRarity(found: number, total: number): number {
  return Math.log(1 + total / found)
}

/** The known word that a misspelt one was meant to be. Only words that begin alike are compared, so that it costs little. */
function findMeant(weights: SearchIndex['weights'], word: string): string | undefined {
  if (word.length < 4) return undefined
  const longer = [...weights.keys()].filter(known => known.startsWith(word) && !known.includes(' '))
  if (longer.length > 0) return longer.sort((a, b) => a.length - b.length)[0]
  const isLike = (known: string) => known[0] === word[0] && Math.abs(known.length - word.length) <= 2
  return findNearest(word, [...weights.keys()].filter(isLike), 4)
}

/** Every word of an entry with its weight: the best place counts, and each further one a little. Pairs of words count too. */
function weighWords(entry: Entry): Map<string, number> {
  const { name, family, summary, description = '', keywords = '', params, query, body } = entry
  const weights = new Map<string, number>()
  const add = (words: readonly string[], weight: number) => {
    for (const word of new Set(words)) {
      const known = weights.get(word) ?? 0
      weights.set(word, Math.max(known, weight) + Math.min(known, weight) * 0.2)
    }
  }
  const fields = [params, query, body].flatMap(schema => (schema ? fieldEntries(schema) : []))
  add(listStems(fields.map(([field, { enum: words = [] }]) => `${field} ${words.join(' ')}`).join(' ')), WEIGHTS.fields)
  add(listStems(description), WEIGHTS.description)
  add(listStems(`${family} ${describeFamily(family)}`), WEIGHTS.family)
  add(listStems(summary), WEIGHTS.summary)
  add(listStems(keywords), WEIGHTS.keywords)
  add(listStems(name.slice(name.indexOf('.') + 1)), WEIGHTS.name)
  for (const phrase of [...keywords.split(','), name, summary]) add(listPairs(listStems(phrase)), WEIGHTS.phrase)
  return weights
}

function listPairs(words: readonly string[]): string[] {
  return words.slice(1).map((word, index) => `${words[index]} ${word}`)
}
