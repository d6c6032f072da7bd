/** The calls of this process that wait for changes of batons. */
export class Tails {
  readonly #open = new Map<string, Set<Tail>>()

  /** From now on changes of this baton are noticed. */
  follow(id: string): Tail {
    const tail = new Tail(() => {
      const left = this.#open.get(id)
      left?.delete(tail)
      if (left?.size === 0) this.#open.delete(id)
    })
    const others = this.#open.get(id)
    if (others) others.add(tail)
    else this.#open.set(id, new Set([tail]))
    return tail
  }

  onNotify(id: string): void {
    for (const tail of this.#open.get(id) ?? []) tail.wake()
  }

  /** Wakes every call, because notifications may have been missed. */
  wakeAll(): void {
    for (const id of this.#open.keys()) this.onNotify(id)
  }

  /** Ends every wait, so that each call answers with what it has. */
  endAll(): void {
    for (const tails of this.#open.values()) for (const tail of tails) tail.end()
  }
}

class Tail implements Disposable {
  readonly #close: () => void
  #isChanged = false
  #isEnded = false
  #notice = (): void => undefined

  constructor(close: () => void) {
    this.#close = close
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Resolves after the first change since the last call, or after `ms`. Returns whether there was a change. */
  async next(ms: number): Promise<boolean> {
    if (!this.#isChanged && !this.#isEnded) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, ms)
        this.#notice = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    const isChanged = this.#isChanged
    this.#isChanged = false
    return isChanged
  }

  wake(): void {
    this.#isChanged = true
    this.#notice()
  }

  end(): void {
    this.#isEnded = true
    this.#notice()
  }

  [Symbol.dispose](): void {
    this.#close()
  }
}
