import { guessLanguage, guessSmallWords } from './guess-language.ts'
import { splitSentences } from './sentences.ts'
import { stopWordsOf } from './stop-words.ts'
import { listWords, openStemmer, type Word } from './words.ts'

interface KeywordOptions {
  max: number
  /** The most words of a phrase. */
  ngrams: number
  dedupe: boolean
  language?: string | undefined
}

interface Keyword {
  /** As it is first written. */
  text: string
  /** From 0 to 1, the best has 1. */
  score: number
  count: number
  /** Where it begins, in UTF-16 code units. */
  positions: number[]
}

const MAX_POSITIONS = 100
/** Of what the words of a phrase weigh together: single words say little, long phrases are rarely the name of something. */
const LENGTH_FACTORS = [0, 0.7, 0.9, 0.72, 0.55]
/** Forms of English verbs, which name nothing by themselves. */
const VERB = /(?:ed|ing)$/
/** Endings of English words that are no nouns, at the ends of phrases. */
const NOT_A_NOUN = /(?:ly|n't)$/

interface WordFacts {
  count: number
  sentences: number
  first: number
  /** How often it has a capital letter within a sentence. */
  capitals: number
  inside: number
  lastSentence: number
}

interface Phrase {
  stems: string[]
  places: { start: number; end: number }[]
  isWhole: boolean
}

/** Phrases that name what a text is about: runs of words without stop words, rated by their words and how often they come. */
export function findKeywords(text: string, { max, ngrams, dedupe, language }: KeywordOptions): Keyword[] {
  const known = language?.slice(0, 2) ?? guessLanguage(text)
  const isGerman = known === 'de'
  const toStem = openStemmer(known)
  const smallWords = known === undefined ? guessSmallWords(text) : stopWordsOf(known)
  const runs = listRuns(text, smallWords, toStem, isGerman ? GERMAN_RUNS : undefined)
  const facts = countWords(text, runs)
  const isNoun = (word: Word): boolean => !isGerman || isCapital(text, word)
  const phrases = collectPhrases(text, runs, ngrams, isNoun)
  const weights = weighWords(facts, runs.at(-1)?.sentence ?? 0)
  const rated = phrases
    .map(phrase => ({ phrase, score: ratePhrase(phrase, weights) }))
    .sort((one, other) => other.score - one.score || one.phrase.places[0]!.start - other.phrase.places[0]!.start)
  const chosen = dedupe ? dropContained(rated, max) : rated.slice(0, max)
  const best = chosen[0]?.score ?? 1
  return chosen.map(({ phrase: { places }, score }) => ({
    text: (isGerman ? findShortest(text, places) : readPlace(text, places[0]!)).replaceAll(/\s+/g, ' '),
    score: Math.round((score / best) * 1e4) / 1e4,
    count: places.length,
    positions: places.slice(0, MAX_POSITIONS).map(({ start }) => start),
  }))
}

type Place = Phrase['places'][number]

function readPlace(text: string, { start, end }: Place): string {
  return text.slice(start, end)
}

/** The form without the ending of a case. */
function findShortest(text: string, places: readonly Place[]): string {
  return places.map(place => readPlace(text, place)).reduce((best, form) => (form.length < best.length ? form : best))
}

/** Words that follow each other with nothing but spaces between them, none of them a stop word. */
interface Run {
  sentence: number
  words: Word[]
  stems: string[]
  isFirst: boolean
}

/** Says whether a run ends before a word, and which of its words can name something. */
interface RunRules {
  endsBefore(text: string, before: Word, word: Word): boolean
  keep(text: string, run: Word[]): Word[]
}

/** German nouns have capital letters: a phrase ends with one, and what comes before it has the ending of an adjective. */
const GERMAN_RUNS: RunRules = {
  endsBefore: (text, before, word) => isCapital(text, before) && !isCapital(text, word),
  keep: (text, run) => {
    const last = run.findLastIndex(word => isCapital(text, word))
    const kept = run.slice(0, last + 1)
    const first = kept.findIndex(word => isCapital(text, word) || /e[mnrs]?$/.test(word.text))
    return kept.slice(Math.max(0, first))
  },
}

function isApart(text: string, before: Word, word: Word, rules: RunRules | undefined): boolean {
  return !/^\s*$/.test(text.slice(before.end, word.start)) || (rules?.endsBefore(text, before, word) ?? false)
}

function isCapital(text: string, { start }: Word): boolean {
  return /\p{Lu}/u.test(text[start]!)
}

function listRuns(
  text: string,
  stopWords: ReadonlySet<string>,
  toStem: (word: string) => string,
  rules: RunRules | undefined,
): Run[] {
  const runs: Run[] = []
  splitSentences(text).forEach(({ start, end }, sentence) => {
    let run: Word[] = []
    const words = listWords(text.slice(start, end), start)
    const close = (): void => {
      const kept = rules ? rules.keep(text, run) : run
      if (kept.length > 0)
        runs.push({ sentence, words: kept, stems: kept.map(word => toStem(word.text)), isFirst: kept[0] === words[0] })
      run = []
    }
    for (const word of words) {
      const before = run.at(-1)
      if (before && isApart(text, before, word, rules)) close()
      if (stopWords.has(word.text.replaceAll('’', "'")) || !/\p{L}/u.test(word.text)) close()
      else run.push(word)
    }
    close()
  })
  return runs
}

function countWords(text: string, runs: readonly Run[]): Map<string, WordFacts> {
  const facts = new Map<string, WordFacts>()
  for (const { sentence, words, stems, isFirst } of runs)
    words.forEach((word, index) => {
      const stem = stems[index]!
      const known = facts.get(stem) ?? {
        ...{ count: 0, sentences: 0, first: sentence, capitals: 0, inside: 0, lastSentence: -1 },
      }
      known.count += 1
      if (known.lastSentence !== sentence) known.sentences += 1
      known.lastSentence = sentence
      if (!isFirst || index > 0) {
        known.inside += 1
        if (isCapital(text, word)) known.capitals += 1
      }
      facts.set(stem, known)
    })
  return facts
}

/** Frequent, spread, early and capitalised words weigh more; short ones less. */
function weighWords(facts: ReadonlyMap<string, WordFacts>, lastSentence: number): Map<string, number> {
  const most = Math.max(1, ...[...facts.values()].slice(0, 50_000).map(({ count }) => count))
  return new Map(
    [...facts].map(([stem, { count, sentences, first, capitals, inside }]) => {
      const frequency = 0.3 + 0.7 * (Math.log(1 + count) / Math.log(1 + most))
      const spread = 1 + Math.log(sentences)
      const opening = 1 + 0.5 / (1 + first) + (lastSentence > 0 ? 0.2 * (1 - first / (lastSentence + 1)) : 0)
      const casing = inside > 0 ? 1 + 0.4 * (capitals / inside) : 1
      const length = stem.length < 3 && /^[\p{L}\d]+$/u.test(stem) && !/\P{ASCII}/u.test(stem) ? 0.2 : 1
      const adverb = NOT_A_NOUN.test(stem) ? 0.5 : 1
      return [stem, frequency * Math.sqrt(spread) * opening * casing * length * adverb]
    }),
  )
}

/** Whole runs, names in them, and what is said more than once; parts of runs that come once are cut at random. */
function collectPhrases(text: string, runs: readonly Run[], ngrams: number, canEnd: (word: Word) => boolean): Phrase[] {
  const phrases = new Map<string, Phrase>()
  for (const run of runs)
    for (let start = 0; start < run.words.length; start++)
      for (let length = 1; length <= ngrams && start + length <= run.words.length; length++)
        if (canEnd(run.words[start + length - 1]!)) addPhrase(phrases, text, run, start, start + length)
  return [...phrases.values()].filter(
    ({ stems, places, isWhole }) => stems.length === 1 || isWhole || places.length > 1,
  )
}

function addPhrase(phrases: Map<string, Phrase>, text: string, run: Run, start: number, end: number): void {
  const stems = run.stems.slice(start, end)
  if (stems.length > 1 && !canBePhrase(stems)) return
  const place = { start: run.words[start]!.start, end: run.words[end - 1]!.end }
  const isWhole = (start === 0 && end === run.words.length) || isName(text, run, start, end)
  const key = stems.join(' ')
  const known = phrases.get(key)
  if (!known) phrases.set(key, { stems, places: [place], isWhole })
  else {
    known.places.push(place)
    known.isWhole ||= isWhole
  }
}

/** Words with capitals between words without. */
function isName(text: string, { words }: Run, start: number, end: number): boolean {
  const hasCapital = (index: number): boolean => {
    const word = words[index]
    return word !== undefined && isCapital(text, word)
  }
  if (hasCapital(start - 1) || hasCapital(end)) return false
  for (let index = start; index < end; index++) if (!hasCapital(index)) return false
  return true
}

function canBePhrase(stems: readonly string[]): boolean {
  const [first, last] = [stems[0]!, stems.at(-1)!]
  return ![first, last].some(stem => NOT_A_NOUN.test(stem)) && !/[^e]ed$/.test(first) && !/[^e]ed$/.test(last)
}

function ratePhrase({ stems, places }: Phrase, weights: ReadonlyMap<string, number>): number {
  const sum = stems.reduce((total, stem) => total + weights.get(stem)!, 0)
  const repeated = stems.length > 1 && new Set(stems).size < stems.length ? 0.3 : 1
  const verb = stems.length === 1 && VERB.test(stems[0]!) ? 0.4 : 1
  return sum * LENGTH_FACTORS[stems.length]! * (1 + 0.6 * Math.log2(places.length)) * repeated * verb
}

type RatedPhrase = { phrase: Phrase; score: number }

/** A phrase that is part of a better one, or has a better one in it, says the same again. */
function dropContained(rated: readonly RatedPhrase[], max: number): RatedPhrase[] {
  const chosen: RatedPhrase[] = []
  for (const candidate of rated) {
    if (chosen.length === max) break
    const text = ` ${candidate.phrase.stems.join(' ')} `
    const longer = chosen.findIndex(({ phrase }) => text.includes(` ${phrase.stems.join(' ')} `))
    const isPart = chosen.some(({ phrase }) => ` ${phrase.stems.join(' ')} `.includes(text))
    if (isPart) continue
    if (longer < 0) chosen.push(candidate)
    // A single word that mostly comes in one phrase is known by the phrase.
    else if (candidate.phrase.places.length * 2 > chosen[longer]!.phrase.places.length)
      chosen[longer] = { ...candidate, score: chosen[longer]!.score }
  }
  return chosen
}
