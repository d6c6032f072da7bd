import { Threads } from '../../ops/threads.ts'
import type { DbPool } from '../../sql/db.ts'
import type { Settings } from '../../sql/setting.ts'
import type { PreparedText } from '../../tasks/formats/vectors/prepare.ts'
import type { Scored } from '../../tasks/formats/vectors/score.ts'
import type { VectorSearch } from '../../tasks/formats/vectors/search.ts'
import { VectorMemory } from './memory.ts'
import type { VectorWork, VectorWorkAnswer } from './work-thread.ts'

const LIMIT_MS = 10_000

/** What the calls about vectors share in this process: the vectors in memory, and threads that compare them. */
export class VectorWorkers {
  readonly memory: VectorMemory
  readonly #threads = new Threads<VectorWork, VectorWorkAnswer>(new URL('work-thread.ts', import.meta.url))

  constructor(db: DbPool, settings: Settings) {
    this.memory = new VectorMemory(db, () => settings.get('vector.memory_mib') * 2 ** 20)
  }

  async search(search: VectorSearch): Promise<Scored[]> {
    return (await this.#perform({ search })) as Scored[]
  }

  async prepareTexts(texts: readonly string[], isEmbedded: boolean): Promise<PreparedText[]> {
    return (await this.#perform({ texts, isEmbedded })) as PreparedText[]
  }

  close(): void {
    this.#threads.close()
  }

  #perform(work: VectorWork): Promise<VectorWorkAnswer> {
    return this.#threads.perform(work, AbortSignal.timeout(LIMIT_MS))
  }
}
