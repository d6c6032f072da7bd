/**
 * The places of a lane in this process: how many of its jobs run at once. A runner has more loops than places, because a
 * job that has run still waits for the commit of its end, and jobs that end together share one commit.
 */
export class LanePlaces {
  readonly #waiting: (() => void)[] = []
  readonly #spare: number
  #free: number
  /** How many jobs run beyond the size. */
  #lent = 0

  /** With `spare`, so many more jobs may run by `lend` while all places are taken. */
  constructor(size: number, spare = 0) {
    this.#free = size
    this.#spare = spare
  }

  /** Takes a place, or returns a promise of the next one that is given back. */
  take(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--
      return undefined
    }
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /** Whether a loop waits that could go on beyond the size. */
  get canLend(): boolean {
    return this.#waiting.length > 0 && this.#lent < this.#spare
  }

  /** Lets a loop that waits go on beyond the size. The next place that is given back is gone again. */
  lend(): void {
    const next = this.canLend ? this.#waiting.shift() : undefined
    if (!next) return
    this.#lent++
    next()
  }

  giveBack(): void {
    if (this.#lent > 0) {
      this.#lent--
      return
    }
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
