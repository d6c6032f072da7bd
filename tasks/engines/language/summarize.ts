import { guessLanguage } from './guess-language.ts'
import { type Sentence, splitSentences } from './sentences.ts'
import { stopWordsOf } from './stop-words.ts'
import { listWords, openStemmer } from './words.ts'

interface SummaryOptions {
  maxSentences: number
  /** What the summary should be about. */
  focus?: string | undefined
  language?: string | undefined
}

const ROUNDS = 15
const DAMPING = 0.85
/** How much a sentence loses for being like one that was chosen. */
const REDUNDANCY = 0.6
/** Sentences that begin so need the one before them to be understood. */
const DANGLING =
  /^(?:this|that|these|those|he|she|it|they|his|her|their|its|such|however|therefore|thus|but|and|so|then|also|moreover|furthermore|instead|meanwhile|nevertheless|consequently|as a result|for example|for instance|in addition|on the other hand|dies|diese|dieser|er|sie|aber|jedoch|deshalb|daher|cela|ceci|ils?|elles?|mais|cependant|esto|ellos|pero|sin embargo|questo|essi|tuttavia)\b/iu

/** A sentence with what it is rated by. */
interface Rated extends Sentence {
  /** Its stems with their weights, of length 1. */
  weights: ReadonlyMap<string, number>
  wordCount: number
  score: number
}

/** The sentences that say most of what a text says, as they are, in the order of the text. */
export function chooseSentences(text: string, options: SummaryOptions): Sentence[] {
  const rated = rateSentences(text, options)
  const prose = rated.filter(({ isFragment, wordCount }) => !isFragment && wordCount > 3)
  const chosen = pick(prose.length > 0 ? prose : rated, options.maxSentences)
  // Short ones say little: they are there only if all that says more is.
  const short = prose.length > 0 ? rated.filter(({ isFragment, wordCount }) => !isFragment && wordCount <= 3) : []
  const more = pick(short, options.maxSentences - chosen.length)
  return [...chosen, ...more].sort((one, other) => one.start - other.start)
}

/** Every sentence with its score; also what titles are chosen by. */
export function rateSentences(text: string, { focus, language }: Omit<SummaryOptions, 'maxSentences'>): Rated[] {
  const sentences = splitSentences(text)
  const stopWords = stopWordsOf(language ?? guessLanguage(text))
  const toStem = openStemmer()
  const countIn = (part: string) => countStems(part, stopWords, toStem)
  const counted = sentences.map(sentence => countIn(sentence.text))
  const weights = weigh(counted.map(({ stems }) => stems))
  const central = findCentral(weights)
  const asked = focus === undefined ? undefined : countIn(focus).stems
  return sentences.map((sentence, index) => {
    const { wordCount } = counted[index]!
    const score = central[index]! * rateForm(sentence, wordCount) * rateFocus(weights[index]!, asked)
    return { ...sentence, weights: weights[index]!, wordCount, score }
  })
}

function countStems(text: string, stopWords: ReadonlySet<string>, toStem: (word: string) => string) {
  const words = listWords(text)
  const stems = new Map<string, number>()
  for (const { text: word } of words) {
    if (stopWords.has(word) || word.length < 2) continue
    const stem = toStem(word)
    stems.set(stem, (stems.get(stem) ?? 0) + 1)
  }
  return { stems, wordCount: words.length }
}

/** Counts by how rare the stems are, as vectors of length 1. */
function weigh(counted: readonly ReadonlyMap<string, number>[]): Map<string, number>[] {
  const spread = new Map<string, number>()
  for (const stems of counted) for (const stem of stems.keys()) spread.set(stem, (spread.get(stem) ?? 0) + 1)
  return counted.map(stems => {
    const raw = [...stems].map(([stem, count]) => {
      const rarity = Math.log(1 + counted.length / spread.get(stem)!)
      return [stem, (1 + Math.log(count)) * rarity] as const
    })
    const length = Math.sqrt(raw.reduce((sum, [, weight]) => sum + weight * weight, 0)) || 1
    return new Map(raw.map(([stem, weight]) => [stem, weight / length]))
  })
}

/**
 * How much each sentence shares with the others, by the power method over the graph of their likenesses. The graph is never
 * built: going over the words takes time in proportion to the text.
 */
function findCentral(sentences: readonly ReadonlyMap<string, number>[]): number[] {
  const numbers = new Map<string, number>()
  const numbered = sentences.map(weights => {
    const stems = Int32Array.from(weights.keys(), stem => numberOf(numbers, stem))
    return { stems, weights: Float64Array.from(weights.values()) }
  })
  const totals = new Float64Array(numbers.size)
  let scores = new Float64Array(sentences.length).fill(1)
  for (let round = 0; round < ROUNDS; round++) {
    totals.fill(0)
    numbered.forEach(({ stems, weights }, index) => {
      for (let at = 0; at < stems.length; at++) totals[stems[at]!]! += weights[at]! * scores[index]!
    })
    const next = Float64Array.from(numbered, ({ stems, weights }) => sumTotals(totals, stems, weights))
    const mean = next.reduce((sum, score) => sum + score, 0) / sentences.length || 1
    scores = next.map(score => 1 - DAMPING + (DAMPING * score) / mean)
  }
  return [...scores]
}

function sumTotals(totals: Float64Array, stems: Int32Array, weights: Float64Array): number {
  let sum = 0
  for (let at = 0; at < stems.length; at++) sum += weights[at]! * totals[stems[at]!]!
  return sum
}

function numberOf(numbers: Map<string, number>, stem: string): number {
  const known = numbers.get(stem)
  if (known !== undefined) return known
  numbers.set(stem, numbers.size)
  return numbers.size - 1
}

function rateForm({ text, paragraph, position, isFragment }: Sentence, wordCount: number): number {
  const opening = (paragraph === 0 ? 1.25 : 1) * (position === 0 ? 1.15 : 1)
  const length = rateWordCount(wordCount)
  const code = (text.match(/[`{}<>/=]/g)?.length ?? 0) > 3 ? 0.6 : 1
  const dangling = position > 0 && DANGLING.test(text) ? 0.65 : 1
  const question = /[?？؟፧]["'”’)]*$/u.test(text) ? 0.5 : 1
  const quoted = /^["“”'‘«]/u.test(text) ? 0.85 : 1
  return opening * length * dangling * question * quoted * code * (isFragment ? 0.5 : 1)
}

function rateWordCount(count: number): number {
  if (count < 6) return 0.4
  if (count < 10) return 0.85
  return count > 45 ? 0.6 : count > 14 ? 1.1 : 1
}

function rateFocus(weights: ReadonlyMap<string, number>, asked: ReadonlyMap<string, number> | undefined): number {
  if (!asked || asked.size === 0) return 1
  const hits = [...asked.keys()].filter(stem => weights.has(stem)).length
  return hits === 0 ? 0.25 : 1 + (2 * hits) / asked.size
}

/** The best that say different things. */
function pick(candidates: readonly Rated[], count: number): Rated[] {
  const chosen: Rated[] = []
  const left = new Map(candidates.map(candidate => [candidate, 0]))
  while (chosen.length < count && left.size > 0) {
    let best: Rated | undefined
    let bestScore = Number.NEGATIVE_INFINITY
    for (const [candidate, likeness] of left) {
      const score = candidate.score * (1 - REDUNDANCY * likeness)
      if (score > bestScore) [best, bestScore] = [candidate, score]
    }
    left.delete(best!)
    if (chosen.some(({ text }) => text === best!.text)) continue
    chosen.push(best!)
    for (const [candidate, likeness] of left) left.set(candidate, Math.max(likeness, compare(candidate, best!)))
  }
  return chosen
}

function compare(one: Rated, other: Rated): number {
  let sum = 0
  for (const [stem, weight] of one.weights) sum += weight * (other.weights.get(stem) ?? 0)
  return sum
}
