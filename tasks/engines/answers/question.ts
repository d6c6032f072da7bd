import { guessLanguage } from '../language/guess-language.ts'
import { stopWordsOf } from '../language/stop-words.ts'
import { openStemmer } from '../language/words.ts'
import { listWords } from '../vectors/words.ts'

/** A question as texts are searched for it. */
export interface Question {
  text: string
  /** Its words that say what it is about, in their stems. */
  terms: ReadonlySet<string>
}

/** Words with which questions begin; they are of no list of words without meaning in every language. */
const ASKING = new Set(
  'who whom whose what which when where why how many much does did do is are was were can tell'.split(' '),
)

/** A question of nothing but common words is about all of them. */
export function readQuestion(text: string, language: string | undefined): Question {
  const known = language?.toLowerCase().split('-')[0] ?? guessLanguage(text) ?? 'en'
  const stopWords = stopWordsOf(known)
  const words = listWords(text)
  const telling = words.filter(word => !stopWords.has(word) && !ASKING.has(word))
  const stem = openStemmer()
  return { text, terms: new Set((telling.length > 0 ? telling : words).map(stem)) }
}
