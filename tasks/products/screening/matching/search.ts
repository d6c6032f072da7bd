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
  const spellings = listQueryWords(names)
  const found = await lookups.findWords(listLookupKeys(spellings))
  const likeWords = new Map(spellings.map(word => [word, selectLike(word, found)]))
  const { pairs, rare, groups } = planCandidates(names, likeWords)
  if (pairs.length === 0 && rare.length === 0) return []
  const entriesFound = await lookups.findCandidates({ pairs, rare, limit: MAX_FOUND })
  const ids = rankCandidates(entriesFound, groups, MAX_CANDIDATES)
  if (ids.length === 0) return []
  const candidates = await lookups.readEntities(ids)
  const words = candidates.flatMap(candidate => candidate.names.flatMap(([, , text]) => text.split(' ')))
  const counts = await lookups.countEntries([...new Set([...names.flat(), ...words])])
  return lookups.score({ subject, names, candidates, corpus: { counts, entries }, options })
}
