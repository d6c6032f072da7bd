import { Problem } from '#kit'
import { spansOf } from './words-shape.ts'

export interface SlugManner {
  separator: string
  lower: boolean
  maxLength: number
  locale: string | undefined
}

/** Letters that a language writes out in its own way, against the plain way of everybody else. */
const LETTERS: Record<string, Record<string, string>> = {
  de: { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ß: 'ss', ẞ: 'SS' },
  da: { æ: 'ae', ø: 'oe', å: 'aa', Æ: 'Ae', Ø: 'Oe', Å: 'Aa' },
  nb: { æ: 'ae', ø: 'oe', å: 'aa', Æ: 'Ae', Ø: 'Oe', Å: 'Aa' },
  tr: { ı: 'i', İ: 'I', ğ: 'g', Ğ: 'G', ş: 's', Ş: 'S', ç: 'c', Ç: 'C', ö: 'o', Ö: 'O', ü: 'u', Ü: 'U' },
}
LETTERS.nn = LETTERS.no = LETTERS.nb!
LETTERS.az = { ...LETTERS.tr, ə: 'e', Ə: 'E' }

const AND: Record<string, string> = {
  en: 'and',
  de: 'und',
  es: 'y',
  fr: 'et',
  it: 'e',
  nl: 'en',
  pt: 'e',
  da: 'og',
  nb: 'og',
  sv: 'och',
  tr: 've',
}

/** The text as its language would have it written out, before any transliteration. */
export function writeOut(text: string, locale: string | undefined): string {
  const language = locale?.split('-')[0] ?? ''
  const letters = LETTERS[language]
  const and = AND[language] ?? AND.en!
  const composed = text.normalize('NFC').replaceAll('&', ` ${and} `)
  return letters ? composed.replace(/\P{ASCII}/gu, letter => letters[letter] ?? letter) : composed
}

/** Letters and digits with one separator between their runs, no longer than allowed. */
export function slugOf(text: string, { separator, lower, maxLength }: SlugManner): string {
  const cased = lower ? text.toLowerCase().normalize('NFC') : text
  const words = spansOf(cased).map(({ start, end }) => cased.slice(start, end).replace(/['’ʼ]/g, ''))
  const spoken = words.filter(word => /[\p{L}\p{N}]/u.test(word))
  return cutAtWord(spoken, separator, maxLength)
}

/** As many whole words as fit; of a first word too long, what fits. */
function cutAtWord(words: string[], separator: string, maxLength: number): string {
  let slug = ''
  for (const word of words) {
    const longer = slug === '' ? word : slug + separator + word
    if (longer.length > maxLength) return slug === '' ? cutLetters(word, maxLength) : slug
    slug = longer
  }
  return slug
}

/** Never between the halves of a character, nor between a letter and its marks. */
function cutLetters(word: string, maxLength: number): string {
  let end = maxLength
  while (end > 0 && /^[\p{M}\udc00-\udfff]/u.test(word.slice(end, end + 2))) end--
  return word.slice(0, end)
}

function withoutEnd(slug: string, separator: string): string {
  return separator !== '' && slug.endsWith(separator) ? slug.slice(0, -separator.length) : slug
}

/** Gives each slug once: the second of a name gets -2, and so on. */
export class TakenSlugs {
  readonly #taken: Set<string>
  readonly #manner: SlugManner
  readonly #next = new Map<string, number>()

  constructor(taken: readonly string[], manner: SlugManner) {
    this.#manner = manner
    this.#taken = new Set(taken.map(slug => this.#key(slug)))
  }

  take(slug: string): string {
    let free = slug
    while (this.#taken.has(this.#key(free))) free = this.#numbered(slug)
    this.#taken.add(this.#key(free))
    return free
  }

  /** The number has its place within the length; where only the number fits, it stands alone. */
  #numbered(slug: string): string {
    const { separator, maxLength } = this.#manner
    const number = this.#next.get(slug) ?? 2
    this.#next.set(slug, number + 1)
    const ending = `${separator}${number}`
    const start = withoutEnd(cutLetters(slug, Math.max(0, maxLength - ending.length)), separator)
    const numbered = start === '' ? String(number) : start + ending
    if (numbered.length > maxLength) throw new Problem('SLUG_EMPTY', { slug, maxLength, taken: true })
    return numbered
  }

  #key(slug: string): string {
    return this.#manner.lower ? slug.toLowerCase() : slug
  }
}
