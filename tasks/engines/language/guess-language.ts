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

/** The language of a text by its script or its small words; undefined if they do not tell, as in a text of few words. */
export function guessLanguage(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE_CHARS)
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  if (letters === 0) return undefined
  const script = SCRIPTS.find(([pattern]) => (sample.match(pattern)?.length ?? 0) > letters * 0.2)
  if (script) return script[1]
  const words = listWords(sample)
  const counted = countSmallWords(words)
  const [best, next] = counted
  const isClear = best!.count >= LEAST_WORDS && best!.count >= words.length * LEAST_SHARE && best!.count > next!.count
  return isClear ? best!.language : undefined
}

function countSmallWords(words: readonly { text: string }[]) {
  return LISTED_LANGUAGES.map(language => {
    const known = stopWordsOf(language)
    return { language, count: words.filter(({ text: word }) => known.has(word)).length }
  }).sort((one, other) => other.count - one.count)
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
