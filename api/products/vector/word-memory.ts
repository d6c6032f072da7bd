import type { Db } from '../../../sql/db.ts'
import { listVectorNumbers, loadWords, type OpenedIndex } from '../../../sql/vector/search.ts'
import { WordIndex } from '../../../tasks/engines/vectors/word-index.ts'

/** What a word of a text takes, as measured with prose. */
const BYTES_PER_WORD = 12
/** So many are loaded in one turn, which keeps the api from its other calls for some milliseconds. */
const TURN = 200

/** The words of one namespace in memory. Those of a number never change, so they are only added and removed. */
interface Resident {
  words: WordIndex
  sizeBytes: number
  lastNumber: number
  removedAt: bigint
  refreshed: Promise<void>
}

/** Keeps in which texts words occur, for the namespaces whose words were asked for last. */
export class WordMemory {
  readonly #db: Db
  readonly #maxBytes: () => number
  /** The one that was used last is at the end. */
  readonly #residents = new Map<string, Resident>()

  constructor(db: Db, maxBytes: () => number) {
    this.#db = db
    this.#maxBytes = maxBytes
  }

  /** The words as they are in the database; undefined if they are too many to be kept. */
  async open(index: OpenedIndex, namespace: string): Promise<WordIndex | undefined> {
    const sizeBytes = index.wordCount * BYTES_PER_WORD
    if (sizeBytes > this.#maxBytes()) return undefined
    const key = `${index.batonId} ${namespace}`
    const resident = this.#residents.get(key) ?? createResident()
    this.#residents.delete(key)
    this.#residents.set(key, resident)
    resident.sizeBytes = sizeBytes
    this.#evict()
    const refreshed = resident.refreshed.catch(() => undefined).then(() => this.#refresh(resident, index, namespace))
    resident.refreshed = refreshed
    await refreshed
    return resident.words.isFull ? undefined : resident.words
  }

  async #refresh(
    resident: Resident,
    { batonId, lastNumber, removedAt }: OpenedIndex,
    namespace: string,
  ): Promise<void> {
    if (resident.removedAt < BigInt(removedAt)) {
      if (resident.lastNumber > 0)
        resident.words.removeAllBut(new Set(await listVectorNumbers(this.#db, batonId, namespace)))
      if (resident.words.isSparse) Object.assign(resident, { words: new WordIndex(), lastNumber: 0 })
      resident.removedAt = BigInt(removedAt)
    }
    while (resident.lastNumber < lastNumber && !resident.words.isFull) {
      const range = { after: resident.lastNumber, until: lastNumber, limit: TURN }
      const texts = await loadWords(this.#db, batonId, namespace, range)
      for (const text of texts) resident.words.add(text)
      resident.lastNumber = texts.length < TURN ? lastNumber : texts.at(-1)!.number
    }
  }

  #evict(): void {
    let sizeBytes = Array.from(this.#residents.values()).reduce((sum, resident) => sum + resident.sizeBytes, 0)
    for (const [key, resident] of this.#residents) {
      if (sizeBytes <= this.#maxBytes()) return
      this.#residents.delete(key)
      sizeBytes -= resident.sizeBytes
    }
  }
}

function createResident(): Resident {
  const refreshed = Promise.resolve()
  return { words: new WordIndex(), sizeBytes: 0, lastNumber: 0, removedAt: 0n, refreshed }
}
