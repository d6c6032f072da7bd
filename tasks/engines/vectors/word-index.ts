import { pickBest } from './score.ts'

/** A text by the number of its vector. */
export interface CountedText {
  number: number
  wordCount: number
  words: Readonly<Record<string, number>>
}

interface Ranking {
  words: readonly string[]
  /** Of the whole namespace. */
  textCount: number
  wordCount: number
  limit: number
  /** Only these, in ascending order. */
  candidates?: Int32Array
}

/** A text and how often a word occurs in it are kept in one integer that the engine of JavaScript does not box. */
const COUNT_BITS = 10
const MAX_COUNT = 2 ** COUNT_BITS - 1
const MAX_TEXTS = 2 ** (30 - COUNT_BITS)
/** Of BM25, as usual. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/** In which texts each word occurs, so that only texts with words of a question are looked at. */
export class WordIndex {
  readonly #places = new Map<string, number[]>()
  /** By place; 0 where a text was removed. */
  readonly #numbers: number[] = []
  readonly #lengths: number[] = []
  #removed = 0

  get isFull(): boolean {
    return this.#numbers.length >= MAX_TEXTS
  }

  /** Half of it is of texts that are gone, so it is better made anew. */
  get isSparse(): boolean {
    return this.#removed * 2 > this.#numbers.length
  }

  add({ number, wordCount, words }: CountedText): void {
    const place = this.#numbers.push(number) - 1
    this.#lengths.push(wordCount)
    for (const [word, count] of Object.entries(words)) {
      const packed = place * 2 ** COUNT_BITS + Math.min(count, MAX_COUNT)
      const places = this.#places.get(word)
      if (places) places.push(packed)
      else this.#places.set(word, [packed])
    }
  }

  removeAllBut(numbers: ReadonlySet<number>): void {
    for (const [place, number] of this.#numbers.entries()) {
      if (number === 0 || numbers.has(number)) continue
      this.#numbers[place] = 0
      this.#removed += 1
    }
  }

  /** The numbers of texts with some of the words, the best first by BM25. */
  rank({ words, textCount, wordCount, limit, candidates }: Ranking): Int32Array {
    const texts = Math.max(1, textCount)
    const usualLength = Math.max(1, wordCount) / texts
    const scores = new Map<number, number>()
    for (const word of new Set(words)) {
      const found = (this.#places.get(word) ?? []).filter(packed => this.#numbers[packed >> COUNT_BITS] !== 0)
      const weight = Math.log(1 + (texts - found.length + 0.5) / (found.length + 0.5))
      for (const packed of found) {
        const place = packed >> COUNT_BITS
        const count = packed & MAX_COUNT
        const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * this.#lengths[place]!) / usualLength
        const share = (count * (SATURATION + 1)) / (count + SATURATION * length)
        scores.set(place, (scores.get(place) ?? 0) + weight * share)
      }
    }
    const passes = candidates && new Set(candidates)
    const scored = Array.from(scores, ([place, score]) => ({ id: this.#numbers[place]!, score }))
    const passing = passes ? scored.filter(({ id }) => passes.has(id)) : scored
    return Int32Array.from(pickBest(passing, limit), ({ id }) => id)
  }
}
