import { DatabaseAway } from './db.ts'
import { type Line, pause } from './line.ts'

interface Waiting<Answer> {
  /** The call as JSON text: what arrives already written is not written again. */
  json: string
  resolve(answer: Answer | undefined): void
  reject(error: unknown): void
}

/**
 * Shares one round trip and one commit among the calls that arrived while the batch before was on its way. A call
 * that is alone is not delayed. One batch is in flight at a time; it is sent again when the connection was lost, and
 * the function it calls is told so.
 */
export class Batch<Answer> {
  readonly #line: Line
  readonly #statement: { name: string; text: string }
  readonly #limit: number
  readonly #patienceMs: number
  #waiting: Waiting<Answer>[] = []
  #isSending = false
  #sent: Promise<void> = Promise.resolve()

  constructor(
    line: Line,
    statement: { name: string; text: string },
    options: { limit?: number; patienceMs?: number } = {},
  ) {
    this.#line = line
    this.#statement = statement
    this.#limit = options.limit ?? 256
    this.#patienceMs = options.patienceMs ?? 5_000
  }

  /** Resolves with what the function answered for this call, `undefined` when it had nothing to say. */
  add(json: string): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ json, resolve, reject })
      if (this.#isSending) return
      this.#isSending = true
      setImmediate(() => {
        this.#sent = this.#drain()
      })
    })
  }

  get size(): number {
    return this.#waiting.length
  }

  /** Settles when nothing is waiting any more. */
  async idle(): Promise<void> {
    while (this.#isSending) {
      await new Promise(setImmediate)
      await this.#sent
    }
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#limit)
      try {
        const answers = await this.#send(`[${batch.map(call => call.json).join(',')}]`)
        const byOrder = new Map((answers ?? []).map(answer => [Number((answer as [number])[0]) - 1, answer]))
        batch.forEach((call, index) => {
          call.resolve(byOrder.get(index))
        })
      } catch (error) {
        for (const call of batch) call.reject(error)
      }
    }
    this.#isSending = false
  }

  async #send(json: string): Promise<Answer[] | null> {
    const patientUntil = performance.now() + this.#patienceMs
    for (let sending = 0; ; sending++) {
      try {
        const [row] = await this.#line.query<{ answers: Answer[] | null }>({
          ...this.#statement,
          values: [json, sending > 0],
        })
        return row?.answers ?? null
      } catch (error) {
        if (!(error instanceof DatabaseAway) || performance.now() > patientUntil) throw error
        await pause(Math.min(1_000, 50 * 2 ** sending))
      }
    }
  }
}
