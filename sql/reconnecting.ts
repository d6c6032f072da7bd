import pg from 'pg'
import { DatabaseUnavailable, isUnavailable } from './unavailable.ts'

/** Forces index plans, because every statement of a hot connection finds its rows by primary key. */
const HOT_SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set enable_bitmapscan = off; set jit = off; set statement_timeout = '20s';
  set search_path = pg_catalog, public`

const RECONNECT_DELAYS_MS = [50, 100, 200, 400, 800, 1_000]

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
    const client = new pg.Client({
      connectionString: this.#url,
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
