import { beginAlike, compareWords, type SpeltWord, spellWord } from '../names/likeness.ts'
import { joinWords, kindOf, type WordKind } from '../names/words.ts'
import { assignBest } from './assign.ts'

/** A word of a name with how much it says of it, from 0 to 1. */
export interface WeightedWord extends SpeltWord {
  kind: WordKind
  weight: number
}

interface WordPair {
  query: string
  candidate: string
  likeness: number
  weight: number
}

export interface NameScore {
  score: number
  /** Every word of both names has found its like. */
  isWhole: boolean
  pairs: WordPair[]
}

const FIXED_WEIGHTS: Readonly<Partial<Record<WordKind, number>>> = { initial: 0.4, particle: 0.12, form: 0.15 }
/** What a word says that every second name has, compared with one that only this name has. */
const LEAST_WEIGHT = 0.6
const SMALLEST_CORPUS = 100_000

/** Gives words their weights: common ones say less. */
export function weighWords(
  words: readonly string[],
  countOf: (word: string) => number,
  entries: number,
): WeightedWord[] {
  const logOfAll = Math.log(1 + Math.max(entries, SMALLEST_CORPUS))
  return words.map(text => {
    const kind = kindOf(text)
    const rarity = 1 - Math.min(1, Math.log(1 + countOf(text)) / logOfAll)
    return { ...spellWord(text), kind, weight: FIXED_WEIGHTS[kind] ?? LEAST_WEIGHT + (1 - LEAST_WEIGHT) * rarity }
  })
}

/** Words that are less alike are different words. */
const LEAST_LIKENESS = 0.73
const CLEAR_LIKENESS = 0.9
/** What the words between count less than they are alike. */
const UNCLEAR_SHARE = 0.2
const INITIAL_LIKENESS = 0.9
const OTHER_INITIAL_LIKENESS = 0.84
const FORMS_LIKENESS = 0.6
const OTHER_KIND_LIKENESS = 0.95
const JOINED_LIKENESS = 0.9

/** How alike two names are, whatever the order of their words. */
export function compareNames(query: readonly WeightedWord[], candidate: readonly WeightedWord[]): NameScore {
  const [first, second] = joinLike(query, candidate)
  const likeness = first.map(one => second.map(other => compareKinds(one, other)))
  const gains = likeness.map((row, at) => row.map((like, to) => rate(like) * pairWeight(first[at]!, second[to]!)))
  const columns = assignBest(gains, second.length)
  const pairs = columns.flatMap((column, row): WordPair[] => {
    if (column < 0) return []
    const [one, other] = [first[row]!, second[column]!]
    return [
      { query: one.text, candidate: other.text, likeness: likeness[row]![column]!, weight: pairWeight(one, other) },
    ]
  })
  return scorePairs(first, second, columns, pairs)
}

function scorePairs(
  first: readonly WeightedWord[],
  second: readonly WeightedWord[],
  columns: readonly number[],
  pairs: WordPair[],
): NameScore {
  const matched = pairs.reduce((sum, { likeness, weight }) => sum + rate(likeness) * weight, 0)
  const covered = (side: readonly WeightedWord[], weightOf: (word: WeightedWord, at: number) => number) => {
    const all = side.reduce((sum, word, at) => sum + weightOf(word, at), 0)
    return all === 0 ? 0 : Math.min(1, matched / all)
  }
  const rowOf = new Map(columns.map((column, row) => [column, row] as const))
  const ofQuery = covered(first, (word, at) =>
    columns[at]! >= 0 ? pairWeight(word, second[columns[at]!]!) : word.weight,
  )
  const ofCandidate = covered(second, (word, at) =>
    rowOf.has(at) ? pairWeight(first[rowOf.get(at)!]!, word) : word.weight,
  )
  const countBoth = (test: (word: WeightedWord) => boolean) =>
    columns.filter((column, row) => column >= 0 && test(first[row]!) && test(second[column]!)).length
  const plain = countBoth(isPlain)
  const isNamed = plain > 0 && countBoth(isTelling) >= 2
  const [more, less] = [Math.max(ofQuery, ofCandidate), Math.min(ofQuery, ofCandidate)]
  const score = more * (1 - (isNamed ? MISSING_BESIDE_TWO : MISSING_BESIDE_ONE) * (1 - less))
  return { score, isWhole: plain >= 2 && less >= 0.95, pairs }
}

/** What it costs that words of one name are not in the other, where two telling words agree, and where only one does. */
const MISSING_BESIDE_TWO = 0.17
const MISSING_BESIDE_ONE = 0.8

function isPlain({ kind }: WeightedWord): boolean {
  return kind === 'plain'
}

function isTelling({ kind }: WeightedWord): boolean {
  return kind === 'plain' || kind === 'initial'
}

function pairWeight(one: WeightedWord, other: WeightedWord): number {
  if (one.kind === 'initial' || other.kind === 'initial') return Math.min(one.weight, other.weight)
  return (one.weight + other.weight) / 2
}

/** Words that are somewhat alike count less than they are alike. */
function rate(likeness: number): number {
  if (likeness >= CLEAR_LIKENESS) return likeness
  return likeness < LEAST_LIKENESS ? 0 : likeness - UNCLEAR_SHARE * (CLEAR_LIKENESS - likeness)
}

function compareKinds(one: WeightedWord, other: WeightedWord): number {
  if (one.text === other.text) return 1
  if (one.kind === 'form' || other.kind === 'form') return one.kind === other.kind ? FORMS_LIKENESS + 0.2 : 0
  if (one.kind === 'initial' || other.kind === 'initial') return compareInitials(one, other)
  if (one.kind === 'number' || other.kind === 'number') return 0
  if (one.kind !== other.kind) return compareWords(one, other, OTHER_KIND_LIKENESS) > 0 ? CLEAR_LIKENESS : 0
  return compareWords(one, other, LEAST_LIKENESS)
}

/** The initial may be that of another spelling: J. for Zhanna. */
function compareInitials(one: WeightedWord, other: WeightedWord): number {
  if (one.kind === other.kind || one.kind === 'particle' || other.kind === 'particle') return 0
  const [initial, word] = one.kind === 'initial' ? [one.text, other.text] : [other.text, one.text]
  if (word[0] === initial) return INITIAL_LIKENESS
  return beginAlike(initial, word) ? OTHER_INITIAL_LIKENESS : 0
}

/** Joins neighbours in one name where they are one word in the other. */
function joinLike(
  query: readonly WeightedWord[],
  candidate: readonly WeightedWord[],
): [readonly WeightedWord[], readonly WeightedWord[]] {
  const joined = joinNeighbours(candidate, query)
  return [joinNeighbours(query, joined), joined]
}

function joinNeighbours(words: readonly WeightedWord[], others: readonly WeightedWord[]): readonly WeightedWord[] {
  for (let at = 0; at + 1 < words.length; at++) {
    for (const count of [3, 2]) {
      const joined = joinIfLike(words.slice(at, at + count), others)
      if (joined) return joinNeighbours([...words.slice(0, at), joined, ...words.slice(at + count)], others)
    }
  }
  return words
}

/** Some words as one, if a word of the other name is like that and like none of them. */
function joinIfLike(parts: readonly WeightedWord[], others: readonly WeightedWord[]): WeightedWord | undefined {
  if (parts.length < 2 || !parts.every(isJoinable)) return undefined
  const joined = spellWord(parts.map(part => part.text).reduce(joinWords))
  const isLike = (one: SpeltWord, other: SpeltWord) => compareWords(one, other, JOINED_LIKENESS) > 0
  const like = others.find(other => other.text.length > 3 && isLike(joined, other))
  if (!like || parts.some(part => isLike(part, like))) return undefined
  return { ...joined, kind: 'plain', weight: Math.max(...parts.map(({ weight }) => weight)) }
}

function isJoinable({ kind }: WeightedWord): boolean {
  return kind === 'plain' || kind === 'particle'
}
