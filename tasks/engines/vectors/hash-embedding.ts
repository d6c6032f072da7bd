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
  return embedWords(listWords(text))
}

/** The vector of a text that has these words, in their order. */
export function embedWords(words: readonly string[]): Float32Array | undefined {
  const { hashes, counts } = countFeatures(words)
  const sums = new Float64Array(HASH_DIMENSIONS)
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at]!
    if (count === 0) continue
    const hash = hashes[at]!
    sums[(hash >>> 1) % HASH_DIMENSIONS]! += (hash & 1 ? 1 : -1) * (count === 1 ? 1 : 1 + Math.log(count))
  }
  const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0))
  return length === 0 ? undefined : Float32Array.from(sums, value => value / length)
}

/** An open table of how often each feature occurs, by its hash: a Map takes several times as long. */
interface FeatureTable {
  hashes: Uint32Array
  counts: Uint32Array
}

/** The kinds of features begin their hashes differently. */
function countFeatures(words: readonly string[]): FeatureTable {
  const characters = words.reduce((sum, word) => sum + word.length, 0)
  const table = createTable(words.length * 8 + characters * 3)
  let before: string | undefined
  for (const word of words) {
    count(table, hashText(WORD, word))
    if (before !== undefined) count(table, hashText(hashText(PAIR, before) ^ 0x20, word))
    before = word
    countParts(table, ` ${word} `)
  }
  return table
}

/** Tables are used again, because a new one for each text takes a good part of the time. */
const tables = new Map<number, FeatureTable>()
const LARGEST_KEPT = 2 ** 18

/** Of a size that follows from the text, so that the same text is always added up in the same order. */
function createTable(maxFeatures: number): FeatureTable {
  const size = 2 ** Math.ceil(Math.log2(maxFeatures * 1.5 + 16))
  const kept = tables.get(size)
  if (kept) {
    kept.counts.fill(0)
    return kept
  }
  const table = { hashes: new Uint32Array(size), counts: new Uint32Array(size) }
  if (size <= LARGEST_KEPT) tables.set(size, table)
  return table
}

function count({ hashes, counts }: FeatureTable, hash: number): void {
  const mixed = mixBits(hash)
  const mask = counts.length - 1
  let at = mixed & mask
  while (counts[at] !== 0 && hashes[at] !== mixed) at = (at + 1) & mask
  hashes[at] = mixed
  counts[at]! += 1
}

const WORD = 0x811c9dc5
const PAIR = 0x01000193
const PART = 0x9e3779b9

/** Parts of a word, with its ends marked by spaces. */
function countParts(table: FeatureTable, word: string): void {
  for (let start = 0; start + SHORTEST_PART <= word.length; start++) {
    const end = Math.min(word.length, start + LONGEST_PART)
    let hash = PART
    for (let index = start; index < end; index++) {
      hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
      if (index - start + 1 >= SHORTEST_PART) count(table, hash)
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
