import { listWords } from './words.ts'

/** Its vectors are near to each other where texts share words or parts of words; it knows nothing of meaning. */
export const HASH_MODEL = 'svc-hash-384@1'
export const HASH_DIMENSIONS = 384

const SHORTEST_PART = 3
const LONGEST_PART = 5

/**
 * The vector of a text, of length 1: words, pairs of words and parts of words are hashed into signed dimensions, each
 * weighed by the logarithm of how often it occurs. Undefined if the text has no words. The same text always has the
 * same vector, so a change of this function needs another name of the model.
 */
export function embedText(text: string): Float32Array | undefined {
  const counts = countFeatures(listWords(text))
  const sums = new Float64Array(HASH_DIMENSIONS)
  for (const [hash, count] of counts) {
    const at = (hash >>> 1) % HASH_DIMENSIONS
    sums[at]! += (hash & 1 ? 1 : -1) * (1 + Math.log(count))
  }
  const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0))
  return length === 0 ? undefined : Float32Array.from(sums, value => value / length)
}

/** How often each feature occurs, by its hash. The kinds of features begin their hashes differently. */
function countFeatures(words: readonly string[]): Map<number, number> {
  const counts = new Map<number, number>()
  const count = (hash: number) => {
    const mixed = mixBits(hash)
    counts.set(mixed, (counts.get(mixed) ?? 0) + 1)
  }
  let before: string | undefined
  for (const word of words) {
    count(hashText(WORD, word))
    if (before !== undefined) count(hashText(hashText(PAIR, before) ^ 0x20, word))
    before = word
    countParts(` ${word} `, count)
  }
  return counts
}

const WORD = 0x811c9dc5
const PAIR = 0x01000193
const PART = 0x9e3779b9

/** Parts of a word, with its ends marked by spaces. */
function countParts(word: string, count: (hash: number) => void): void {
  for (let start = 0; start + SHORTEST_PART <= word.length; start++) {
    const end = Math.min(word.length, start + LONGEST_PART)
    let hash = PART
    for (let index = start; index < end; index++) {
      hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
      if (index - start + 1 >= SHORTEST_PART) count(hash)
    }
  }
}

function hashText(seed: number, text: string): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

/** Spreads the differences of the low bits over all of them. */
function mixBits(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
