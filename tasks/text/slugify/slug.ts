import { Problem } from '#kit'
import { findWordSpans } from '../../formats/words/split.ts'

export interface SlugOptions {
  separator: string
  lower: boolean
  maxLength: number
  locale: string | undefined
}

/** Letters that a language transliterates in its own way. */
const SPELLINGS: Record<string, Record<string, string>> = {
  de: { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ß: 'ss', ẞ: 'SS' },
  da: { æ: 'ae', ø: 'oe', å: 'aa', Æ: 'Ae', Ø: 'Oe', Å: 'Aa' },
  nb: { æ: 'ae', ø: 'oe', å: 'aa', Æ: 'Ae', Ø: 'Oe', Å: 'Aa' },
  tr: { ı: 'i', İ: 'I', ğ: 'g', Ğ: 'G', ş: 's', Ş: 'S', ç: 'c', Ç: 'C', ö: 'o', Ö: 'O', ü: 'u', Ü: 'U' },
}
SPELLINGS.nn = SPELLINGS.no = SPELLINGS.nb!
SPELLINGS.az = { ...SPELLINGS.tr, ə: 'e', Ə: 'E' }

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

/** Applies the spellings of the language, before the general transliteration. */
export function spellOut(text: string, locale: string | undefined): string {
  const language = locale?.split('-')[0] ?? ''
  const letters = SPELLINGS[language]
  const and = AND[language] ?? AND.en!
  const composed = text.normalize('NFC').replaceAll('&', ` ${and} `)
  return letters ? composed.replace(/\P{ASCII}/gu, letter => letters[letter] ?? letter) : composed
}

/** Joins the words of a text by the separator, within the maximum length. */
export function createSlug(text: string, { separator, lower, maxLength }: SlugOptions): string {
  const cased = lower ? text.toLowerCase().normalize('NFC') : text
  const words = findWordSpans(cased).map(({ start, end }) => cased.slice(start, end).replace(/['’ʼ]/g, ''))
  const spoken = words.filter(word => /[\p{L}\p{N}]/u.test(word))
  return cutAtWord(spoken, separator, maxLength)
}

/** Joins as many whole words as fit; cuts the first word if it is too long. */
function cutAtWord(words: string[], separator: string, maxLength: number): string {
  let slug = ''
  for (const word of words) {
    const longer = slug === '' ? word : slug + separator + word
    if (longer.length > maxLength) return slug === '' ? cutAtCharacter(word, maxLength) : slug
    slug = longer
  }
  return slug
}

/** Never cuts between surrogates, or between a letter and its combining marks. */
function cutAtCharacter(word: string, maxLength: number): string {
  let end = maxLength
  while (end > 0 && /^[\p{M}\udc00-\udfff]/u.test(word.slice(end, end + 2))) end--
  return word.slice(0, end)
}

function trimSeparator(slug: string, separator: string): string {
  return separator !== '' && slug.endsWith(separator) ? slug.slice(0, -separator.length) : slug
}

/** Makes slugs unique: the second of a name gets -2, and so on. */
export class TakenSlugs {
  readonly #taken: Set<string>
  readonly #options: SlugOptions
  readonly #next = new Map<string, number>()

  constructor(taken: readonly string[], options: SlugOptions) {
    this.#options = options
    this.#taken = new Set(taken.map(slug => this.#key(slug)))
  }

  take(slug: string): string {
    let free = slug
    while (this.#taken.has(this.#key(free))) free = this.#numbered(slug)
    this.#taken.add(this.#key(free))
    return free
  }

  /** Adds a number within the maximum length; if only the number fits, the slug is the number. */
  #numbered(slug: string): string {
    const { separator, maxLength } = this.#options
    const number = this.#next.get(slug) ?? 2
    this.#next.set(slug, number + 1)
    const ending = `${separator}${number}`
    const start = trimSeparator(cutAtCharacter(slug, Math.max(0, maxLength - ending.length)), separator)
    const numbered = start === '' ? String(number) : start + ending
    if (numbered.length > maxLength) throw new Problem('SLUG_EMPTY', { slug, maxLength, taken: true })
    return numbered
  }

  #key(slug: string): string {
    return this.#options.lower ? slug.toLowerCase() : slug
  }
}
