import { computeReadability, type Readability } from './readability.ts'

interface Counts {
  bytes: number
  codePoints: number
  graphemes: number
  words: number
  sentences: number
  lines: number
  paragraphs: number
  readingTimeSec: number
  speakingTimeSec: number
  topWords: { word: string; count: number }[]
  readability: Readability | null
}

const SPOKEN_WORDS_PER_MINUTE = 150
const TOP_WORDS = 10

interface Reader {
  locale: string | undefined
  wordsPerMinute: number
  /** What the text is guessed to be written in; null if nothing tells. */
  language: string | null
}

export function countText(text: string, { locale, wordsPerMinute, language }: Reader): Counts {
  const words = splitIntoWords(text, locale)
  const sentences = countSentences(text, locale)
  const isEnglish = (locale === 'en' || locale?.startsWith('en-')) && (language ?? 'en') === 'en'
  return {
    bytes: Buffer.byteLength(text),
    codePoints: countCodePoints(text),
    graphemes: countGraphemes(text, locale),
    words: words.length,
    sentences,
    lines: countLines(text),
    paragraphs: countParagraphs(text),
    readingTimeSec: Math.ceil((words.length * 60) / wordsPerMinute),
    speakingTimeSec: Math.ceil((words.length * 60) / SPOKEN_WORDS_PER_MINUTE),
    topWords: findTopWords(words, locale),
    readability: isEnglish ? computeReadability(words, sentences) : null,
  }
}

function countCodePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

/** In ASCII every character is a grapheme, except that CR LF is one. */
function countGraphemes(text: string, locale: string | undefined): number {
  if (/^[\0-\x7f]*$/.test(text)) return text.length - (text.match(/\r\n/g)?.length ?? 0)
  return count(new Intl.Segmenter(locale, { granularity: 'grapheme' }).segment(text))
}

function splitIntoWords(text: string, locale: string | undefined): string[] {
  const words: string[] = []
  for (const { segment, isWordLike } of new Intl.Segmenter(locale, { granularity: 'word' }).segment(text)) {
    if (isWordLike) words.push(segment)
  }
  return words
}

function countSentences(text: string, locale: string | undefined): number {
  let sentences = 0
  for (const { segment } of new Intl.Segmenter(locale, { granularity: 'sentence' }).segment(text)) {
    if (/[\p{L}\p{N}]/u.test(segment)) sentences++
  }
  return sentences
}

function countLines(text: string): number {
  const ends = text.match(/\r\n|\r|\n/g)?.length ?? 0
  return text === '' || /[\r\n]$/.test(text) ? ends : ends + 1
}

function countParagraphs(text: string): number {
  let paragraphs = 0
  let isInside = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    const isBlank = line.trim() === ''
    if (!isBlank && !isInside) paragraphs++
    isInside = !isBlank
  }
  return paragraphs
}

function findTopWords(words: readonly string[], locale: string | undefined): Counts['topWords'] {
  const counts = new Map<string, number>()
  for (const word of words) {
    const key = word.toLocaleLowerCase(locale)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  return sorted.slice(0, TOP_WORDS).map(([word, times]) => ({ word, count: times }))
}

function count(items: Iterable<unknown>): number {
  let total = 0
  for (const _ of items) total++
  return total
}

/** On average four ASCII characters are a token, 1.4 characters of East Asian scripts, and 2.5 of others. */
export function estimateTokens(text: string): number {
  const dense = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/gu)?.length ?? 0
  const ascii = text.match(/[\0-\x7f]/g)?.length ?? 0
  const other = countCodePoints(text) - dense - ascii
  return Math.ceil(ascii / 4 + dense / 1.4 + other / 2.5)
}
