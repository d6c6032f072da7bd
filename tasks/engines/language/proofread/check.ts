import { AGREEMENT } from './agreement.ts'
import type { Edit } from './edit.ts'
import { maskProtected } from './mask.ts'
import { MISSPELLINGS } from './misspellings.ts'
import { CONFUSIONS, type PhraseRule, WORDINESS } from './phrases.ts'
import { findSpacing } from './spacing.ts'

export const PROOFREADING_LEVELS = ['spelling', 'grammar', 'style'] as const

type ProofreadingLevel = (typeof PROOFREADING_LEVELS)[number]

interface CheckOptions {
  language: string | undefined
  level: ProofreadingLevel
  /** Words that are right. */
  ignore: readonly string[]
  /** What a dictionary says. */
  unknown?: readonly Edit[]
}

/** What is wrong with a text by rules that are hardly ever wrong themselves. Code, addresses and names are left alone. */
export function findFaults(text: string, { language, level, ignore, unknown = [] }: CheckOptions): Edit[] {
  const masked = maskProtected(text)
  const isEnglish = language === 'en'
  const rank = PROOFREADING_LEVELS.indexOf(level)
  const found = [
    ...(isEnglish ? findMisspellings(masked) : []),
    ...(rank >= 1 ? findRepeatedWords(masked) : []),
    ...(rank >= 1 && isEnglish
      ? [...findByPhrases(masked, [...CONFUSIONS, ...AGREEMENT]), ...findArticles(masked), ...findSmallLetters(masked)]
      : []),
    ...(rank >= 1 ? findSpacing(masked, language) : []),
    ...(rank >= 2 && isEnglish ? findByPhrases(masked, WORDINESS) : []),
  ]
  const ignored = new Set(ignore.map(word => word.toLowerCase()))
  const own = found.filter(({ replacement }) => replacement !== null)
  const more = unknown.filter(({ start, end }) => own.every(edit => edit.end <= start || edit.start >= end))
  return dropOverlaps(
    [...found, ...more]
      .map(edit => ({ ...edit, original: text.slice(edit.start, edit.end) }))
      .filter(({ original }) => !ignored.has(original.toLowerCase())),
  )
}

/** The text with its faults mended. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let [applied, at] = ['', 0]
  for (const { start, end, replacement } of edits) {
    if (replacement === null) continue
    applied += text.slice(at, start) + replacement
    at = end
  }
  return applied + text.slice(at)
}

/** Of edits that touch each other the first is kept. */
export function dropOverlaps(edits: Edit[]): Edit[] {
  const sorted = edits.sort((one, other) => one.start - other.start || other.end - one.end)
  let last = -1
  return sorted.filter(({ start, end, replacement }) => {
    if (replacement === null) return true
    if (start < last) return false
    last = end
    return true
  })
}

const WORD = /(?<![\p{L}\p{N}'’-])\p{L}+(?:['’]\p{L}+)?(?![\p{L}\p{N}'’])/gu
const PHRASES = [...MISSPELLINGS].filter(([wrong]) => wrong.includes(' '))

function findMisspellings(text: string): Edit[] {
  const words = [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const right = MISSPELLINGS.get(word.toLowerCase())
    return right === undefined || isName(word)
      ? []
      : [describe(word, index, matchCase(word, right), 'spelling', `“${right}” is meant.`)]
  })
  const phrases = PHRASES.flatMap(([wrong, right]) =>
    [...text.matchAll(new RegExp(`\\b${wrong}\\b`, 'gi'))].map(({ 0: found, index }) =>
      describe(found, index, matchCase(found, right), 'spelling', `“${right}” is meant.`),
    ),
  )
  return [...words, ...phrases]
}

/** In capitals it may be an abbreviation. */
function isName(word: string): boolean {
  return word.length > 1 && word === word.toUpperCase()
}

function describe(original: string, start: number, replacement: string | null, rule: string, message: string): Edit {
  return { start, end: start + original.length, original, replacement, rule, message }
}

function matchCase(original: string, replacement: string): string {
  return /^\p{Lu}/u.test(original) ? replacement[0]!.toUpperCase() + replacement.slice(1) : replacement
}

function findByPhrases(text: string, rules: readonly PhraseRule[]): Edit[] {
  return rules.flatMap(({ pattern, replacement, rule, message }) =>
    [...text.matchAll(pattern)].map(match => {
      const filled = replacement.replaceAll(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? '')
      return describe(match[0], match.index, matchCase(match[0], filled), rule, message)
    }),
  )
}

/** Words that may follow themselves. */
const DOUBLED = new Set(
  'that had her is was so very really no yes ha bye bora pago chop knock ha blah tut hear please sie die der das nous vous'.split(
    ' ',
  ),
)
const REPEATED = /(?<![\p{L}\p{N}'’-])(\p{L}+)[ \t]*(?:[ \t]|\n)[ \t]*\1(?![\p{L}\p{N}'’-])/giu

function findRepeatedWords(text: string): Edit[] {
  return [...text.matchAll(REPEATED)].flatMap(({ 0: found, 1: word, index }) => {
    const isName = /^\p{Lu}/u.test(found) && /\p{Lu}\p{L}*$/u.test(found)
    if (DOUBLED.has(word!.toLowerCase()) || isName || (/^[a-z]$/i.test(word!) && !/^[aIi]$/.test(word!))) return []
    return [describe(found, index, word!, 'repeated-word', `“${word}” stands twice.`)]
  })
}

const ARTICLE = /(?<![\p{L}\p{N}'’.-])(an?) (["“‘'(]?)(\p{L}[\p{L}\d'’-]*)/giu
const VOWEL_SOUND =
  /^(?:hours?|hourly|honest|honor|honour|heir|mba|x-ray|sms|mri|fbi|html|http|xml|rss|ngo|mp3|lcd|nda|svg|ssh|ssl|ssd|hr\b|8|11|18)/i
/** Said with or without its first sound. */
const EITHER_SOUND = /^(?:herb|histor|hotel)/i
const CONSONANT_SOUND =
  /^(?:uni(?!m|n|d|gn)|use|usa|usu|ut[aeio]|ufo|uk\b|us\b|url|usb|ubiq|eu|ewe|one\b|once|one-|ouija|u-)/i

function findArticles(text: string): Edit[] {
  return [...text.matchAll(ARTICLE)].flatMap(({ 1: article, 2: mark, 3: word, index }) => {
    const needsAn = takesAn(word!)
    if (needsAn === undefined || needsAn === (article!.length === 2)) return []
    if (isLetter(text, article!, index, word!)) return []
    const right = matchCase(article!, needsAn ? 'an' : 'a')
    return [describe(article!, index, right, 'article', `“${right.toLowerCase()}” belongs before “${mark}${word}”.`)]
  })
}

/** Words that never follow an article: before them, and after another word, the letter is a name, as of a vitamin. */
const AFTER_NAMES =
  /^(?:is|are|was|were|has|had|and|or|in|of|on|at|as|if|it|infection|above|after|also|any|all|into|only|until)$/i

function isLetter(text: string, article: string, index: number, word: string): boolean {
  if (article.length > 1) return false
  if (article === 'A' && (/^\p{Lu}/u.test(word) || /\p{L}[ \t]$/u.test(text.slice(0, index)))) return true
  return AFTER_NAMES.test(word)
}

/** Undefined for letters that are spelt out, which may begin either way. */
function takesAn(word: string): boolean | undefined {
  if (EITHER_SOUND.test(word)) return undefined
  if (VOWEL_SOUND.test(word)) return true
  if (CONSONANT_SOUND.test(word)) return false
  if (/^\p{Lu}{2,}/u.test(word) || word.length === 1) return undefined
  if (/^[^a-z]/i.test(word)) return undefined
  return /^[aeiou]/i.test(word)
}

const AFTER_END = /[.!?]["'”’)]*[ \t]+(\p{Ll}\p{L}*)(?=[\s,])/gu
const LONE_I = /(?<!\bfor[ \t])(?<![\p{L}\p{N}.'’/-])i(?=[ \t]|['’](?:m|ll|ve|d)\b)(?![ \t]*[.)=<>+*])/gu
const SHORT_FORMS =
  /(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|al|no|inc|ltd|co|dr|mr|mrs|ms|st|a\.m|p\.m|u\.s|fig|eq|sec|ca|min|max|dept|est|[a-z])\.|\.{2,}|…)["'”’)]*[ \t]+$/i

function findSmallLetters(text: string): Edit[] {
  const starts = [...text.matchAll(AFTER_END)].flatMap(({ 0: found, 1: word, index }) => {
    const at = index + found.length - word!.length
    const before = text.slice(Math.max(0, at - 16), at)
    if (SHORT_FORMS.test(before) || /[!?]["'”’][ \t]+$/.test(before)) return []
    return [
      describe(
        word!,
        at,
        word![0]!.toUpperCase() + word!.slice(1),
        'capital',
        'A sentence begins with a capital letter.',
      ),
    ]
  })
  const alone = [...text.matchAll(LONE_I)].map(({ index }) =>
    describe('i', index, 'I', 'capital', '“I” is a capital letter.'),
  )
  return [...starts, ...alone]
}
