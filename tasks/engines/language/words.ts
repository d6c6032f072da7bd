/** A word of a text with its place, in UTF-16 code units. */
export interface Word {
  /** In lower case. */
  text: string
  start: number
  end: number
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’_-][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

let segmenter: Intl.Segmenter | undefined

/** The words of a part of a text, in order. */
export function listWords(text: string, offset = 0): Word[] {
  const words: Word[] = []
  const isSpaced = !UNSPACED.test(text)
  for (const { 0: found, index } of text.matchAll(WORD)) {
    if (!isSpaced && UNSPACED.test(found)) words.push(...segment(found, offset + index))
    else words.push({ text: found.toLowerCase(), start: offset + index, end: offset + index + found.length })
  }
  return words
}

function segment(text: string, offset: number): Word[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  return [...segmenter.segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment: word, index }) => ({
      text: word.toLowerCase(),
      start: offset + index,
      end: offset + index + word.length,
    }))
}

/** Gives the same stem for words that differ by a plural, a possessive or a case alone. Each word is looked at once. */
export function openStemmer(language?: string): (word: string) => string {
  const known = new Map<string, string>()
  const findOne = language === 'de' ? findGermanStem : findStem
  return word => {
    const stem = known.get(word) ?? findOne(word)
    known.set(word, stem)
    return stem
  }
}

function findGermanStem(word: string): string {
  const stem = word.replace(/(?:ern|e[mnrs]?|n|s)$/, '')
  return stem.length < 4 ? word : stem
}

function findStem(word: string): string {
  const plain = word.replace(/['’]s?$/, '')
  if (plain.length < 4 || !/s$/.test(plain) || /(ss|us|is)$/.test(plain)) return plain
  if (/ies$/.test(plain) && plain.length > 4) return `${plain.slice(0, -3)}y`
  if (/(sh|ch|x|z|ss)es$/.test(plain)) return plain.slice(0, -2)
  return plain.slice(0, -1)
}
