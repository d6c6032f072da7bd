import type { ListedEntity, NameType } from '../entity.ts'
import type { MatchOptions, Subject } from '../subject.ts'
import { type ComparedEntity, compareFacts } from './facts.ts'
import { compareNames, type NameScore, type WeightedWord, weighWords } from './names.ts'

export const ALGORITHM = 'svc-name-1'

/** What is compared of an entry of a list: with the words of its names. */
export interface Candidate {
  /** In the database. */
  id: number
  /** `us_ofac_sdn:36216`. */
  entityId: string
  source: string
  /** Of its content. */
  hash: string
  entity: ComparedEntity
  names: readonly (readonly [type: NameType, name: string, words: string])[]
}

interface Explanation {
  feature: string
  query: string
  candidate: string
  score: number
  weight: number
}

/** An entry that is alike enough. */
export interface ScoredEntry {
  id: number
  entityId: string
  source: string
  hash: string
  score: number
  status: 'review' | 'match'
  matchedName: string
  nameType: NameType
  explanation: Explanation[]
}

export type Match = Omit<ScoredEntry, 'id'> & { entity: ListedEntity }

/** What a comparison needs to know of the words: how many entries of how many have each. */
export interface Corpus {
  counts: Readonly<Record<string, number>>
  entries: number
}

/** With more than a name agreeing, an entry that is as alike as this is a match; otherwise a person must look. */
const MATCH_SCORE = 0.95
const WEAK_ALIAS_CAP = 0.8

/** The candidates that are alike enough, the best first. */
export function scoreCandidates(
  subject: Subject,
  candidates: readonly Candidate[],
  corpus: Corpus,
  names: readonly (readonly string[])[],
  options: MatchOptions,
): ScoredEntry[] {
  const countOf = (word: string) => corpus.counts[word] ?? 0
  const weigh = (words: readonly string[]) => weighWords(words, countOf, corpus.entries)
  const asked = names.map(weigh)
  return candidates
    .filter(candidate => isWanted(candidate, subject, options))
    .flatMap(candidate => scoreCandidate(subject, candidate, asked, weigh, options) ?? [])
    .sort((one, other) => other.score - one.score || (one.entityId < other.entityId ? -1 : 1))
}

function isWanted({ entityId, entity }: Candidate, { type }: Subject, options: MatchOptions): boolean {
  const { excludeIds, topics, families } = options
  const isType = type === 'any' || entity.type === 'other' || entity.type === type
  const isTopic = topics.length === 0 || entity.topics.some(topic => topics.includes(topic))
  return (
    isType && isTopic && entity.families.some(family => families.includes(family)) && !excludeIds.includes(entityId)
  )
}

function scoreCandidate(
  subject: Subject,
  candidate: Candidate,
  asked: readonly (readonly WeightedWord[])[],
  weigh: (words: readonly string[]) => WeightedWord[],
  { threshold, weakAliases, explain }: MatchOptions,
): ScoredEntry | undefined {
  const { id, entityId, source, hash, entity, names } = candidate
  const findings = compareFacts(subject, entity)
  const isBorn = findings.some(({ feature, score }) => feature === 'dob' && score === 1)
  const compared = names
    .filter(([type]) => weakAliases || type !== 'weak-aka')
    .map(([type, name, words]) => ({ ...findBest(asked, weigh(words.split(' '))), type, name }))
    .map(one => (one.type === 'weak-aka' && !isBorn ? { ...one, score: Math.min(one.score, WEAK_ALIAS_CAP) } : one))
  if (compared.length === 0) return undefined
  const best = compared.reduce((one, other) => (other.score > one.score ? other : one))
  const score = addFindings(best.score, findings)
  if (score < threshold) return undefined
  const status = score >= MATCH_SCORE && hasSecondFact(findings, best) ? 'match' : 'review'
  const explanation = explain ? [...explainName(best), ...findings] : []
  return { id, entityId, source, hash, score, status, matchedName: best.name, nameType: best.type, explanation }
}

/** Of the names of a subject, the one that is most like a listed one. */
function findBest(asked: readonly (readonly WeightedWord[])[], listed: readonly WeightedWord[]): NameScore {
  return asked.map(one => compareNames(one, listed)).reduce((one, other) => (other.score > one.score ? other : one))
}

/** The same identifier is the same entity, whatever it is called. */
function addFindings(score: number, findings: readonly { feature: string; weight: number }[]): number {
  if (findings.some(({ feature }) => feature === 'identifier')) return 1
  const added = findings.reduce((sum, { weight }) => sum + weight, 0)
  return round(Math.max(0, Math.min(1, score + added)))
}

/** A name alone is never a match: an identifier, a birth, or the country of the whole name must agree with it. */
function hasSecondFact(findings: readonly { feature: string; score: number }[], { isWhole }: NameScore): boolean {
  const agrees = (name: string) => findings.some(({ feature, score }) => feature === name && score === 1)
  const isContradicted = findings.some(
    ({ feature, score }) => score === 0 && (feature === 'dob' || feature === 'gender'),
  )
  return agrees('identifier') || (!isContradicted && (agrees('dob') || (agrees('country') && isWhole)))
}

function explainName({ pairs }: NameScore): Explanation[] {
  return pairs.map(({ query, candidate, likeness, weight }) => ({
    ...{ feature: 'name', query: query.replace('~', ''), candidate: candidate.replace('~', '') },
    ...{ score: round(likeness), weight: round(weight) },
  }))
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
