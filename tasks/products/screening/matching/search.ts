import type { MatchOptions, Subject } from '../subject.ts'
import {
  type IndexedWord,
  listLookupKeys,
  listQueryWords,
  planCandidates,
  rankCandidates,
  selectLike,
  splitNames,
} from './candidates.ts'
import { listIdentifierKeys } from './identifiers.ts'
import type { Candidate, Corpus, Match } from './score.ts'

/** What a search reads from the database, and who compares what it has read. */
export interface Lookups {
  findWords(keys: readonly number[]): Promise<IndexedWord[]>
  countEntries(words: readonly string[]): Promise<Readonly<Record<string, number>>>
  findCandidates(search: {
    pairs: readonly (readonly [readonly number[], readonly number[]])[]
    rare: readonly number[]
    limit: number
  }): Promise<{ id: string; words: number[] }[]>
  /** The numbers of the entries that have one of the keys of identifiers. */
  findIdentified(keys: readonly string[], limit: number): Promise<string[]>
  readEntities(ids: readonly string[]): Promise<Candidate[]>
  score(work: ScoringWork): Promise<Match[]>
}

/** What a comparison takes; plain data, because it is done in a thread. */
export interface ScoringWork {
  subject: Subject
  names: string[][]
  candidates: Candidate[]
  corpus: Corpus
  options: MatchOptions
}

const MAX_CANDIDATES = 300
/** Of each pair of words; they are ranked by all words before they are compared. */
const MAX_FOUND = 4_000

/** Finds the entries that a subject may be. */
export async function searchSubject(
  subject: Subject,
  options: MatchOptions,
  entries: number,
  lookups: Lookups,
): Promise<Match[]> {
  const names = splitNames(subject)
  const identified = await findIdentified(subject, lookups)
  const named = await findNamed(names, lookups)
  const ids = [...new Set([...identified, ...named])]
  if (ids.length === 0) return []
  const candidates = await lookups.readEntities(ids)
  const words = candidates.flatMap(candidate => candidate.names.flatMap(([, , text]) => text.split(' ')))
  const counts = await lookups.countEntries([...new Set([...names.flat(), ...words])])
  return lookups.score({ subject, names, candidates, corpus: { counts, entries }, options })
}

/** The entries with an identifier of the subject, whatever they are called. */
async function findIdentified({ identifiers }: Subject, lookups: Lookups): Promise<string[]> {
  const keys = listIdentifierKeys(identifiers)
  return keys.length === 0 ? [] : lookups.findIdentified(keys, MAX_CANDIDATES)
}

/** The entries whose names are most like those of the subject. */
async function findNamed(names: readonly (readonly string[])[], lookups: Lookups): Promise<string[]> {
  const spellings = listQueryWords(names)
  const found = await lookups.findWords(listLookupKeys(spellings))
  const likeWords = new Map(spellings.map(word => [word, selectLike(word, found)]))
  const { pairs, rare, groups } = planCandidates(names, likeWords)
  if (pairs.length === 0 && rare.length === 0) return []
  const entriesFound = await lookups.findCandidates({ pairs, rare, limit: MAX_FOUND })
  return rankCandidates(entriesFound, groups, MAX_CANDIDATES)
}
