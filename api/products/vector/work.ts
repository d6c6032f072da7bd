import { Threads } from '../../../ops/process/threads.ts'
import type { Embedder } from '../../../ops/providers/embedding/contract.ts'
import type { VectorIndex } from '../../../ops/providers/vector-index/contract.ts'
import type { DbPool } from '../../../sql/db.ts'
import type { Settings } from '../../../sql/setting.ts'
import type { PreparedText } from '../../../tasks/engines/vectors/prepare.ts'
import type { Scored } from '../../../tasks/engines/vectors/score.ts'
import type { VectorSearch } from '../../../tasks/engines/vectors/search.ts'
import { VectorMemory } from './memory.ts'
import { WordMemory } from './word-memory.ts'
import type { VectorWork, VectorWorkAnswer } from './work-thread.ts'

const LIMIT_MS = 20_000
/** Others get their turn after so much text. */
const TURN_CHARACTERS = 2 ** 17

interface Options {
  db: DbPool
  settings: Settings
  embedder?: Embedder | undefined
  index?: VectorIndex | undefined
}

/** What the calls about vectors share in this process: the vectors in memory, and threads that compare them. */
export class VectorWorkers {
  readonly memory: VectorMemory
  readonly words: WordMemory
  /** Undefined without a provider. */
  readonly embedder: Embedder | undefined
  /** Undefined if every search compares all vectors. */
  readonly index: VectorIndex | undefined
  readonly #threads = new Threads<VectorWork, VectorWorkAnswer>(new URL('work-thread.ts', import.meta.url))

  constructor({ db, settings, embedder, index }: Options) {
    this.embedder = embedder
    this.index = index
    this.memory = new VectorMemory(db, () => settings.get('vector.memory_mib') * 2 ** 20)
    this.words = new WordMemory(db, () => settings.get('vector.word_memory_mib') * 2 ** 20)
  }

  async search(search: VectorSearch): Promise<Scored[]> {
    return (await this.#perform({ search })) as Scored[]
  }

  async prepareTexts(texts: readonly string[], isEmbedded: boolean): Promise<PreparedText[]> {
    const prepared: PreparedText[] = []
    for (const turn of splitTexts(texts)) {
      prepared.push(...((await this.#perform({ texts: turn, isEmbedded })) as PreparedText[]))
    }
    return prepared
  }

  async close(): Promise<void> {
    this.#threads.close()
    await this.index?.close()
  }

  async #perform(work: VectorWork): Promise<VectorWorkAnswer> {
    return this.#threads.perform(work, AbortSignal.timeout(LIMIT_MS))
  }
}

function splitTexts(texts: readonly string[]): string[][] {
  const turns: string[][] = [[]]
  let characters = 0
  for (const text of texts) {
    if (characters > TURN_CHARACTERS) {
      turns.push([])
      characters = 0
    }
    turns.at(-1)!.push(text)
    characters += text.length
  }
  return turns
}
