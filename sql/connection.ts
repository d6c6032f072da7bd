import { throwTranslated } from './db.ts'
import { type ConnectionOptions, pause, ReconnectingClient } from './reconnecting.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** A connection of its own whose errors are what they mean: problems, or that the database cannot be reached. */
export class Connection extends ReconnectingClient {
  constructor(url: string, name: string, options: ConnectionOptions = {}) {
    super(url, name, { ...options, translate: throwTranslated })
  }
}

/** Listens to notifications. `onConnect` is called after every (re)connection, because some may have been missed. */
export function openListener(
  url: string,
  name: string,
  channels: Record<string, (payload: string) => void>,
  onConnect: () => void,
): Connection {
  const connection = new Connection(url, `${name} listener`, {
    onConnect: async client => {
      client.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''))
      await client.query(
        Object.keys(channels)
          .map(channel => `listen ${channel}`)
          .join('; '),
      )
      onConnect()
    },
  })
  void connection.keepConnecting()
  return connection
}

interface WaitingCall<Answer> {
  /** The call as JSON text, because its payload and result are JSON text already. */
  json: string
  resolve(answer: Answer | undefined): void
  reject(error: unknown): void
}

/**
 * Shares one round trip and one commit among the calls that arrived while the batch before was in flight. A single call
 * is not delayed. One batch is in flight at a time. If the connection is lost, the batch is sent again for `retryForMs`,
 * and its function is told that this is a repeat; with 0 it is never sent again, and its function has no such argument.
 */
export class Batch<Answer> {
  readonly #connection: Connection
  readonly #statement: { name: string; text: string }
  readonly #limit: number
  readonly #retryForMs: number
  #waiting: WaitingCall<Answer>[] = []
  #isSending = false
  #draining: Promise<void> = Promise.resolve()

  constructor(
    connection: Connection,
    statement: { name: string; text: string },
    options: { limit?: number; retryForMs?: number } = {},
  ) {
    this.#connection = connection
    this.#statement = statement
    this.#limit = options.limit ?? 256
    this.#retryForMs = options.retryForMs ?? 5_000
  }

  /** Resolves with the function's answer to this call, or undefined if there is none. */
  add(json: string): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ json, resolve, reject })
      if (this.#isSending) return
      this.#isSending = true
      setImmediate(() => {
        this.#draining = this.#drain()
      })
    })
  }

  get size(): number {
    return this.#waiting.length
  }

  /** Resolves when no call is waiting any more. */
  async whenIdle(): Promise<void> {
    while (this.#isSending) {
      await new Promise(setImmediate)
      await this.#draining
    }
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#submit(this.#waiting.splice(0, this.#limit))
    }
    this.#isSending = false
  }

  /** A call that the database refuses fails alone: the others of its batch are sent one by one. */
  async #submit(batch: readonly WaitingCall<Answer>[]): Promise<void> {
    try {
      const answers = await this.#send(`[${batch.map(call => call.json).join(',')}]`)
      const answersByIndex = new Map((answers ?? []).map(answer => [Number((answer as [number])[0]) - 1, answer]))
      batch.forEach((call, index) => {
        call.resolve(answersByIndex.get(index))
      })
    } catch (error) {
      if (batch.length === 1 || error instanceof DatabaseUnavailable) for (const call of batch) call.reject(error)
      else for (const call of batch) await this.#submit([call])
    }
  }

  async #send(json: string): Promise<Answer[] | null> {
    const retryUntil = performance.now() + this.#retryForMs
    for (let attempt = 0; ; attempt++) {
      try {
        const [row] = await this.#connection.query<{ answers: Answer[] | null }>({
          ...this.#statement,
          values: this.#retryForMs > 0 ? [json, attempt > 0] : [json],
        })
        return row?.answers ?? null
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || performance.now() > retryUntil) throw error
        await pause(Math.min(1_000, 50 * 2 ** attempt))
      }
    }
  }
}
