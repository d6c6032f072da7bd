import { once } from 'node:events'
import { createConnection } from 'node:net'
import type { Duplex } from 'node:stream'
import pg from 'pg'

// Decision 0600: find the host that takes changes.

interface Host {
  host: string
  port: number
}

/** The first host as an address of one host, and all hosts; undefined for an address of one. */
function readHosts(url: string): { firstUrl: string; hosts: Host[] } | undefined {
  const [, head, names, tail] = /^(\w+:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s.exec(url) ?? []
  if (!names?.includes(',')) return undefined
  const hosts = names.split(',').map(readHost)
  return { firstUrl: `${head}${names.split(',')[0]}${tail}`, hosts }
}

function readHost(name: string): Host {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(name) ?? []
  return { host: bracketed ?? plain ?? name, port: Number(port ?? 5432) }
}

/** What a connection or a pool is opened with. With several hosts, it is to the one that takes changes. */
export function connectTo(url: string | undefined): {
  connectionString: string | undefined
  Client?: new () => pg.Client
} {
  const several = url === undefined ? undefined : readHosts(url)
  if (!several) return { connectionString: url }
  const known = found.get(url!) ?? new DatabaseHosts(several.firstUrl, several.hosts)
  found.set(url!, known)
  return { connectionString: several.firstUrl, Client: createClientClass(known) as new () => pg.Client }
}

/** A connection that is not of a pool. */
export function createClient(url: string, config: pg.ClientConfig = {}): pg.Client {
  const { connectionString, Client = pg.Client } = connectTo(url)
  return new (Client as typeof pg.Client)({ ...config, connectionString })
}

/** What this process knows of the hosts of an address. */
const found = new Map<string, DatabaseHosts>()

const SEARCH_EVERY_MS = 300
const PROBE_MS = 2_000
/** Less than what a pool waits for a connection. */
const MAX_WAIT_MS = 3_500
const WATCH_EVERY_MS = 2_000
const MAX_MISSES = 2

/**
 * The hosts of one database, of which one takes changes. Once it is lost, all are asked until one of them takes changes, and
 * connections to any other are cut: one to a host that went silent would wait for its answer for long.
 */
class DatabaseHosts {
  readonly #url: string
  readonly #hosts: readonly Host[]
  readonly #open = new Map<pg.Client, Host>()
  #primary: Host | undefined
  #search: Promise<Host> | undefined
  #watch: NodeJS.Timeout | undefined
  #misses = 0

  constructor(url: string, hosts: readonly Host[]) {
    this.#url = url
    this.#hosts = hosts
  }

  async primary(): Promise<Host> {
    this.#watch ??= setInterval(() => void this.#check(), WATCH_EVERY_MS).unref()
    return this.#primary ?? withTimeLimit(this.#find(), MAX_WAIT_MS)
  }

  /** A connection to this host failed, or the host is a standby now. */
  lost(host: Host): void {
    if (this.#primary !== host) return
    this.#primary = undefined
    this.#find().catch(() => undefined)
  }

  opened(client: pg.Client, host: Host): void {
    this.#open.set(client, host)
    client.once('end', () => this.#open.delete(client))
  }

  #find(): Promise<Host> {
    this.#search ??= this.#searchAll().finally(() => {
      this.#search = undefined
    })
    return this.#search
  }

  /** Goes on until it is found, for as long as the process lives. */
  async #searchAll(): Promise<Host> {
    for (;;) {
      const host = await Promise.any(this.#hosts.map(one => this.#probe(one))).catch(() => undefined)
      if (host) {
        this.#primary = host
        this.#misses = 0
        for (const [client, other] of this.#open) if (other !== host) streamOf(client).destroy()
        return host
      }
      await new Promise(resolve => setTimeout(resolve, SEARCH_EVERY_MS).unref())
    }
  }

  /** Rejects unless the host takes changes. */
  async #probe(host: Host): Promise<Host> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'coinop probe',
      connectionTimeoutMillis: PROBE_MS,
    })
    client.on('error', () => undefined)
    await connect(client, host)
    client.end().catch(() => undefined)
    return host
  }

  async #check(): Promise<void> {
    const host = this.#primary
    if (!host) return
    try {
      await this.#probe(host)
      this.#misses = 0
    } catch {
      if (++this.#misses >= MAX_MISSES) this.lost(host)
    }
  }
}

function createClientClass(hosts: DatabaseHosts): typeof pg.Client {
  return class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null, client?: pg.Client) => void): void
    override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<pg.Client> | undefined {
      const connecting = this.#connect()
      if (!callback) return connecting
      connecting.then(client => callback(null, client), callback)
      return undefined
    }

    async #connect(): Promise<pg.Client> {
      let host = await hosts.primary()
      // A client cannot connect twice, so it is found out before whether the host has gone.
      if (!(await acceptsConnections(host))) {
        hosts.lost(host)
        host = await hosts.primary()
      }
      try {
        await connect(this, host)
      } catch (error) {
        hosts.lost(host)
        throw error
      }
      hosts.opened(this, host)
      return this
    }
  }
}

async function acceptsConnections({ host, port }: Host): Promise<boolean> {
  const socket = createConnection({ host, port, timeout: PROBE_MS })
  try {
    await Promise.race([
      once(socket, 'connect'),
      once(socket, 'timeout').then(() => {
        throw new Error('it does not answer')
      }),
    ])
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Connects to a host; rejects if it is a standby, as it says itself when it greets. */
async function connect(client: pg.Client, { host, port }: Host): Promise<void> {
  Object.assign(client, { host, port })
  let isStandby = false
  connectionOf(client).on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (parameterName === 'in_hot_standby') isStandby = parameterValue === 'on'
  })
  const connectAsUsual = pg.Client.prototype.connect as (this: pg.Client) => Promise<unknown>
  await connectAsUsual.call(client)
  if (!isStandby) return
  client.end().catch(() => undefined)
  throw Object.assign(new Error(`${host}:${port} is a standby`), { code: '57P03' })
}

interface PgConnection {
  stream: Duplex
  on(event: 'parameterStatus', listener: (status: { parameterName: string; parameterValue: string }) => void): void
}

function connectionOf(client: pg.Client): PgConnection {
  return (client as unknown as { connection: PgConnection }).connection
}

function streamOf(client: pg.Client): Duplex {
  return connectionOf(client).stream
}

async function withTimeLimit<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error('no host of the database takes changes'), { code: '57P03' })
    timer = setTimeout(() => reject(error), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
