/** After this time a step is announced although it has not ended, and then again and again. */
const ANNOUNCE_MS = 1_000
const REPEAT_MS = 10_000

/** Prints each step of a start with the time since the process began, so that a slow start is never silent. */
export class Progress {
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void = line => process.stderr.write(line)) {
    this.#print = print
  }

  /** `doing` is printed while the step lasts, `done` at its end. */
  async run<Result>({ doing, done }: { doing: string; done: string }, work: () => Promise<Result>): Promise<Result> {
    let timer = setTimeout(announce, ANNOUNCE_MS, this)
    try {
      const result = await work()
      this.#printLine(done)
      return result
    } finally {
      clearTimeout(timer)
    }

    function announce(progress: Progress): void {
      progress.#printLine(`${doing} ...`)
      timer = setTimeout(announce, REPEAT_MS, progress)
    }
  }

  #printLine(text: string): void {
    this.#print(`${process.uptime().toFixed(1).padStart(6)} s  ${text}\n`)
  }
}
