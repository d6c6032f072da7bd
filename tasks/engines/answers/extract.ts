import { splitSentences } from '../language/sentences.ts'
import { openStemmer } from '../language/words.ts'
import { embedText } from '../vectors/hash-embedding.ts'
import { countWords, listWords } from '../vectors/words.ts'
import type { Question } from './question.ts'
import { compare, type Passage } from './relevance.ts'

/** A sentence of a passage, word for word, with its place there in UTF-16 code units. */
export interface Quote {
  id: string
  quote: string
  start: number
  end: number
}

interface Candidate extends Quote {
  counts: ReadonlyMap<string, number>
  length: number
  /** What its kind takes from its score: a heading or a question answers little. */
  weight: number
  passage: number
}

type Ranked = Candidate & { score: number; share: number }

const MAX_SENTENCE_CHARS = 1_200
/** A sentence that is less good than the best by more is left out. */
const LEAST_OF_BEST = 0.55
/** The share of the terms of the question that the best sentence has at least. */
const LEAST_SHARE = 0.34
/** Two sentences that have more words in common say the same. */
const MAX_COMMON = 0.8

/** The sentences that answer a question best, in the order of their passages; none if none is about it. */
export function extractAnswer(
  question: Question,
  passages: readonly Passage[],
  count: number,
): { quotes: Quote[]; share: number } {
  const candidates = passages.flatMap(listCandidates)
  const ranked = rank(question, candidates).filter(({ share }) => share > 0)
  const best = ranked[0]
  if (!best || best.share < LEAST_SHARE) return { quotes: [], share: 0 }
  const picked: Ranked[] = []
  for (const candidate of ranked) {
    if (picked.length === count || candidate.score < LEAST_OF_BEST * best.score) break
    if (!picked.some(other => isAlike(candidate, other))) picked.push(candidate)
  }
  const quotes = picked.toSorted((one, other) => one.passage - other.passage || one.start - other.start)
  return { quotes: quotes.map(({ id, quote, start, end }) => ({ id, quote, start, end })), share: best.share }
}

function listCandidates({ id, text }: Passage, passage: number): Candidate[] {
  const stem = openStemmer()
  return splitSentences(text).flatMap(({ start, end, isFragment }) => {
    if (end - start > MAX_SENTENCE_CHARS) return []
    const quote = text.slice(start, end)
    const words = listWords(quote).map(stem)
    const weight = (isFragment ? 0.7 : 1) * (/[?？]\s*$/.test(quote) ? 0.4 : 1)
    return [{ id, quote, start, end, counts: countWords(words), length: words.length, weight, passage }]
  })
}

/** By BM25 and the likeness of the wording, of equal weight. The best first. */
function rank({ text, terms }: Question, candidates: readonly Candidate[]): Ranked[] {
  const asked = embedText(text)
  const rarity = new Map([...terms].map(term => [term, findRarity(term, candidates)]))
  const mean = candidates.reduce((sum, { length }) => sum + length, 0) / Math.max(1, candidates.length)
  const matching = candidates.map(candidate => ({ candidate, bm25: scoreTerms(candidate, rarity, mean) }))
  const most = Math.max(1e-9, ...matching.map(({ bm25 }) => bm25))
  const all = [...rarity.values()].reduce((sum, value) => sum + value, 0)
  const ranked = matching
    .filter(({ bm25 }) => bm25 > 0)
    .map(({ candidate, bm25 }): Ranked => {
      const likeness = Math.max(0, compare(asked, embedText(candidate.quote)))
      const found = [...rarity].filter(([term]) => candidate.counts.has(term))
      const share = found.reduce((sum, [, value]) => sum + value, 0) / all
      return { ...candidate, share, score: candidate.weight * (bm25 / most + likeness) }
    })
  return ranked.sort((one, other) => other.score - one.score || one.passage - other.passage || one.start - other.start)
}

/** A term that is nowhere weighs as much as one that is in a single sentence. */
function findRarity(term: string, candidates: readonly Candidate[]): number {
  const having = Math.max(1, candidates.filter(({ counts }) => counts.has(term)).length)
  return Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5)) + 0.1
}

function scoreTerms({ counts, length }: Candidate, rarity: ReadonlyMap<string, number>, mean: number): number {
  return [...rarity].reduce((sum, [term, weight]) => {
    const count = counts.get(term) ?? 0
    return sum + (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / mean))
  }, 0)
}

function isAlike({ counts: one }: Candidate, { counts: other }: Candidate): boolean {
  const common = [...one.keys()].filter(word => other.has(word)).length
  return common > MAX_COMMON * Math.min(one.size, other.size)
}
