import pg from 'pg'
import { KEEP_IDLE_MS } from '../../sql/connection.ts'
import { connectTo } from '../../sql/hosts/primary.ts'

/** Connections to the queue of steps. The ids of jobs in the queue stay text, because graphile-worker writes them into JSON, which takes no BigInt. */
export function openStepPool(url: string | undefined): pg.Pool {
  const pool = new pg.Pool({
    ...connectTo(url),
    max: 4,
    application_name: 'coinop steps',
    idleTimeoutMillis: KEEP_IDLE_MS,
    connectionTimeoutMillis: 5_000,
    query_timeout: 25_000,
    types: {
      getTypeParser: (oid, format) =>
        (oid as number) === pg.types.builtins.INT8 ? String : pg.types.getTypeParser(oid, format as 'text'),
    },
  })
  pool.on('error', () => undefined)
  pool.on('connect', client => client.on('error', () => undefined))
  return pool
}
