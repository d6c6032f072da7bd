import { Problem } from '#kit'
import { type Span, spansOf, wordsOf } from './words-shape.ts'

export const CASES = [
  'lower',
  'upper',
  'title',
  'sentence',
  'camel',
  'pascal',
  'snake',
  'kebab',
  'constant',
  'dot',
  'path',
  'train',
  'swap',
] as const
export type Case = (typeof CASES)[number]

export interface Manner {
  /** Undefined where no language's own rules apply. */
  locale: string | undefined
  keepAcronyms: boolean
  sharpS: 'SS' | 'ẞ'
}

/** Checks the tag by having it used. */
export function localeOf(tag: string): string | undefined {
  if (tag === 'und' || tag === '') return undefined
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    throw new Problem('INVALID_PARAM', { field: 'locale', allowed: 'a BCP 47 language tag' })
  }
}

export function convert(text: string, to: Case, manner: Manner): string {
  return WRITERS[to](text, manner)
}

const WRITERS: Record<Case, (text: string, manner: Manner) => string> = {
  lower,
  upper,
  title,
  sentence,
  swap: (text, manner) => swapped(text, manner),
  camel: (text, manner) =>
    joined(wordsOf(text).map((word, index) => (index === 0 ? lowered(word, manner, false) : capital(word, manner)))),
  pascal: (text, manner) => joined(wordsOf(text).map(word => capital(word, manner))),
  snake: (text, manner) => lowerWords(text, manner).join('_'),
  kebab: (text, manner) => lowerWords(text, manner).join('-'),
  dot: (text, manner) => lowerWords(text, manner).join('.'),
  path: (text, manner) => lowerWords(text, manner).join('/'),
  constant: (text, manner) =>
    wordsOf(text)
      .map(word => upper(word, manner))
      .join('_'),
  train: (text, manner) =>
    wordsOf(text)
      .map(word => capital(word, manner))
      .join('-'),
}

function languageOf(locale: string | undefined): string | undefined {
  return locale?.split('-')[0]
}

function lower(text: string, { locale }: Manner): string {
  return locale ? text.toLocaleLowerCase(locale) : text.toLowerCase()
}

function upper(text: string, { locale, sharpS }: Manner): string {
  const ready = sharpS === 'ẞ' ? text.replaceAll('ß', 'ẞ') : text
  return locale ? ready.toLocaleUpperCase(locale) : ready.toUpperCase()
}

function swapped(text: string, manner: Manner): string {
  let swap = ''
  for (const character of text) {
    const low = lower(character, manner)
    swap += low === character ? upper(character, manner) : low
  }
  return swap
}

function lowerWords(text: string, manner: Manner): string[] {
  return wordsOf(text).map(word => lowered(word, manner))
}

function lowered(word: string, manner: Manner, keepAcronyms = manner.keepAcronyms): string {
  return keepAcronyms && isAcronym(word) ? word : lower(word, manner)
}

/** Two or more letters, all of them capitals. */
function isAcronym(word: string): boolean {
  return word === word.toUpperCase() && word.replace(/[^\p{L}]/gu, '').length > 1 && word !== word.toLowerCase()
}

/** Two numbers side by side would read as one. */
function joined(words: string[]): string {
  const endsInNumber = (word: string | undefined) => word !== undefined && /^\p{N}$/u.test(word.at(-1)!)
  return words
    .map((word, index) => (/^\p{N}/u.test(word) && endsInNumber(words[index - 1]) ? `_${word}` : word))
    .join('')
}

/** Letters that are two in one have a capital of their own for the start of a word. */
const TITLE_LETTERS: Record<string, string> = Object.fromEntries(
  ['Ǆǅǆ', 'Ǉǈǉ', 'Ǌǋǌ', 'Ǳǲǳ'].flatMap(([large, middle, small]) =>
    [large, middle, small].map(letter => [letter, middle]),
  ),
)

function capital(word: string, manner: Manner): string {
  if (manner.keepAcronyms && isAcronym(word)) return word
  const first = String.fromCodePoint(word.codePointAt(0)!)
  const low = lower(word, manner)
  if (languageOf(manner.locale) === 'nl' && low.startsWith('ij')) return `IJ${low.slice(2)}`
  return capitalLetter(first, manner) + low.slice(lower(first, manner).length)
}

function capitalLetter(letter: string, manner: Manner): string {
  const [head = '', ...tail] = upper(letter, manner)
  return TITLE_LETTERS[letter] ?? head + tail.map(character => lower(character, manner)).join('')
}

/** Articles, conjunctions and short prepositions, which titles leave small. */
const SMALL: Record<string, ReadonlySet<string>> = Object.fromEntries(
  Object.entries({
    en: 'a an and as at but by en for from if in into nor of off on onto or per so the to up v via vs with yet',
    de: 'am an auf aus bei das dem den der des die ein eine einem einen einer eines für im in mit nach oder um und vom von zu zum zur',
    es: 'a al con de del e el en la las los o para por u un una y',
    fr: 'à au aux d de des du en et l la le les ou par pour sur un une',
    it: 'a al con da dei del della di e gli i il in la le lo o per su un una',
    nl: 'aan de een en het in met of op te van voor',
    pt: 'a as ao com da das de do dos e em na no o os ou para por um uma',
  }).map(([language, words]) => [language, new Set(words.split(' '))]),
)
const NONE: ReadonlySet<string> = new Set()

function title(text: string, manner: Manner): string {
  const small = SMALL[languageOf(manner.locale) ?? 'en'] ?? NONE
  return eachWord(text, (word, before, after) => {
    const isEdge = endsPhrase(before) || endsPhrase(after)
    return !isEdge && small.has(lower(word, manner)) ? lowered(word, manner) : capital(word, manner)
  })
}

function sentence(text: string, manner: Manner): string {
  const isEnglish = (languageOf(manner.locale) ?? 'en') === 'en'
  return eachWord(text, (word, before) => {
    const isPronoun = isEnglish && /^I(['’]|$)/.test(word)
    if (isPronoun) return `I${lower(word.slice(1), manner)}`
    return endsSentence(before) ? capital(word, manner) : lowered(word, manner)
  })
}

type Rewrite = (word: string, before: string | undefined, after: string | undefined) => string

/** Rewrites each word, with what stands between it and its neighbours; undefined at the ends of the text. */
function eachWord(text: string, rewrite: Rewrite): string {
  const spans = spansOf(text)
  let result = ''
  let end = 0
  for (const [index, span] of spans.entries()) {
    const before = index === 0 ? undefined : text.slice(end, span.start)
    const after = gapAfter(text, span, spans[index + 1])
    result += text.slice(end, span.start) + rewrite(text.slice(span.start, span.end), before, after)
    end = span.end
  }
  return result + text.slice(end)
}

function gapAfter(text: string, span: Span, next: Span | undefined): string | undefined {
  return next && text.slice(span.end, next.start)
}

function endsSentence(gap: string | undefined): boolean {
  if (gap === undefined || /[。！？]/.test(gap)) return true
  return (/[.!?…]/.test(gap) && /\s/.test(gap)) || /\n\s*\n/.test(gap.replaceAll('\r', ''))
}

function endsPhrase(gap: string | undefined): boolean {
  return endsSentence(gap) || gap!.includes('\n') || (gap!.includes(':') && /\s/.test(gap!))
}
