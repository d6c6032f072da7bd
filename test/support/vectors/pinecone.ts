import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { holds, isFilter, type PineconeFilter, score } from './pinecone-search.ts'

export interface PineconeVector {
  id: string
  values: number[]
  metadata: Record<string, unknown>
}

/** What was written to a namespace, and how much of that a search sees. */
interface Namespace {
  vectors: Map<string, PineconeVector>
  written: number
  seen: number
  unseen: { apply(vectors: Namespace['vectors']): void; searches: number }[]
}

interface Index {
  name: string
  dimension: number
  metric: 'cosine' | 'dotproduct' | 'euclidean'
  spec: unknown
  host: string
  isReady: boolean
  namespaces: Map<string, Namespace>
}

/** Keeps vectors as Pinecone does by its REST API: each index has a host, and what is written is found by a later search. */
export interface FakePinecone extends AsyncDisposable {
  /** Of the control plane. */
  url: string
  indexes: Map<string, Index>
  asked: string[]
  keys: Set<string | undefined>
  fault?: number | undefined
  /** Tells of no write its number in the log. */
  isUnnumbered?: boolean
  before?: (call: string) => Promise<void> | undefined
  afterSearch?: (() => Promise<void>) | undefined
  /** Bytes of each body of vectors. */
  upserts: number[]
  count(): number
  clear(): void
}

interface Answer {
  status: number
  json?: unknown
  headers?: Record<string, string>
}

export async function openFakePinecone(): Promise<FakePinecone> {
  const servers: Server[] = []
  const listen = async (handle: (path: string, text: string) => Answer | Promise<Answer>): Promise<string> => {
    const server = createServer((request, response) => void serve(request, response, handle))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    servers.push(server)
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const fake: FakePinecone = {
    ...{ url: '', indexes: new Map(), asked: [], keys: new Set(), upserts: [] },
    count: () => listNamespaces(fake).reduce((sum, namespace) => sum + readAll(namespace).size, 0),
    clear: () => {
      for (const namespace of listNamespaces(fake)) Object.assign(namespace, { vectors: new Map(), unseen: [] })
    },
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    handle: (path: string, text: string) => Answer | Promise<Answer>,
  ): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const call = `${request.method} ${request.url}`
    fake.asked.push(call)
    fake.keys.add(request.headers['api-key'] as string | undefined)
    await fake.before?.(call)
    const isVersioned = /^20\d\d-\d\d$/.test(String(request.headers['x-pinecone-api-version']))
    const { status, json, headers } = fake.fault
      ? { status: fake.fault, headers: {} }
      : isVersioned
        ? await handle(call, Buffer.concat(chunks).toString())
        : { status: 400 }
    if (call === 'POST /query') {
      const { afterSearch } = fake
      delete fake.afterSearch
      await afterSearch?.()
    }
    response
      .writeHead(status, { 'content-type': 'application/json', ...(fake.isUnnumbered ? {} : headers) })
      .end(JSON.stringify(json ?? {}))
  }

  async function control(call: string, text: string): Promise<Answer> {
    if (call === 'POST /indexes') return create(JSON.parse(text))
    const index = fake.indexes.get(call.replace('GET /indexes/', ''))
    if (!index) return { status: 404 }
    const { name, dimension, metric, host, isReady } = index
    // It is asked at least once before it is ready.
    index.isReady = true
    return { status: 200, json: { name, dimension, metric, host, status: { ready: isReady } } }
  }

  async function create({ name, dimension, metric, spec }: Index): Promise<Answer> {
    if (fake.indexes.has(name)) return { status: 409 }
    if (!/^[a-z0-9-]{1,45}$/.test(name)) return { status: 400 }
    const index: Index = { name, dimension, metric, spec, host: '', isReady: false, namespaces: new Map() }
    fake.indexes.set(name, index)
    index.host = await listen((call, text) => perform(fake, index, call, text))
    return { status: 201, json: {} }
  }

  fake.url = `http://${await listen(control)}`
  return fake
}

function listNamespaces({ indexes }: FakePinecone): Namespace[] {
  return Array.from(indexes.values(), ({ namespaces }) => Array.from(namespaces.values())).flat()
}

function readAll({ vectors, unseen }: Namespace): Namespace['vectors'] {
  const all = new Map(vectors)
  for (const { apply } of unseen) apply(all)
  return all
}

const MAX_BODY_BYTES = 2_000_000

function perform(fake: FakePinecone, index: Index, call: string, text: string): Answer {
  const body = JSON.parse(text)
  const namespace: Namespace = index.namespaces.get(body.namespace) ?? {
    ...{ vectors: new Map(), written: 0, seen: 0, unseen: [] },
  }
  index.namespaces.set(body.namespace, namespace)
  if (call === 'POST /query') return search(index, namespace, body)
  if (call === 'POST /vectors/delete')
    return note(namespace, vectors => {
      if (body.deleteAll) vectors.clear()
      for (const id of body.ids ?? []) vectors.delete(id)
    })
  const added = body.vectors as PineconeVector[]
  fake.upserts.push(Buffer.byteLength(text))
  if (Buffer.byteLength(text) > MAX_BODY_BYTES || added.length > 1_000 || !added.every(one => isTaken(one, index)))
    return { status: 400, json: { code: 3, message: 'refused' } }
  return note(namespace, vectors => {
    for (const vector of added) vectors.set(vector.id, vector)
  })
}

function note(namespace: Namespace, apply: (vectors: Namespace['vectors']) => void): Answer {
  namespace.written++
  namespace.unseen.push({ apply, searches: 0 })
  return { status: 200, headers: { 'x-pinecone-request-lsn': String(namespace.written) } }
}

function isTaken({ id, values, metadata }: PineconeVector, { dimension }: Index): boolean {
  const isField = ([name, value]: [string, unknown]) =>
    name !== '' &&
    !name.startsWith('$') &&
    (['string', 'number', 'boolean'].includes(typeof value) ||
      (Array.isArray(value) && value.every(part => typeof part === 'string')))
  return typeof id === 'string' && values.length === dimension && Object.entries(metadata).every(isField)
}

interface Query {
  vector: number[]
  topK: number
  filter?: PineconeFilter
}

function search({ metric, dimension }: Index, namespace: Namespace, { vector, topK, filter }: Query): Answer {
  if (vector.length !== dimension || (filter && !isFilter(filter))) return { status: 400 }
  const matches = Array.from(namespace.vectors.values())
    .filter(({ metadata }) => !filter || holds(filter, metadata))
    .map(({ id, values }) => ({ id, score: score(metric, vector, values) }))
    .sort((one, other) => (metric === 'euclidean' ? one.score - other.score : other.score - one.score))
    .slice(0, topK)
  const headers = { 'x-pinecone-max-indexed-lsn': String(namespace.seen) }
  for (const write of namespace.unseen) write.searches++
  while (namespace.unseen[0] && namespace.unseen[0].searches >= 2) {
    namespace.unseen.shift()!.apply(namespace.vectors)
    namespace.seen++
  }
  return { status: 200, json: { matches }, headers }
}
