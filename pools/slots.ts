interface Waiter {
  start(): void
}

/** Limits how many jobs run at once in a lane; the others wait in order of arrival. The size may change at any time. */
export class Slots {
  readonly #waiters = new Set<Waiter>()
  #active = 0
  #limit: number

  constructor(size: number) {
    this.#limit = size
  }

  get size(): number {
    return this.#limit
  }

  get running(): number {
    return this.#active
  }

  get waiting(): number {
    return this.#waiters.size
  }

  resize(size: number): void {
    this.#limit = size
    this.#startWaiting()
  }

  async use<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.#acquire(signal)
    try {
      return await work()
    } finally {
      this.#active -= 1
      this.#startWaiting()
    }
  }

  #acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#active < this.#limit) {
      this.#active += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start() {
          signal.removeEventListener('abort', cancel)
          resolve()
        },
      }
      const cancel = () => {
        this.#waiters.delete(waiter)
        reject(signal.reason)
      }
      signal.addEventListener('abort', cancel, { once: true })
      this.#waiters.add(waiter)
    })
  }

  #startWaiting(): void {
    for (const waiter of this.#waiters) {
      if (this.#active >= this.#limit) return
      this.#waiters.delete(waiter)
      this.#active += 1
      waiter.start()
    }
  }
}
