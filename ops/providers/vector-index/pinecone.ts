import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import { pollUntil } from '../../back-off.ts'
import { openProviderClient, type ProviderClient, ProviderRefusal } from '../http/client.ts'
import type { IndexedVector, NearestSearch, VectorIndex, VectorSpace } from './contract.ts'
import { selectMetadata, translateFilter } from './pinecone-filter.ts'
import { openPineconeIndexes, type PineconeOptions } from './pinecone-indexes.ts'

const API_VERSION = '2026-04'
const MAX_DIMENSIONS = 20_000
const SEARCH_MS = 5_000
const WRITE_MS = 60_000
const SETTLE_MS = 60_000
/** Of one call that writes; two megabytes are refused. */
const BATCH_BYTES = 1_900_000
const BATCH_VECTORS = 1_000
const POLL_MS = 250

/**
 * One index for each metric and number of dimensions, because a project may have few of them, and one of its namespaces for
 * each of ours.
 */
export function openPinecone(options: PineconeOptions): VectorIndex {
  const headers = { 'api-key': options.apiKey, 'x-pinecone-api-version': API_VERSION }
  const open = (baseUrl: string) => openProviderClient({ provider: 'pinecone', baseUrl, headers })
  const indexes = openPineconeIndexes(options, open)
  /** The last write to each of its namespaces, as numbered by its log. */
  const written = new Map<string, number>()

  async function put(space: VectorSpace, vectors: readonly IndexedVector[], signal: AbortSignal): Promise<void> {
    const client = await indexes.openOrCreate(space, signal)
    for (const json of buildBatches(space, vectors)) {
      const sequence = await write(client, { path: '/vectors/upsert', json, signal })
      if (sequence !== undefined) written.set(json.namespace, sequence)
    }
  }

  /** Each search tells how much of the log it has seen. A process that knows of no write makes one that changes nothing. */
  async function settle(space: VectorSpace, signal: AbortSignal): Promise<void> {
    const client = await indexes.openOrCreate(space, signal)
    const namespace = nameNamespace(space)
    const nothing = { path: '/vectors/delete', json: { ids: ['none'], namespace }, signal }
    const last = written.get(namespace) ?? (await write(client, nothing))
    if (last === undefined) throw unavailable({ detail: 'its answer to a write has no log sequence number' })
    const hasSeen = async () => ((await readSeen(client, space, signal)) >= last ? true : undefined)
    const isFound = await pollUntil(hasSeen, { withinMs: SETTLE_MS, everyMs: POLL_MS })
    if (!isFound) throw unavailable({ detail: 'what was written is not found yet' })
  }

  async function remove(space: VectorSpace, numbers: readonly number[], signal: AbortSignal): Promise<void> {
    const client = await indexes.open(space, signal)
    for (let start = 0; client && start < numbers.length; start += BATCH_VECTORS) {
      const ids = numbers.slice(start, start + BATCH_VECTORS).map(String)
      const json = { ids, namespace: nameNamespace(space) }
      await unlessMissing(() => write(client, { path: '/vectors/delete', json, signal }))
    }
  }

  async function drop(space: VectorSpace, signal: AbortSignal): Promise<void> {
    const client = await indexes.open(space, signal)
    if (!client) return
    const json = { deleteAll: true, namespace: nameNamespace(space) }
    await unlessMissing(() => write(client, { path: '/vectors/delete', json, signal }))
  }

  async function findNearest(space: VectorSpace, search: NearestSearch): Promise<number[] | undefined> {
    const filter = search.filter && translateFilter(search.filter.written)
    if (search.filter && !filter) return undefined
    const client = await indexes.open(space, AbortSignal.timeout(SEARCH_MS))
    if (!client) throw unavailable({ detail: 'it has no such index' })
    const json = { ...describeQuery(space, search.query, search.limit), ...(filter && { filter }) }
    try {
      return readNumbers(await client({ path: '/query', json, timeoutMs: SEARCH_MS }))
    } catch (error) {
      indexes.forget(space)
      throw error instanceof ProviderRefusal ? unavailable({ providerStatus: error.status }) : error
    }
  }

  return {
    ...{ name: 'pinecone', maxDimensions: MAX_DIMENSIONS, put, settle, remove, drop, findNearest },
    // It indexes by itself.
    build: async () => undefined,
    close: async () => undefined,
  }
}

/** No name of a caller's is one of its names. */
function nameNamespace({ batonId, namespace }: VectorSpace): string {
  return createHash('sha256').update(`${batonId} ${namespace}`).digest('hex').slice(0, 40)
}

interface Batch {
  namespace: string
  vectors: object[]
}

/** Batches that are small enough to be taken. */
function* buildBatches(space: VectorSpace, vectors: readonly IndexedVector[]): Generator<Batch> {
  let batch: object[] = []
  let sizeBytes = 0
  const finish = () => ({ namespace: nameNamespace(space), vectors: batch })
  for (const { number, floats, metadata } of vectors) {
    const vector = { id: String(number), values: Array.from(floats), metadata: selectMetadata(metadata) }
    const vectorBytes = Buffer.byteLength(JSON.stringify(vector)) + 1
    if (batch.length === BATCH_VECTORS || (batch.length > 0 && sizeBytes + vectorBytes > BATCH_BYTES)) {
      yield finish()
      batch = []
      sizeBytes = 0
    }
    batch.push(vector)
    sizeBytes += vectorBytes
  }
  if (batch.length > 0) yield finish()
}

interface Write {
  path: string
  json: object
  signal: AbortSignal
}

/** The number of a write in the log of its namespace. */
async function write(client: ProviderClient, { path, json, signal }: Write): Promise<number | undefined> {
  const limits = { signal, timeoutMs: WRITE_MS, isRepeatable: true }
  return readSequence(await client({ path, json, answerHeader: 'x-pinecone-request-lsn', ...limits }))
}

async function readSeen(client: ProviderClient, space: VectorSpace, signal: AbortSignal): Promise<number> {
  const json = describeQuery(space, new Float32Array(space.dimensions).fill(1), 1)
  const limits = { signal, timeoutMs: SEARCH_MS, isRepeatable: true }
  const answerHeader = 'x-pinecone-max-indexed-lsn'
  return readSequence(await client({ path: '/query', json, answerHeader, ...limits })) ?? -1
}

function readSequence(header: unknown): number | undefined {
  const number = typeof header === 'string' && header !== '' ? Number(header) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

function describeQuery(space: VectorSpace, query: Float32Array, limit: number): object {
  const shown = { includeMetadata: false, includeValues: false }
  return { namespace: nameNamespace(space), vector: Array.from(query), topK: limit, ...shown }
}

function readNumbers(answer: unknown): number[] {
  const { matches } = (answer ?? {}) as { matches?: ({ id?: unknown } | null)[] }
  if (!Array.isArray(matches)) throw unavailable({ detail: 'its answer has no matches' })
  const numbers = matches.map(match => Number(match?.id ?? Number.NaN))
  return numbers.filter(number => Number.isSafeInteger(number))
}

async function unlessMissing(run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error
    if (error.status !== 404) throw unavailable({ providerStatus: error.status })
  }
}

function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'vector.store', provider: 'pinecone', ...hints })
}
