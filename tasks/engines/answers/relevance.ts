import { openStemmer } from '../language/words.ts'
import { embedText } from '../vectors/hash-embedding.ts'
import { dot } from '../vectors/score.ts'
import { listWords } from '../vectors/words.ts'
import type { Question } from './question.ts'

export interface Passage {
  id: string
  text: string
}

/**
 * How much each text is about a question, from 0 to 1: the mean of the share of its terms that are there and of the likeness
 * of the wording.
 */
export function scoreWording(question: Question, passages: readonly Passage[]): number[] {
  const asked = embedText(question.text)
  const stem = openStemmer()
  return passages.map(({ text }) => {
    const words = new Set(listWords(text).map(stem))
    const found = [...question.terms].filter(term => words.has(term)).length
    const share = question.terms.size === 0 ? 0 : found / question.terms.size
    return (share + Math.max(0, compare(asked, embedText(text)))) / 2
  })
}

/** The cosine of two vectors of length 1. */
export function compare(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one && other ? dot(one, 0, other, 0, one.length) : 0
}
