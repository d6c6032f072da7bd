import { splitSentences } from './sentences.ts'
import { DEGREES, EMOJI_STRENGTHS, NEGATIONS, STRENGTHS } from './sentiment-words.ts'

type SentimentLabel = 'positive' | 'negative' | 'neutral' | 'mixed'

interface Rating {
  label: SentimentLabel
  /** From -1 to 1. */
  score: number
}

export interface SentenceRating extends Rating {
  text: string
  start: number
  end: number
}

/** Beyond it an opinion is clear. */
const CLEAR = 0.15
/** Scores near 1 need several strong words. */
const NORMAL = 15
const NEGATED = -0.6
/** A negation turns what follows within so many words. */
const NEGATION_REACH = 3
const TOKEN = /[,;]|[\p{L}][\p{L}\p{M}'’-]*|(?:>?[:;]'?-?[)(D/]|<3|D:)(?![\p{L}\p{N}])|\p{Extended_Pictographic}/gu
/** What follows outweighs what was said before. */
const TURN = /\b(?:but|however|although|though|yet|except|unfortunately)\b/iu

/** An emoji alone says something too. */
const MEANING = /[\p{L}\p{N}\p{Extended_Pictographic}]|[:;]'?-?[)(D/]/u

export function rateSentences(text: string): SentenceRating[] {
  return splitSentences(text, MEANING).map(({ text: sentence, start, end }) => {
    const { score, isMixed } = rateWithTurn(sentence)
    return { text: sentence, start, end, ...label(score, isMixed) }
  })
}

/** Of several sentences: those without an opinion do not count against the others. */
export function joinRatings(ratings: readonly Rating[]): Rating {
  const opinions = ratings.filter(({ score }) => Math.abs(score) >= CLEAR / 3)
  if (opinions.length === 0) return label(0, false)
  const weight = (score: number): number => 0.5 + Math.abs(score)
  const total = opinions.reduce((sum, { score }) => sum + weight(score), 0)
  const mean = opinions.reduce((sum, { score }) => sum + score * weight(score), 0) / total
  const up = opinions.filter(({ score }) => score >= CLEAR).length
  const down = opinions.filter(({ score }) => score <= -CLEAR).length
  return label(mean, Math.min(up, down) > 0 && Math.abs(mean) < 0.3)
}

function label(score: number, isMixed: boolean): Rating {
  const rounded = Math.round(score * 1e4) / 1e4
  if (isMixed && Math.abs(rounded) < 0.3) return { label: 'mixed', score: rounded }
  return { label: rounded >= CLEAR ? 'positive' : rounded <= -CLEAR ? 'negative' : 'neutral', score: rounded }
}

function rateWithTurn(sentence: string): { score: number; isMixed: boolean } {
  const turn = TURN.exec(sentence)
  if (!turn || turn.index === 0) return { score: normalize(sumStrengths(sentence)), isMixed: false }
  const before = sumStrengths(sentence.slice(0, turn.index))
  const after = sumStrengths(sentence.slice(turn.index))
  const sum = after === 0 ? before * 0.75 : before * 0.5 + after * 1.5
  return { score: normalize(sum), isMixed: before * after < 0 }
}

function normalize(sum: number): number {
  return sum / Math.sqrt(sum * sum + NORMAL)
}

function sumStrengths(text: string): number {
  const tokens = text.match(TOKEN) ?? []
  const words = tokens.map(token => token.toLowerCase().replaceAll('’', "'"))
  const isShouting = !/\p{Ll}/u.test(text)
  let sum = 0
  words.forEach((word, index) => {
    const emoji = EMOJI_STRENGTHS.get(tokens[index]!)
    const strength = emoji ?? findStrength(word)
    if (strength === 0) return
    const isLoud =
      emoji === undefined && !isShouting && word.length > 2 && tokens[index] === tokens[index]!.toUpperCase()
    const loud = strength * (isLoud ? 1.3 : 1)
    sum += emoji === undefined ? applyContext(words, index, loud) : loud
  })
  const marks = Math.min(3, text.match(/!/g)?.length ?? 0)
  return sum === 0 ? 0 : sum + Math.sign(sum) * 0.3 * marks
}

function applyContext(words: readonly string[], index: number, strength: number): number {
  const degree = DEGREES.get(words[index - 1] ?? '') ?? 1
  const near = words.slice(Math.max(0, index - NEGATION_REACH), index)
  const before = near.slice(Math.max(near.lastIndexOf(','), near.lastIndexOf(';')) + 1)
  if (isUnmet(words[index]!, before)) return strength * NEGATED
  const isNegated =
    before.some((word, at) => NEGATIONS.has(word) && !isPraise(before, at)) && !isSuperlative(words, index)
  return isNegated ? strength * NEGATED * (degree > 1 ? 0.8 : 1) : strength * degree
}

/** "not only good" is no less good. */
function isPraise(words: readonly string[], at: number): boolean {
  return words[at] === 'not' && (words[at + 1] === 'only' || words[at + 1] === 'just')
}

/** "never had a better meal" and "cannot recommend it enough" are the highest praise. */
function isSuperlative(words: readonly string[], index: number): boolean {
  const { [index]: word = '' } = words
  return /^(?:better|happier|easier|nicer|worse)$/.test(word) || words.slice(index + 1, index + 4).includes('enough')
}

/** "could be better" is no praise, but "could not be better" is. */
function isUnmet(word: string, before: readonly string[]): boolean {
  const isHoped =
    before.some(one => /^(?:could|should|would|might)$/.test(one)) && /^be(?:en)?$/.test(before.at(-1) ?? '')
  return isHoped && /^(?:better|happier|easier|nicer)$/.test(word) && !before.some(one => NEGATIONS.has(one))
}

const ENDINGS: [RegExp, string][] = [
  [/ies$/, 'y'],
  [/ied$/, 'y'],
  [/ily$/, 'y'],
  [/iest$/, 'y'],
  [/ier$/, 'y'],
  [/(.)\1(?:ed|ing|er|est)$/, '$1'],
  [/(?:ing|ed|es|er|est|s|ly|d|'s)$/, ''],
  [/(?:ing|ed|ings)$/, 'e'],
  [/ingly$/, 'ing'],
]

function findStrength(word: string): number {
  const known = STRENGTHS.get(word)
  if (known !== undefined) return known
  if (word.length < 5) return 0
  for (const [ending, instead] of ENDINGS) {
    const strength = ending.test(word) ? STRENGTHS.get(word.replace(ending, instead)) : undefined
    if (strength !== undefined) return strength
  }
  return 0
}
