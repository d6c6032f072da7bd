import type { Lane } from '#kit'
import type { Logger } from '../ops/log.ts'
import { tidyLane } from '../sql/lane.ts'
import { Line } from '../sql/line.ts'

const LOOK_EVERY_MS = 2_000
/** So many finished jobs leave enough dead entries in a queue's index to slow the next fetch down. */
const WORTH_IT = 2_000

/**
 * Sweeps the queues that are busy. Whoever fetches the next job walks over all that were deleted since the last sweep,
 * and Postgres by itself looks only once a minute.
 */
export class Tidy {
  readonly #line: Line
  readonly #log: Logger
  readonly #done = new Map<Lane, number>()
  readonly #timer: NodeJS.Timeout
  #isSweeping = false

  constructor(url: string, log: Logger) {
    this.#line = new Line(url, 'tidy')
    this.#log = log
    this.#timer = setInterval(() => void this.#sweep(), LOOK_EVERY_MS).unref()
  }

  count(lane: Lane): void {
    this.#done.set(lane, (this.#done.get(lane) ?? 0) + 1)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#line.close()
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return
    this.#isSweeping = true
    try {
      for (const [lane, done] of this.#done) {
        if (done < WORTH_IT) continue
        this.#done.set(lane, 0)
        await tidyLane(this.#line, lane)
      }
    } catch (error) {
      this.#log.debug({ err: error }, 'queues not swept')
    } finally {
      this.#isSweeping = false
    }
  }
}
