import { createHash } from 'node:crypto'
import pg from 'pg'
import { Problem } from '#kit'
import { Circuit } from '../http/circuit.ts'
import type { IndexedVector, NearestSearch, VectorIndex, VectorSpace } from './contract.ts'

const SCHEMA = 'coinop_vectors'
/** Of more, the type `vector` has no index. */
const MAX_DIMENSIONS = 2_000
const SEARCH_MS = 5_000
const WRITE_MS = 60_000
/** Less than its step may take. */
const BUILD_MS = 3_500_000
const MAX_EF_SEARCH = 1_000
const MIN_EF_SEARCH = 200
/** How many the index looks at, beyond its first ones, for such as pass a filter. */
const MAX_SCANNED = 20_000
const BUILD_MEMORY = '512MB'
const OPERATORS = {
  cosine: { order: '<=>', operators: 'vector_cosine_ops' },
  dot: { order: '<#>', operators: 'vector_ip_ops' },
  l2: { order: '<->', operators: 'vector_l2_ops' },
} as const

/** A table with an HNSW index for each namespace, in any Postgres with the extension. */
export function openPgvector(connection: pg.PoolConfig): VectorIndex {
  const pool = new pg.Pool({
    ...{ ...connection, max: 4, application_name: 'coinop vectors', allowExitOnIdle: true },
    ...{ connectionTimeoutMillis: SEARCH_MS, idle_in_transaction_session_timeout: 60_000 },
  })
  pool.on('error', () => undefined)
  const circuit = new Circuit()
  const created = new Set<string>()

  async function findNearest(space: VectorSpace, search: NearestSearch): Promise<number[]> {
    if (!circuit.isClosed()) throw unavailable({ retryAfterSeconds: circuit.retryAfterSeconds() })
    try {
      const numbers = await transact(pool, SEARCH_MS, client => searchTable(client, space, search))
      circuit.succeeded()
      return numbers
    } catch (error) {
      circuit.failed()
      throw unavailable({ reason: describe(error) })
    }
  }

  return {
    ...{ name: 'pgvector', maxDimensions: MAX_DIMENSIONS, findNearest },
    async put(space, vectors) {
      const table = nameTable(space)
      if (!created.has(table)) await transact(pool, WRITE_MS, client => createTable(client, space))
      created.add(table)
      await transact(pool, WRITE_MS, client => fillTable(client, space, vectors))
    },
    async remove(space, numbers) {
      const { rows } = await pool.query('select to_regclass($1) as found', [nameTable(space)])
      if (rows[0]?.found === null) return
      await pool.query(`delete from ${nameTable(space)} where number = any ($1)`, [numbers])
    },
    build: space => transact(pool, BUILD_MS, client => indexTable(client, space)),
    drop: async space => void (await pool.query(`drop table if exists ${nameTable(space)}`)),
    close: () => pool.end(),
  }
}

function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'vector.store', provider: 'pgvector', ...hints })
}

/** Messages of network errors name addresses, so only their code is told. */
function describe(error: unknown): string {
  return String((error as { code?: unknown }).code ?? 'no answer in time')
}

async function transact<Result>(
  pool: pg.Pool,
  limitMs: number,
  run: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`set local statement_timeout = ${limitMs}`)
    const result = await run(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** No name of a caller's becomes part of a statement. */
function nameTable({ batonId, namespace }: VectorSpace): string {
  return `${SCHEMA}.${nameSpace(batonId, namespace)}`
}

function nameSpace(batonId: string, namespace: string): string {
  return `v_${createHash('sha256').update(`${batonId} ${namespace}`).digest('hex').slice(0, 40)}`
}

/** Two that create the extension or the schema at once would fail, so one waits for the other. */
async function createTable(client: pg.PoolClient, space: VectorSpace): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtext($1))', [SCHEMA])
  await client.query('create extension if not exists vector')
  await client.query(`create schema if not exists ${SCHEMA}`)
  await client.query(
    `create table if not exists ${nameTable(space)} (number integer primary key, metadata jsonb not null, embedding vector(${space.dimensions}) not null)`,
  )
}

async function fillTable(client: pg.PoolClient, space: VectorSpace, vectors: readonly IndexedVector[]): Promise<void> {
  const numbers = vectors.map(({ number }) => number)
  const metadata = vectors.map(vector => JSON.stringify(vector.metadata))
  const embeddings = vectors.map(({ floats }) => writeVector(floats))
  await client.query(
    `insert into ${nameTable(space)} (number, metadata, embedding)
      select n, m::jsonb, e::vector from unnest($1::integer[], $2::text[], $3::text[]) v (n, m, e)
      on conflict (number) do update set metadata = excluded.metadata`,
    [numbers, metadata, embeddings],
  )
}

async function indexTable(client: pg.PoolClient, space: VectorSpace): Promise<void> {
  const { operators } = OPERATORS[space.metric]
  await client.query(`set local maintenance_work_mem = '${BUILD_MEMORY}'`)
  await client.query(
    `create index if not exists ${nameSpace(space.batonId, space.namespace)}_nearest on ${nameTable(space)} using hnsw (embedding ${operators})`,
  )
  await client.query(`analyze ${nameTable(space)}`)
}

async function searchTable(
  client: pg.PoolClient,
  space: VectorSpace,
  { query, limit, filter }: NearestSearch,
): Promise<number[]> {
  const depth = Math.min(MAX_EF_SEARCH, Math.max(MIN_EF_SEARCH, 2 * limit))
  await client.query(
    `set local hnsw.ef_search = ${depth}; set local hnsw.iterative_scan = strict_order; set local hnsw.max_scan_tuples = ${MAX_SCANNED}; set local enable_seqscan = off; set local jit = off`,
  )
  const { order } = OPERATORS[space.metric]
  const text = `select number from ${nameTable(space)} ${filter ? 'where metadata @@ $3::jsonpath' : ''} order by embedding ${order} $1::vector limit $2`
  const values = [writeVector(query), limit, ...(filter ? [filter.path] : [])]
  const { rows } = await client.query<{ number: number }>(text, values)
  return rows.map(({ number }) => number)
}

function writeVector(floats: Float32Array): string {
  return `[${floats.join(',')}]`
}
