import { Problem } from '#kit'
import type { Db } from '../../../sql/db.ts'
import { listVectorNumbers, loadVectors, type OpenedIndex, readNumbers } from '../../../sql/vector/search.ts'
import { createBlock, measureBlock, measureLength, type VectorBlock } from '../../../tasks/engines/vectors/block.ts'

const BYTES_BESIDE_VALUES = 12

/** The vectors of one namespace in memory. A number always stands for the same floats, so they are only added and removed. */
interface Resident {
  blocks: VectorBlock[]
  sizeBytes: number
  lastNumber: number
  removedAt: bigint
  /** How many rows are those of removed vectors. */
  holes: number
  /** Searches under way. */
  users: number
  refreshed: Promise<void>
}

/**
 * Keeps the vectors that were searched last. Before each search they are brought up to what the database has counted, so a
 * search finds all that was written before it, by whichever process.
 */
export class VectorMemory {
  readonly #db: Db
  readonly #maxBytes: () => number
  /** The one that was used last is at the end. */
  readonly #residents = new Map<string, Resident>()

  constructor(db: Db, maxBytes: () => number) {
    this.#db = db
    this.#maxBytes = maxBytes
  }

  get sizeBytes(): number {
    return Array.from(this.#residents.values()).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  }

  /** Has the vectors of a namespace in memory while `use` runs. */
  async withVectors<Result>(
    index: OpenedIndex,
    namespace: string,
    use: (blocks: readonly VectorBlock[]) => Promise<Result>,
  ): Promise<Result> {
    const key = `${index.batonId} ${namespace}`
    const resident = this.#residents.get(key) ?? createResident()
    this.#residents.delete(key)
    this.#residents.set(key, resident)
    resident.users += 1
    try {
      const refreshed = resident.refreshed.catch(() => undefined).then(() => this.#refresh(resident, index, namespace))
      resident.refreshed = refreshed
      await refreshed
      return await use(resident.blocks)
    } finally {
      resident.users -= 1
      this.#evict(0)
    }
  }

  async #refresh(resident: Resident, index: OpenedIndex, namespace: string): Promise<void> {
    const removedAt = BigInt(index.removedAt)
    if (resident.removedAt < removedAt) {
      if (resident.lastNumber > 0) await this.#removeGone(resident, index.batonId, namespace)
      resident.removedAt = removedAt
    }
    if (resident.lastNumber >= index.lastNumber) return
    const width = 4 * index.dimensions! + BYTES_BESIDE_VALUES
    this.#evict(Math.max(0, index.count * width - resident.sizeBytes))
    await this.#load(resident, index, namespace)
  }

  async #removeGone(resident: Resident, batonId: string, namespace: string): Promise<void> {
    const kept = new Set(await listVectorNumbers(this.#db, batonId, namespace))
    let count = 0
    for (const { ids, count: rows } of resident.blocks) {
      count += rows
      for (let row = 0; row < rows; row++) {
        if (ids[row] === 0 || kept.has(ids[row]!)) continue
        ids[row] = 0
        resident.holes += 1
      }
    }
    // Searches under way keep the blocks that they have.
    if (resident.holes * 2 > count) Object.assign(resident, { blocks: [], sizeBytes: 0, lastNumber: 0, holes: 0 })
  }

  async #load(resident: Resident, { batonId, lastNumber, dimensions }: OpenedIndex, namespace: string): Promise<void> {
    while (resident.lastNumber < lastNumber) {
      const block = findFreeBlock(resident, dimensions!)
      const range = { after: resident.lastNumber, until: lastNumber, limit: block.ids.length - block.count }
      const { numbers, floats } = await loadVectors(this.#db, batonId, namespace, range)
      if (!numbers || !floats) {
        resident.lastNumber = lastNumber
        return
      }
      const ids = readNumbers(numbers)
      append(block, ids, floats, dimensions!)
      resident.lastNumber = ids.length < range.limit ? lastNumber : ids.at(-1)!
    }
  }

  /** Frees memory for so many bytes more by what was not used for longest. What is being searched stays. */
  #evict(neededBytes: number): void {
    let sizeBytes = this.sizeBytes + neededBytes
    for (const [key, resident] of this.#residents) {
      if (sizeBytes <= this.#maxBytes()) return
      if (resident.users > 0) continue
      this.#residents.delete(key)
      sizeBytes -= resident.sizeBytes
    }
    const hasOthers = sizeBytes > neededBytes && neededBytes > 0
    if (hasOthers && sizeBytes > 2 * this.#maxBytes()) throw new Problem('BUSY', { retryAfterSeconds: 1 })
  }
}

function createResident(): Resident {
  const refreshed = Promise.resolve()
  return { blocks: [], sizeBytes: 0, lastNumber: 0, removedAt: 0n, holes: 0, users: 0, refreshed }
}

/** The last block, or a new one if that is full. */
function findFreeBlock(resident: Resident, dimensions: number): VectorBlock {
  const last = resident.blocks.at(-1)
  if (last && last.count < last.ids.length) return last
  const block = createBlock(dimensions)
  resident.blocks.push(block)
  resident.sizeBytes += measureBlock(block)
  return block
}

function append(block: VectorBlock, ids: Int32Array, floats: Uint8Array, dimensions: number): void {
  const { count, values } = block
  const start = count * dimensions
  new Uint8Array(values.buffer).set(floats, start * 4)
  for (let row = 0; row < ids.length; row++) {
    const from = start + row * dimensions
    block.lengths[count + row] = measureLength(values, from, from + dimensions)
  }
  block.ids.set(ids, count)
  block.count = count + ids.length
}
