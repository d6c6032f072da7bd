import pg from 'pg'
import { type Db, throwTranslated } from '../db.ts'
import { connectTo } from '../hosts/primary.ts'

/** Who acts: the hash of their session, by which the database finds the operator, and from where. */
interface Acting {
  session: Buffer
  address: string
  /** The form that was sent, by which one that is sent twice is known. */
  form?: string
}

/** Runs statements in the name of an operator. */
export interface ActingDb {
  as(acting: Acting): Db
  end(): Promise<void>
}

/** What `operator.require` reads in a transaction. PostGraphile sets the same. */
export function toOperatorSettings({ session, address, form = '' }: Acting): Record<string, string> {
  return { 'operator.session': session.toString('hex'), 'operator.address': address, 'operator.form': form }
}

export function openActingDb(url: string, onError: (error: Error) => void): ActingDb {
  const pool = new pg.Pool({
    ...connectTo(url),
    // The first page asks for this many figures at once, and none should wait for a connection until it gives up.
    max: 8,
    application_name: 'coinop console',
    connectionTimeoutMillis: 5_000,
    idle_in_transaction_session_timeout: 10_000,
    statement_timeout: 30_000,
    query_timeout: 35_000,
    allowExitOnIdle: true,
  })
  pool.on('error', onError)
  pool.on('connect', client => client.on('error', () => undefined))
  return {
    as: acting => ({ query: config => act(pool, acting, config).catch(throwTranslated) as never }),
    end: () => pool.end(),
  }
}

/** The settings hold for one transaction, so that no later one of the connection acts for the operator. */
async function act(pool: pg.Pool, acting: Acting, config: pg.QueryConfig): Promise<pg.QueryResult> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query('begin')
    const settings = JSON.stringify(toOperatorSettings(acting))
    await client.query('select set_config(key, value, true) from json_each_text($1)', [settings])
    const result = await client.query(config)
    await client.query('commit')
    return result
  } catch (error) {
    failure = error as Error
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    client.release(failure && !('code' in failure))
  }
}
