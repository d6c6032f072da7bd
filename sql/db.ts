import pg from 'pg'
import { isProblemCode, Problem } from '#kit'

/** int8 is money here: never a float. */
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt)

/** Whoever can run a statement: the pool, or one connection inside a transaction. */
export interface Db {
  query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

export interface DbPool extends Db {
  readonly url: string
  end(): Promise<void>
}

/** The database is away for a moment; what was asked may or may not have been done. */
export class DatabaseAway extends Error {
  constructor(cause: unknown) {
    super('the database is not reachable', { cause })
    this.name = 'DatabaseAway'
  }
}

export function openDb(
  url: string,
  options: { size?: number; name: string; onError?: (error: Error) => void },
): DbPool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.size ?? 5,
    application_name: `coinop ${options.name}`,
    connectionTimeoutMillis: 5_000,
    idle_in_transaction_session_timeout: 10_000,
    statement_timeout: 30_000,
    query_timeout: 35_000,
    allowExitOnIdle: true,
  })
  pool.on('error', error => options.onError?.(error))
  // A connection that is just being closed no longer belongs to the pool, and its last word would end the process.
  pool.on('connect', client => client.on('error', () => undefined))
  return {
    url,
    query: config => pool.query(config).catch(translate) as never,
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

/** The one value of a statement that calls a function. */
export async function value<Value>(db: Db, text: string, values: unknown[] = []): Promise<Value> {
  const [row] = await rows<Record<string, Value>>(db, text, values)
  return Object.values(row!)[0]!
}

/** An expected refusal comes as SQLSTATE SVC01 with the problem's code as its message and hints as JSON detail. */
export function translate(error: unknown): never {
  if (!(error instanceof Error)) throw error
  const { code, detail } = error as pg.DatabaseError
  if (code === 'SVC01' && isProblemCode(error.message)) {
    throw new Problem(error.message, detail ? (JSON.parse(detail) as Record<string, unknown>) : {})
  }
  throw isAway(error) ? new DatabaseAway(error) : error
}

const AWAY_CODES = /^(08...|57P0[123]|53300|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT)$/
const AWAY_MESSAGE =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|Client has encountered|Query read timeout/i

export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: string }
  return (code !== undefined && AWAY_CODES.test(code)) || AWAY_MESSAGE.test(error.message)
}
