import { spellWord } from '../names/likeness.ts'
import type { IndexedWord, ListedWord } from './candidates.ts'

/** What is read of the words of some uploaded lists or, with null, of the public ones. */
export interface WordReads {
  listWords(
    keys: readonly number[],
    lists: readonly number[] | null,
  ): Promise<(readonly [key: number, words: ListedWord[]])[]>
  listPostings(words: readonly number[]): Promise<(readonly [word: number, entries: number[]])[]>
}

/** So much is kept before all is forgotten; a number takes 8 bytes. */
const MAX_KEYS = 100_000
const MAX_POSTED = 2_000_000

/** The words of lists, of which is kept what was read once: an index is only good for the versions that it was made for. */
export class WordIndex {
  readonly #reads: WordReads
  readonly #lists: readonly number[] | null
  readonly #words = new Map<number, readonly IndexedWord[]>()
  /** Most words have several keys. */
  readonly #byId = new Map<number, IndexedWord>()
  readonly #postings = new Map<number, readonly number[]>()
  #posted = 0

  constructor(reads: WordReads, lists: readonly number[] | null) {
    this.#reads = reads
    this.#lists = lists
  }

  /** The words with some of the keys. */
  async findWords(keys: readonly number[]): Promise<IndexedWord[]> {
    const missing = keys.filter(key => !this.#words.has(key))
    const read = missing.length === 0 ? [] : await this.#reads.listWords(missing, this.#lists)
    const fresh = new Map(read.map(([key, words]) => [key, words.map(word => this.#spell(word))]))
    const found = keys.flatMap(key => this.#words.get(key) ?? fresh.get(key) ?? [])
    if (this.#words.size + missing.length > MAX_KEYS) {
      this.#words.clear()
      this.#byId.clear()
    }
    for (const key of missing) this.#words.set(key, fresh.get(key) ?? [])
    return [...new Map(found.map(word => [word.id, word])).values()]
  }

  #spell(word: ListedWord): IndexedWord {
    const known = this.#byId.get(word.id) ?? { ...word, spelt: spellWord(word.word) }
    this.#byId.set(word.id, known)
    return known
  }

  /** The numbers of the entries that have each of the words. */
  async findPostings(words: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    const known = new Map(words.flatMap(word => (this.#postings.has(word) ? [[word, this.#postings.get(word)!]] : [])))
    const missing = words.filter(word => !known.has(word))
    const read = missing.length === 0 ? [] : await this.#reads.listPostings(missing)
    for (const [word, entries] of read) {
      known.set(word, entries)
      this.#keep(word, entries)
    }
    return known
  }

  #keep(word: number, entries: readonly number[]): void {
    if (this.#posted + entries.length > MAX_POSTED) {
      this.#postings.clear()
      this.#posted = 0
    }
    if (!this.#postings.has(word)) this.#posted += entries.length
    this.#postings.set(word, entries)
  }
}
