import pg from 'pg'
import { isProblemCode, Problem } from '#kit'
// Functions of products raise the problems that their products declare.
import '../tasks/products/index.ts'
import {
  type ConnectionOptions,
  DatabaseUnavailable,
  isUnavailable,
  KEEP_IDLE_MS,
  observe,
  ReconnectingClient,
  SharedStatement,
} from './connection.ts'
import { connectTo } from './hosts/primary.ts'

/** int8 values are amounts of money, so they must not become floats. */
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt)

/** Runs statements: the pool, or one connection inside a transaction. */
export interface Db {
  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

export interface DbPool extends Db {
  readonly url: string
  /** How many connections are open, how many of them are idle, and how many statements wait for one. */
  countConnections(): { total: number; idle: number; waiting: number }
  end(): Promise<void>
}

export function openDb(
  url: string,
  options: { size?: number; name: string; answerMs?: number; onError?: (error: Error) => void },
): DbPool {
  const pool = new pg.Pool({
    ...connectTo(url),
    max: options.size ?? 5,
    application_name: `coinop ${options.name}`,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: KEEP_IDLE_MS,
    idle_in_transaction_session_timeout: 10_000,
    statement_timeout: 30_000,
    query_timeout: options.answerMs ?? 35_000,
    allowExitOnIdle: true,
  })
  pool.on('error', error => options.onError?.(error))
  // A connection that is being closed has left the pool, and an unhandled error event of it would end the process.
  pool.on('connect', client => client.on('error', () => undefined))
  return {
    url,
    query: config => observe(config.text, () => pool.query(config).catch(throwTranslated)) as never,
    countConnections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: () => pool.end(),
  }
}

export async function rows<Row extends pg.QueryResultRow>(
  db: Db,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const result = await db.query<Row>({ text, values })
  return result.rows
}

/** Returns the one value of a statement that calls a function. */
export async function value<Value>(db: Db, text: string, values: unknown[] = []): Promise<Value> {
  const [row] = await rows<Record<string, Value>>(db, text, values)
  return Object.values(row!)[0]!
}

/**
 * Throws a database error as what it means. An expected refusal has SQLSTATE SVC01, the problem's code as its message and
 * hints as JSON in its detail.
 */
export function throwTranslated(error: unknown): never {
  if (!(error instanceof Error)) throw error
  const { code, detail } = error as pg.DatabaseError
  if (code === 'SVC01' && isProblemCode(error.message)) {
    throw new Problem(error.message, detail ? (JSON.parse(detail) as Record<string, unknown>) : {})
  }
  throw isUnavailable(error) ? new DatabaseUnavailable(error) : error
}

/** A connection of its own whose errors are what they mean: problems, or that the database cannot be reached. */
export class Connection extends ReconnectingClient {
  constructor(url: string, name: string, options: ConnectionOptions = {}) {
    super(url, name, { ...options, translate: throwTranslated })
  }
}

/** Calls of an SQL function that share statements. `translate` is for refusals that are no problems. */
export function openSharedStatement(
  url: string,
  name: string,
  {
    translate,
    ...options
  }: { of: string; limit: number; translate?(verdict: string, result: unknown): Error | undefined },
): SharedStatement {
  const refuse = (verdict: string, result: unknown) => {
    const refusal = translate?.(verdict, result)
    if (refusal) return refusal
    if (isProblemCode(verdict)) return new Problem(verdict, (result ?? {}) as Record<string, unknown>)
    return new Error(`${options.of} answered with an unknown verdict: ${verdict}`)
  }
  return new SharedStatement(new Connection(url, name, { isHot: true }), { ...options, refuse })
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
