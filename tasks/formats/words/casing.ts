import { Problem } from '#kit'
import { findWordSpans, type Span, splitWords } from './split.ts'

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
type Case = (typeof CASES)[number]

interface CaseOptions {
  /** Undefined if no language-specific rules apply. */
  locale: string | undefined
  keepAcronyms: boolean
  sharpS: 'SS' | 'ẞ'
}

/** Reads a language tag; undefined for `und`. */
export function parseLocale(tag: string): string | undefined {
  if (tag === 'und' || tag === '') return undefined
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    throw new Problem('INVALID_PARAM', { field: 'locale', allowed: 'a BCP 47 language tag' })
  }
}

export function convertCase(text: string, to: Case, options: CaseOptions): string {
  return CONVERTERS[to](text, options)
}

const CONVERTERS: Record<Case, (text: string, options: CaseOptions) => string> = {
  lower,
  upper,
  title,
  sentence,
  swap: (text, options) => swapCase(text, options),
  camel: (text, options) =>
    joinIdentifier(
      splitWords(text).map((word, index) =>
        index === 0 ? lowerWord(word, options, false) : capitalize(word, options),
      ),
    ),
  pascal: (text, options) => joinIdentifier(splitWords(text).map(word => capitalize(word, options))),
  snake: (text, options) => lowerWords(text, options).join('_'),
  kebab: (text, options) => lowerWords(text, options).join('-'),
  dot: (text, options) => lowerWords(text, options).join('.'),
  path: (text, options) => lowerWords(text, options).join('/'),
  constant: (text, options) =>
    splitWords(text)
      .map(word => upper(word, options))
      .join('_'),
  train: (text, options) =>
    splitWords(text)
      .map(word => capitalize(word, options))
      .join('-'),
}

function languageOf(locale: string | undefined): string | undefined {
  return locale?.split('-')[0]
}

function lower(text: string, { locale }: CaseOptions): string {
  return locale ? text.toLocaleLowerCase(locale) : text.toLowerCase()
}

function upper(text: string, { locale, sharpS }: CaseOptions): string {
  const ready = sharpS === 'ẞ' ? text.replaceAll('ß', 'ẞ') : text
  return locale ? ready.toLocaleUpperCase(locale) : ready.toUpperCase()
}

function swapCase(text: string, options: CaseOptions): string {
  let swap = ''
  for (const character of text) {
    const low = lower(character, options)
    swap += low === character ? upper(character, options) : low
  }
  return swap
}

function lowerWords(text: string, options: CaseOptions): string[] {
  return splitWords(text).map(word => lowerWord(word, options))
}

function lowerWord(word: string, options: CaseOptions, keepAcronyms = options.keepAcronyms): string {
  return keepAcronyms && isAcronym(word) ? word : lower(word, options)
}

/** Two or more letters, all of them capitals. */
function isAcronym(word: string): boolean {
  return word === word.toUpperCase() && word.replace(/[^\p{L}]/gu, '').length > 1 && word !== word.toLowerCase()
}

/** Joins words, with an underscore between two digits that would otherwise read as one number. */
function joinIdentifier(words: string[]): string {
  const endsInNumber = (word: string | undefined) => word !== undefined && /^\p{N}$/u.test(word.at(-1)!)
  return words
    .map((word, index) => (/^\p{N}/u.test(word) && endsInNumber(words[index - 1]) ? `_${word}` : word))
    .join('')
}

/** Digraph letters have a separate form for the start of a word. */
const TITLE_CASE_DIGRAPHS: Record<string, string> = Object.fromEntries(
  ['Ǆǅǆ', 'Ǉǈǉ', 'Ǌǋǌ', 'Ǳǲǳ'].flatMap(([large, middle, small]) =>
    [large, middle, small].map(letter => [letter, middle]),
  ),
)

function capitalize(word: string, options: CaseOptions): string {
  if (options.keepAcronyms && isAcronym(word)) return word
  const first = String.fromCodePoint(word.codePointAt(0)!)
  const low = lower(word, options)
  if (languageOf(options.locale) === 'nl' && low.startsWith('ij')) return `IJ${low.slice(2)}`
  return capitalizeLetter(first, options) + low.slice(lower(first, options).length)
}

function capitalizeLetter(letter: string, options: CaseOptions): string {
  const [head = '', ...tail] = upper(letter, options)
  return TITLE_CASE_DIGRAPHS[letter] ?? head + tail.map(character => lower(character, options)).join('')
}

/** Articles, conjunctions and short prepositions, which stay lower case in titles. */
const SMALL_WORDS: Record<string, ReadonlySet<string>> = Object.fromEntries(
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
const NO_WORDS: ReadonlySet<string> = new Set()

function title(text: string, options: CaseOptions): string {
  const small = SMALL_WORDS[languageOf(options.locale) ?? 'en'] ?? NO_WORDS
  return rewriteWords(text, (word, before, after) => {
    if (hasInnerCapital(word)) return word
    if (before === '(' && word.length <= 2) return lowerWord(word, options)
    const isEdge = endsPhrase(before) || endsPhrase(after)
    return !isEdge && small.has(lower(word, options)) ? lowerWord(word, options) : capitalize(word, options)
  })
}

/** Names such as iPhone and McDonald are written as their owners write them. */
function hasInnerCapital(word: string): boolean {
  return /\p{Ll}\p{Lu}/u.test(word)
}

function sentence(text: string, options: CaseOptions): string {
  const isEnglish = (languageOf(options.locale) ?? 'en') === 'en'
  return rewriteWords(text, (word, before) => {
    const isPronoun = isEnglish && /^I(['’]|$)/.test(word)
    if (isPronoun) return `I${lower(word.slice(1), options)}`
    return endsSentence(before) ? capitalize(word, options) : lowerWord(word, options)
  })
}

type Rewrite = (word: string, before: string | undefined, after: string | undefined) => string

/** Rewrites each word. `rewrite` also gets the text between it and its neighbours; undefined at the ends of the text. */
function rewriteWords(text: string, rewrite: Rewrite): string {
  const addresses = findAddresses(text)
  const spans = findWordSpans(text)
  let address = 0
  let result = ''
  let end = 0
  for (const [index, span] of spans.entries()) {
    const before = index === 0 ? undefined : text.slice(end, span.start)
    const after = readGapAfter(text, span, spans[index + 1])
    const word = text.slice(span.start, span.end)
    while (address < addresses.length && addresses[address]!.end <= span.start) address++
    const isAddress = address < addresses.length && addresses[address]!.start <= span.start
    result += text.slice(end, span.start) + (isAddress ? word : rewrite(word, before, after))
    end = span.end
  }
  return result + text.slice(end)
}

/** A host with or without a path, or a file: `example.com`, `notes.txt`. */
const HOST_OR_FILE = /^\W?[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*\.[a-z]{2,}(\/\S*)?\W*$/u

/** A regular expression needs room on its stack for each character of a run, so longer ones are not matched by one. */
const MAX_HOST_CHARS = 2_048

/** E-mail addresses, URLs, hosts and files, of which a change of case would make others. */
function findAddresses(text: string): Span[] {
  const spans: Span[] = []
  const space = /\s/g
  for (let start = 0; start < text.length; start = space.lastIndex) {
    space.lastIndex = start
    const end = space.exec(text)?.index ?? text.length
    space.lastIndex = end + 1
    if (end > start && looksLikeAddress(text.slice(start, end))) spans.push({ start, end })
  }
  return spans
}

function looksLikeAddress(token: string): boolean {
  const at = token.indexOf('@')
  if (at > 0 && token.indexOf('.', at) > at + 1) return true
  if (token.includes('://') || /^\W?www\./i.test(token)) return true
  return token.length <= MAX_HOST_CHARS && HOST_OR_FILE.test(token)
}

function readGapAfter(text: string, span: Span, next: Span | undefined): string | undefined {
  return next && text.slice(span.end, next.start)
}

function endsSentence(gap: string | undefined): boolean {
  if (gap === undefined || /[。！？]/.test(gap)) return true
  return (/[.!?…]/.test(gap) && /\s/.test(gap)) || /\n\s*\n/.test(gap.replaceAll('\r', ''))
}

function endsPhrase(gap: string | undefined): boolean {
  return endsSentence(gap) || gap!.includes('\n') || (gap!.includes(':') && /\s/.test(gap!))
}
