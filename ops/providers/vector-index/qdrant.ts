import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import { openProviderClient, type ProviderClient, ProviderRefusal } from '../http/client.ts'
import type { IndexedVector, NearestSearch, VectorIndex, VectorSpace } from './contract.ts'
import { translateFilter } from './qdrant-filter.ts'

const MAX_DIMENSIONS = 4_096
const SEARCH_MS = 5_000
const WRITE_MS = 60_000
/** One call stays below the 32 MiB that Qdrant takes by default. */
const BATCH_BYTES = 8 * 2 ** 20
const BYTES_PER_DIMENSION = 22
const MIN_EF = 200
const DISTANCES = { cosine: 'Cosine', dot: 'Dot', l2: 'Euclid' } as const

interface Options {
  url: string
  apiKey?: string | undefined
}

/** One collection for each metric and number of dimensions, because Qdrant takes few of them; namespaces are told by a field. */
export function openQdrant({ url: baseUrl, apiKey }: Options): VectorIndex {
  const headers: Record<string, string> = apiKey ? { 'api-key': apiKey } : {}
  const client = openProviderClient({ provider: 'qdrant', baseUrl, headers })
  const created = new Set<string>()

  async function put(space: VectorSpace, vectors: readonly IndexedVector[], signal: AbortSignal): Promise<void> {
    const collection = nameCollection(space)
    if (!created.has(collection)) await createCollection(client, space, signal)
    created.add(collection)
    const perCall = Math.max(1, Math.floor(BATCH_BYTES / (space.dimensions * BYTES_PER_DIMENSION + 9_000)))
    for (let start = 0; start < vectors.length; start += perCall) {
      const points = vectors.slice(start, start + perCall).map(vector => describePoint(space, vector))
      await client({
        ...{ method: 'PUT', path: `/collections/${collection}/points`, query: { wait: true }, json: { points } },
        ...{ signal, timeoutMs: WRITE_MS, isRepeatable: true },
      })
    }
  }

  const remove = (space: VectorSpace, selection: object, signal: AbortSignal) =>
    unlessMissing(async () => {
      const path = `/collections/${nameCollection(space)}/points/delete`
      const limits = { signal, timeoutMs: WRITE_MS, isRepeatable: true }
      await client({ path, query: { wait: true }, json: selection, ...limits })
    })

  return {
    ...{ name: 'qdrant', maxDimensions: MAX_DIMENSIONS, put },
    findNearest: (space, search) => findNearest(client, space, search),
    remove: (space, numbers, signal) =>
      remove(space, { points: numbers.map(number => identify(space, number)) }, signal),
    // It indexes by itself whenever there is enough to index.
    build: async () => undefined,
    drop: (space, signal) => remove(space, { filter: { must: [ofSpace(space)] } }, signal),
    close: async () => undefined,
  }
}

function nameCollection({ metric, dimensions }: VectorSpace): string {
  return `coinop-${metric}-${dimensions}`
}

/** One that is there already is left as it is. */
async function createCollection(client: ProviderClient, space: VectorSpace, signal: AbortSignal): Promise<void> {
  const path = `/collections/${nameCollection(space)}`
  const limits = { signal, timeoutMs: WRITE_MS }
  const vectors = { size: space.dimensions, distance: DISTANCES[space.metric], on_disk: true }
  try {
    await client({ method: 'PUT', path, json: { vectors }, ...limits })
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error
    await client({ path, ...limits })
  }
  const index = { field_name: 'space', field_schema: { type: 'keyword', is_tenant: true } }
  await client({ method: 'PUT', path: `${path}/index`, query: { wait: true }, json: index, ...limits })
}

/** The same vector always has the same id, so that it can be written again. */
function identify({ batonId, namespace }: VectorSpace, number: number): string {
  const hash = createHash('sha256').update(`${batonId} ${number} ${namespace}`).digest('hex')
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function describePoint(space: VectorSpace, { number, floats, metadata }: IndexedVector) {
  const payload = { space: nameSpace(space), number, metadata }
  return { id: identify(space, number), vector: Array.from(floats), payload }
}

function nameSpace({ batonId, namespace }: VectorSpace): string {
  return `${batonId} ${namespace}`
}

function ofSpace(space: VectorSpace) {
  return { key: 'space', match: { value: nameSpace(space) } }
}

async function findNearest(
  client: ProviderClient,
  space: VectorSpace,
  { query, limit, filter }: NearestSearch,
): Promise<number[] | undefined> {
  const condition = filter && translateFilter(filter.written)
  if (filter && !condition) return undefined
  const json = {
    ...{ query: Array.from(query), limit, with_payload: ['number'], with_vector: false },
    filter: { must: [ofSpace(space), ...(condition ? [condition] : [])] },
    params: { hnsw_ef: Math.max(MIN_EF, 2 * limit) },
  }
  const path = `/collections/${nameCollection(space)}/points/query`
  try {
    return readNumbers(await client({ path, json, timeoutMs: SEARCH_MS }))
  } catch (error) {
    throw toProblem(error)
  }
}

function readNumbers(answer: unknown): number[] {
  const { points } = (answer as { result?: { points?: { payload?: { number?: unknown } }[] } }).result ?? {}
  if (!Array.isArray(points)) throw unavailable({ detail: 'its answer has no points' })
  return points.flatMap(({ payload }) => (Number.isSafeInteger(payload?.number) ? [payload!.number as number] : []))
}

async function unlessMissing(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof ProviderRefusal) || error.status !== 404) throw toProblem(error)
  }
}

function toProblem(error: unknown): unknown {
  return error instanceof ProviderRefusal ? unavailable({ providerStatus: error.status }) : error
}

function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'vector.store', provider: 'qdrant', ...hints })
}
