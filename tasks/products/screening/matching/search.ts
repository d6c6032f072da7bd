import type { ListedEntity } from '../entity.ts'
import type { MatchOptions, Subject } from '../subject.ts'
import { listLookupKeys, listQueryWords, planCandidates, rankEntries, selectLike, splitNames } from './candidates.ts'
import { type Fact, listFacts } from './facts.ts'
import { listIdentifierKeys } from './identifiers.ts'
import type { Candidate, Corpus, Match, ScoredEntry } from './score.ts'
import type { WordIndex } from './word-index.ts'

/** What a search reads from the database, and who compares what it has read. */
export interface Lookups {
  /** Of the lists that are searched. */
  indexes: readonly WordIndex[]
  countEntries(words: readonly string[]): Promise<Readonly<Record<string, number>>>
  /** The numbers of the entries that have one of the keys of identifiers. */
  findIdentified(keys: readonly string[], limit: number): Promise<string[]>
  /** What is compared of the first of these entries that the searched versions have. */
  readCompared(asked: { ids: readonly number[]; limit: number; facts: Fact[] }): Promise<Candidate[]>
  /** All that is known of entries, by their numbers. */
  readBodies(ids: readonly number[]): Promise<(readonly [id: number, entity: ListedEntity])[]>
  score(work: ScoringWork): Promise<ScoredEntry[]>
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
/** Where versions lack entries, so many times more are asked for in the next turn. */
const GROWTH = 8

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
  const candidates = await readCandidates(ids, identified.length, listFacts(subject), lookups)
  if (candidates.length === 0) return []
  const words = candidates.flatMap(candidate => candidate.names.flatMap(([, , text]) => text.split(' ')))
  const counts = await lookups.countEntries([...new Set([...names.flat(), ...words])])
  const scored = await lookups.score({ subject, names, candidates, corpus: { counts, entries }, options })
  return addEntities(scored, lookups)
}

/** The entries with an identifier of the subject, whatever they are called. */
async function findIdentified({ identifiers }: Subject, lookups: Lookups): Promise<number[]> {
  const keys = listIdentifierKeys(identifiers)
  return keys.length === 0 ? [] : (await lookups.findIdentified(keys, MAX_CANDIDATES)).map(Number)
}

/** The entries whose names are like those of the subject, the most alike first, of all versions of lists. */
async function findNamed(names: readonly (readonly string[])[], { indexes }: Lookups): Promise<number[]> {
  const spellings = listQueryWords(names)
  const keys = listLookupKeys(spellings)
  const found = await Promise.all(indexes.map(async index => ({ index, words: await index.findWords(keys) })))
  const words = found.flatMap(one => one.words)
  const query = planCandidates(names, new Map(spellings.map(word => [word, selectLike(word, words)])))
  const wanted = new Set(query.groups.flatMap(group => [...group.words.keys()]))
  const postings = await Promise.all(
    found.map(one => one.index.findPostings(one.words.map(({ id }) => id).filter(id => wanted.has(id)))),
  )
  return rankEntries(query, new Map(postings.flatMap(one => [...one])))
}

/** The best of the entries, and all that were found by an identifier. */
async function readCandidates(
  ids: readonly number[],
  identified: number,
  facts: Fact[],
  lookups: Lookups,
): Promise<Candidate[]> {
  const wanted = MAX_CANDIDATES + identified
  const candidates: Candidate[] = []
  for (let at = 0, size = wanted; at < ids.length && candidates.length < wanted; at += size, size *= GROWTH)
    candidates.push(
      ...(await lookups.readCompared({ ids: ids.slice(at, at + size), limit: wanted - candidates.length, facts })),
    )
  return candidates
}

/** Few of the entries that are compared match, and only of these is all read. */
async function addEntities(scored: readonly ScoredEntry[], { readBodies }: Lookups): Promise<Match[]> {
  const entities = new Map(scored.length > 0 ? await readBodies(scored.map(({ id }) => id)) : [])
  return scored.flatMap(({ id, ...match }) => {
    const entity = entities.get(id)
    return entity ? [{ ...match, entity }] : []
  })
}
