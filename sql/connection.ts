import { channel } from 'node:diagnostics_channel'
import type pg from 'pg'
import { createClient } from './hosts/primary.ts'

/** Forces index plans, because every statement of a hot connection finds its rows by primary key. */
const HOT_SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set enable_bitmapscan = off; set jit = off; set statement_timeout = '20s';
  set search_path = pg_catalog, public`

const RECONNECT_DELAYS_MS = [50, 100, 200, 400, 800, 1_000]

/**
 * Pools keep a connection that is not used for so long. A new one takes Postgres 60 ms of processor time, and its first calls
 * more, so those who come now and then find one (Decision 0843).
 */
export const KEEP_IDLE_MS = 60_000

export interface ConnectionOptions {
  isHot?: boolean
  onConnect?(client: pg.Client): Promise<void>
}

/**
 * A connection of its own for one purpose, so that its queries never wait behind others. It connects when first needed
 * and reconnects when it was lost. It knows nothing of problems, whose schemas would be a third of the memory of a thread.
 */
export class ReconnectingClient {
  readonly #url: string
  readonly #name: string
  readonly #settings: string
  readonly #translate: (error: unknown) => never
  readonly #onConnect: ((client: pg.Client) => Promise<void>) | undefined
  #client: Promise<pg.Client> | undefined
  #isClosed = false

  constructor(url: string, name: string, options: ConnectionOptions & { translate(error: unknown): never }) {
    this.#url = url
    this.#name = name
    this.#settings = options.isHot ? HOT_SETTINGS : ''
    this.#translate = options.translate
    this.#onConnect = options.onConnect
  }

  async query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<Row[]> {
    const client = await this.connect()
    try {
      return (await client.query<Row>(config)).rows
    } catch (error) {
      if (isUnavailable(error)) this.#discard(client)
      return this.#translate(error)
    }
  }

  connect(): Promise<pg.Client> {
    if (this.#isClosed) return Promise.reject(new DatabaseUnavailable(new Error('the connection is closed')))
    this.#client ??= this.#open().catch(error => {
      this.#client = undefined
      return this.#translate(error)
    })
    return this.#client
  }

  /** Reconnects until it succeeds, without waiting for a query; for connections that listen. */
  async keepConnecting(): Promise<void> {
    for (let attempt = 0; !this.#isClosed; attempt++) {
      try {
        await this.connect()
        return
      } catch {
        await pause(RECONNECT_DELAYS_MS[Math.min(attempt, RECONNECT_DELAYS_MS.length - 1)]!)
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = await this.#client?.catch(() => undefined)
    await client?.end().catch(() => undefined)
  }

  async #open(): Promise<pg.Client> {
    const client = createClient(this.#url, {
      application_name: `coinop ${this.#name}`,
      connectionTimeoutMillis: 5_000,
      query_timeout: 25_000,
      keepAlive: true,
    })
    client.on('error', () => this.#discard(client))
    client.on('end', () => this.#discard(client))
    await client.connect()
    if (this.#settings) await client.query(this.#settings)
    await this.#onConnect?.(client)
    return client
  }

  #discard(client: pg.Client): void {
    const current = this.#client
    if (current === undefined) return
    void current.then(
      open => {
        if (open !== client || this.#client !== current) return
        this.#client = undefined
        client.end().catch(() => undefined)
        if (this.#onConnect) void this.keepConnecting()
      },
      () => undefined,
    )
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

/** The database cannot be reached. The statement may or may not have been executed. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is not reachable', { cause })
    this.name = 'DatabaseUnavailable'
  }
}

const UNAVAILABLE_CODES = /^(08...|25006|57P0[123]|53300|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT)$/
const UNAVAILABLE_MESSAGE =
  /Connection terminated|connection timeout|timeout expired|timeout exceeded when trying to connect|is not queryable|Query read timeout/i

export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: string }
  return (code !== undefined && UNAVAILABLE_CODES.test(code)) || UNAVAILABLE_MESSAGE.test(error.message)
}

/** Statements as they end. Tracing subscribes where it is on: `ops/tracing/open.ts`. */
const statements = channel('coinop.sql')

/** Reports a round trip to the subscriber, in the context of the caller; without a subscriber it costs nothing. */
export function observe<Result>(text: string, run: () => Promise<Result>): Promise<Result> {
  return statements.hasSubscribers ? runObserved(text, run) : run()
}

async function runObserved<Result>(text: string, run: () => Promise<Result>): Promise<Result> {
  const startedAtMs = performance.timeOrigin + performance.now()
  try {
    const result = await run()
    statements.publish({ text, startedAtMs, error: undefined })
    return result
  } catch (error) {
    statements.publish({ text, startedAtMs, error })
    throw error
  }
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
  readonly #connection: ReconnectingClient
  readonly #statement: { name: string; text: string }
  readonly #limit: number
  readonly #retryForMs: number
  #waiting: WaitingCall<Answer>[] = []
  #isSending = false
  #draining: Promise<void> = Promise.resolve()

  constructor(
    connection: ReconnectingClient,
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
    return observe(this.#statement.text, () => this.#enqueue(json))
  }

  #enqueue(json: string): Promise<Answer | undefined> {
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

type Verdict = [ord: number, verdict: string, result?: unknown]

/**
 * Calls of an SQL function that share statements and commits. It answers with the number of a call in its batch, `done`, `again`
 * or why the call was refused, and the result or hints. Nothing is sent twice when the connection is lost, because what was done
 * would be done again.
 */
export class SharedStatement {
  readonly #connection: ReconnectingClient
  readonly #batch: Batch<Verdict>
  readonly #refuse: (verdict: string, result: unknown) => Error

  constructor(
    connection: ReconnectingClient,
    { of, limit, refuse }: { of: string; limit: number; refuse(verdict: string, result: unknown): Error },
  ) {
    const text = `select json_agg(answer) as answers from ${of}($1) answer`
    this.#connection = connection
    this.#batch = new Batch(connection, { name: of, text }, { limit, retryForMs: 0 })
    this.#refuse = refuse
  }

  /** `callAlone` is for a call that the others could not wait for. */
  async call(json: string, callAlone: () => Promise<unknown>): Promise<unknown> {
    const [, verdict, result] = (await this.#batch.add(json))!
    if (verdict === 'done') return result
    if (verdict === 'again') return await callAlone()
    throw this.#refuse(verdict, result)
  }

  async close(): Promise<void> {
    await this.#batch.whenIdle()
    await this.#connection.close()
  }
}
