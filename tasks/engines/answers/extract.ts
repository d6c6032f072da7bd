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

type Stemmer = ReturnType<typeof openStemmer>

interface Wording {
  text: string
  counts: ReadonlyMap<string, number>
  length: number
}

interface Candidate extends Quote {
  own: Wording
  /** With the sentence that it refers to, by which it is ranked. */
  whole: Wording
  /** It begins with a word such as “it”. */
  refersBack: boolean
  /** The sentence of the same passage that names what this one calls “it”. */
  antecedent?: Candidate
  /** It says “it” of what its passage does not name, so it is never put beside another passage. */
  isDangling: boolean
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
/** Words that begin sentences about what was named before. */
const PRONOUNS = new Set(
  'it its he his she her they their er sein seine elle elles ils leur leurs ella ellos ellas'.split(' '),
)

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
  const picked: Candidate[] = []
  for (const candidate of ranked) {
    if (picked.length === count || candidate.score < LEAST_OF_BEST * best.score) break
    if (picked.some(other => isAlike(candidate.own, other.own) || !canStandTogether(candidate, other))) continue
    const added = listMissing(candidate, picked)
    if (picked.length + added.length <= count) picked.push(...added)
  }
  const quotes = picked.toSorted((one, other) => one.passage - other.passage || one.start - other.start)
  return { quotes: quotes.map(({ id, quote, start, end }) => ({ id, quote, start, end })), share: best.share }
}

function listCandidates({ id, text }: Passage, passage: number): Candidate[] {
  const stem = openStemmer()
  const candidates: Candidate[] = []
  let named: Candidate | undefined
  for (const { start, end, isFragment } of splitSentences(text)) {
    if (end - start > MAX_SENTENCE_CHARS) continue
    const quote = text.slice(start, end)
    const weight = (isFragment ? 0.7 : 1) * (/[?？]\s*$/.test(quote) ? 0.4 : 1)
    const candidate = { id, quote, start, end, weight, passage, ...readReference(quote, named, stem) }
    candidates.push(candidate)
    if (!candidate.refersBack) named = candidate
  }
  return candidates
}

function readReference(quote: string, named: Candidate | undefined, stem: Stemmer) {
  const own = readWording(quote, stem)
  const refersBack = PRONOUNS.has(listWords(quote)[0] ?? '')
  if (!refersBack || !named) return { own, whole: own, refersBack, isDangling: refersBack }
  return { own, whole: readWording(`${named.quote} ${quote}`, stem), refersBack, isDangling: false, antecedent: named }
}

function readWording(text: string, stem: Stemmer): Wording {
  const words = listWords(text).map(stem)
  return { text, counts: countWords(words), length: words.length }
}

function canStandTogether(one: Candidate, other: Candidate): boolean {
  return one.passage === other.passage || !(one.isDangling || other.isDangling)
}

/** A sentence with the one that it refers to, unless that is there already. */
function listMissing(candidate: Candidate, picked: readonly Candidate[]): Candidate[] {
  const { antecedent } = candidate
  const isThere =
    !antecedent || picked.some(({ passage, start }) => passage === antecedent.passage && start === antecedent.start)
  return isThere ? [candidate] : [antecedent, candidate]
}

/** By BM25 and the likeness of the wording, of equal weight. The best first. */
function rank({ text, terms }: Question, candidates: readonly Candidate[]): Ranked[] {
  const asked = embedText(text)
  const rarity = new Map([...terms].map(term => [term, findRarity(term, candidates)]))
  const mean = candidates.reduce((sum, { own }) => sum + own.length, 0) / Math.max(1, candidates.length)
  const matching = candidates
    .filter(({ own }) => scoreTerms(own, rarity, mean) > 0)
    .map(candidate => ({ candidate, bm25: scoreTerms(candidate.whole, rarity, mean) }))
  const most = Math.max(1e-9, ...matching.map(({ bm25 }) => bm25))
  const all = [...rarity.values()].reduce((sum, value) => sum + value, 0)
  const ranked = matching.map(({ candidate, bm25 }): Ranked => {
    const likeness = Math.max(0, compare(asked, embedText(candidate.whole.text)))
    const found = [...rarity].filter(([term]) => candidate.whole.counts.has(term))
    const share = found.reduce((sum, [, value]) => sum + value, 0) / all
    return { ...candidate, share, score: candidate.weight * (bm25 / most + likeness) }
  })
  return ranked.sort((one, other) => other.score - one.score || one.passage - other.passage || one.start - other.start)
}

/** A term that is nowhere weighs as much as one that is in a single sentence. */
function findRarity(term: string, candidates: readonly Candidate[]): number {
  const having = Math.max(1, candidates.filter(({ own }) => own.counts.has(term)).length)
  return Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5)) + 0.1
}

function scoreTerms({ counts, length }: Wording, rarity: ReadonlyMap<string, number>, mean: number): number {
  return [...rarity].reduce((sum, [term, weight]) => {
    const count = counts.get(term) ?? 0
    return sum + (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / mean))
  }, 0)
}

function isAlike({ counts: one }: Wording, { counts: other }: Wording): boolean {
  const common = [...one.keys()].filter(word => other.has(word)).length
  return common > MAX_COMMON * Math.min(one.size, other.size)
}
