import { LISTED_LANGUAGES, stopWordsOf } from './stop-words.ts'
import { listWords } from './words.ts'

/** Scripts that a single language of ours, or none, is written in. */
const SCRIPTS: [RegExp, string][] = [
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/gu, 'ja'],
  [/\p{sc=Hangul}/gu, 'ko'],
  [/\p{sc=Han}/gu, 'zh'],
  [/\p{sc=Arabic}/gu, 'ar'],
  [/\p{sc=Hebrew}/gu, 'he'],
  [/\p{sc=Greek}/gu, 'el'],
  [/\p{sc=Thai}/gu, 'th'],
  [/\p{sc=Devanagari}/gu, 'hi'],
]
const SAMPLE_CHARS = 4_000
const LEAST_SHARE = 0.12
const LEAST_WORDS = 2

/** Letters that, of the languages whose small words are known, one alone has. */
const LETTERS: Record<string, RegExp> = { de: /ß/, es: /ñ/, pl: /[łśźż]/, tr: /[ğı]/ }
/** Languages that share such letters with one of those. */
const OTHERS = /[əůŭ]/i

/** The language of a text by its script, its small words or its letters; undefined if they do not tell, as in a text of few words. */
export function guessLanguage(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE_CHARS)
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  if (letters === 0) return undefined
  const script = SCRIPTS.find(([pattern]) => (sample.match(pattern)?.length ?? 0) > letters * 0.2)
  if (script) return script[1]
  const words = listWords(sample)
  const [best, next] = addLetters(countSmallWords(words), words)
  const isClear = best!.count >= LEAST_WORDS && best!.count >= words.length * LEAST_SHARE && best!.count > next!.count
  return isClear ? best!.language : undefined
}

function countSmallWords(words: readonly { text: string }[]) {
  return LISTED_LANGUAGES.map(language => {
    const known = stopWordsOf(language)
    return { language, count: words.filter(({ text: word }) => known.has(word)).length }
  }).sort((one, other) => other.count - one.count)
}

/** A word with letters of one language tells it as a small word does. */
function addLetters(counted: ReturnType<typeof countSmallWords>, words: readonly { text: string }[]) {
  if (words.some(({ text: word }) => OTHERS.test(word))) return counted
  const withLetters = counted.map(({ language, count }) => {
    const known = stopWordsOf(language)
    const own = words.filter(({ text: word }) => !known.has(word) && LETTERS[language]?.test(word))
    return { language, count: count + own.length }
  })
  return withLetters.sort((one, other) => other.count - one.count)
}

/** In fewer words any of them may be the point, as in the name of a film. */
const LEAST_WORDS_BESIDE = 4
const NONE: ReadonlySet<string> = new Set()

/** The small words of a text that does not tell its language: those of the languages that have most of its words. */
export function guessSmallWords(text: string): ReadonlySet<string> {
  const words = listWords(text.slice(0, SAMPLE_CHARS))
  const counted = countSmallWords(words)
  const { count: most } = counted[0]!
  if (most === 0 || words.length < LEAST_WORDS_BESIDE) return NONE
  const likely = counted.filter(({ count }) => count === most)
  return new Set(likely.flatMap(({ language }) => [...stopWordsOf(language)]))
}
