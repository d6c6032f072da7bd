import { embedWords } from './hash-embedding.ts'
import { countWords, listWords } from './words.ts'

/** What is made of a text before it is stored or asked with. */
export interface PreparedText {
  /** How often each word occurs. */
  words: Record<string, number>
  wordCount: number
  /** Undefined if it was not to be embedded, or has no words. */
  floats?: Float32Array
}

export function prepareText(text: string, isEmbedded: boolean): PreparedText {
  const words = listWords(text)
  const floats = isEmbedded ? embedWords(words) : undefined
  const counts = Object.fromEntries(countWords(words))
  return { words: counts, wordCount: words.length, ...(floats && { floats }) }
}
