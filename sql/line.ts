import pg from 'pg'
import { DatabaseAway, isAway, translate } from './db.ts'

/** Keeps plans that cannot go wrong: every statement here is found by primary key. */
const HOT_SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set enable_bitmapscan = off; set jit = off; set statement_timeout = '20s';
  set search_path = pg_catalog, public`

const RECONNECT_MS = [50, 100, 200, 400, 800, 1_000]

/**
 * One connection of its own for one purpose: it connects when first needed, connects anew when it was lost, and never
 * waits behind other queries.
 */
export class Line {
  readonly #url: string
  readonly #name: string
  readonly #settings: string
  readonly #onConnect: ((client: pg.Client) => Promise<void>) | undefined
  #client: Promise<pg.Client> | undefined
  #isClosed = false

  constructor(
    url: string,
    name: string,
    options: { isHot?: boolean; onConnect?: (client: pg.Client) => Promise<void> } = {},
  ) {
    this.#url = url
    this.#name = name
    this.#settings = options.isHot ? HOT_SETTINGS : ''
    this.#onConnect = options.onConnect
  }

  async query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<Row[]> {
    const client = await this.connect()
    try {
      return (await client.query<Row>(config)).rows
    } catch (error) {
      if (isAway(error)) this.#drop(client)
      return translate(error)
    }
  }

  connect(): Promise<pg.Client> {
    if (this.#isClosed) return Promise.reject(new DatabaseAway(new Error('the line is closed')))
    this.#client ??= this.#open().catch(error => {
      this.#client = undefined
      return translate(error)
    })
    return this.#client
  }

  /** Comes back up by itself for as long as it takes; used by lines that listen. */
  async keepUp(): Promise<void> {
    for (let attempt = 0; !this.#isClosed; attempt++) {
      try {
        await this.connect()
        return
      } catch {
        await pause(RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)]!)
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
    client.on('error', () => this.#drop(client))
    client.on('end', () => this.#drop(client))
    await client.connect()
    if (this.#settings) await client.query(this.#settings)
    await this.#onConnect?.(client)
    return client
  }

  #drop(client: pg.Client): void {
    const current = this.#client
    if (current === undefined) return
    void current.then(
      open => {
        if (open !== client || this.#client !== current) return
        this.#client = undefined
        client.end().catch(() => undefined)
        if (this.#onConnect) void this.keepUp()
      },
      () => undefined,
    )
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

/** Hears what the database announces; after every new connection `onGap` says that news may have been missed. */
export function listen(
  url: string,
  name: string,
  channels: Record<string, (news: string) => void>,
  onGap: () => void,
): Line {
  const line = new Line(url, `${name} ears`, {
    onConnect: async client => {
      client.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''))
      await client.query(
        Object.keys(channels)
          .map(channel => `listen ${channel}`)
          .join('; '),
      )
      onGap()
    },
  })
  void line.keepUp()
  return line
}
