import { Problem } from '#kit'

/** Limits how many tasks run at once. The others wait for their turn, in the order in which they came. */
export class Places {
  readonly #waiting: (() => void)[] = []
  #taken = 0

  /** Throws BUSY if no place becomes free in time. */
  async run<Result>(limit: number, waitMs: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#taken >= limit) await this.#waitForTurn(waitMs)
    else this.#taken++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#taken--
    }
  }

  /** The place is handed over by the task that leaves it, so that no later one takes it in between. */
  #waitForTurn(waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1)
        reject(new Problem('BUSY'))
      }, waitMs)
      this.#waiting.push(admit)
    })
  }
}
