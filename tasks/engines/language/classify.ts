import { guessLanguage } from './guess-language.ts'
import { stopWordsOf } from './stop-words.ts'
import { listWords, openStemmer } from './words.ts'

interface ExampleLabel {
  name: string
  examples: readonly string[]
}

export interface ScoredLabel {
  name: string
  /** From 0 to 1; all labels together have at most 1. */
  score: number
}

/** A likeness from which on the text is surely about one of the labels. */
const SURE = 0.12
/** How sharply likeness is told apart. */
const SHARPNESS = 9
const PART = 4

/** How well a text fits each label, by the words and parts of words of the label's examples; the best first. */
export function openClassifier(labels: readonly ExampleLabel[], language?: string): (text: string) => ScoredLabel[] {
  const all = labels.flatMap(({ examples: texts }) => texts)
  const stopWords = stopWordsOf(language ?? guessLanguage(all.join('\n')) ?? 'en')
  const listFeatures = (text: string) => countFeatures(listTelling(text, stopWords))
  const examples = all.map(listFeatures)
  const spread = new Map<string, number>()
  for (const features of examples) for (const name of features.keys()) spread.set(name, (spread.get(name) ?? 0) + 1)
  const weigh = (features: ReadonlyMap<string, number>) => weighFeatures(features, spread, examples.length)
  const profiles = labels.map(({ name, examples: texts }) => ({
    name,
    vectors: texts.map(text => weigh(listFeatures(text))),
  }))
  return text => {
    const vector = weigh(countFeatures(listTelling(text, stopWords), part => spread.has(part)))
    const likeness = profiles.map(({ name, vectors }) => ({ name, value: rateLikeness(vector, vectors) }))
    if (likeness.every(({ value }) => value === 0)) return likeness.map(({ name }) => ({ name, score: 0 }))
    const top = Math.max(...likeness.map(({ value }) => value))
    const raw = likeness.map(({ name, value }) => ({
      name,
      value: Math.exp(SHARPNESS * (value / top - 1)) * (value > 0 ? 1 : 0),
    }))
    const total = raw.reduce((sum, { value }) => sum + value, 0)
    return raw
      .map(({ name, value }) => ({ name, score: Math.round((value / total) * Math.min(1, top / SURE) * 1e4) / 1e4 }))
      .sort((one, other) => other.score - one.score)
  }
}

/** The nearest examples count most, because the examples of a label may be unlike each other. */
function rateLikeness(vector: ReadonlyMap<string, number>, examples: readonly ReadonlyMap<string, number>[]): number {
  const values = examples.map(example => multiply(vector, example)).sort((one, other) => other - one)
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return 0.6 * values[0]! + 0.4 * mean
}

function multiply(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  let sum = 0
  for (const [name, weight] of few) sum += weight * (many.get(name) ?? 0)
  return sum
}

/** Words count double; parts of words find other forms of them. */
const toStem = openStemmer()

function countFeatures(words: readonly string[], isKnown: (part: string) => boolean = () => true): Map<string, number> {
  const features = new Map<string, number>()
  const add = (name: string, weight: number) => features.set(name, (features.get(name) ?? 0) + weight)
  for (const word of words) {
    add(toStem(word), 2)
    const parts = listParts(word)
    if (isAlike(parts, isKnown)) for (const part of parts) add(part, 0.5)
  }
  return features
}

function listParts(word: string): string[] {
  const marked = ` ${word} `
  return Array.from(
    { length: Math.max(0, marked.length - PART + 1) },
    (_, start) => `~${marked.slice(start, start + PART)}`,
  )
}

/** Whether a word may be a form of a known one: most of it is known, or its beginning. A common ending alone says nothing. */
function isAlike(parts: readonly string[], isKnown: (part: string) => boolean): boolean {
  return parts.slice(0, 3).every(isKnown) || 2 * parts.filter(isKnown).length >= parts.length
}

/** The words of a text that say what it is about; all of them if it has only small ones. */
function listTelling(text: string, stopWords: ReadonlySet<string>): string[] {
  const words = listWords(text).map(({ text: word }) => word.replaceAll('’', "'"))
  const telling = words.filter(word => !stopWords.has(word))
  return telling.length > 0 ? telling : words
}

function weighFeatures(
  features: ReadonlyMap<string, number>,
  spread: ReadonlyMap<string, number>,
  count: number,
): Map<string, number> {
  const raw = [...features].flatMap(([name, amount]) => {
    const seen = spread.get(name)
    return seen === undefined ? [] : [[name, (1 + Math.log(1 + amount)) * Math.log(1 + count / seen)] as const]
  })
  const length = Math.sqrt(raw.reduce((sum, [, weight]) => sum + weight * weight, 0)) || 1
  return new Map(raw.map(([name, weight]) => [name, weight / length]))
}
