/**
 * The places of a lane in this process: how many of its jobs run at once. A runner has more loops than places, because a
 * job that has run still waits for the commit of its end, and jobs that end together share one commit.
 */
export class LanePlaces {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(size: number) {
    this.#free = size
  }

  /** Takes a place, or returns a promise of the next one that is given back. */
  take(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--
      return undefined
    }
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  giveBack(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }

  /** Lets every loop go on, because the runner has stopped and they get no job any more. */
  open(): void {
    this.#free = Number.POSITIVE_INFINITY
    for (const next of this.#waiting.splice(0)) next()
  }
}
