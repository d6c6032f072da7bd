import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Point {
  id: string
  vector: number[]
  payload: Record<string, unknown>
}

interface Collection {
  size: number
  distance: 'Cosine' | 'Dot' | 'Euclid'
  points: Map<string, Point>
  indexed: string[]
}

/** Keeps points, filters and compares them as Qdrant does by its REST API, over all of them. */
export interface FakeQdrant extends AsyncDisposable {
  url: string
  collections: Map<string, Collection>
  /** Method and path of each call. */
  asked: string[]
  keys: Set<string | undefined>
  /** Answers this status, or cuts the connection off, instead of working. */
  fault?: number | 'cut-after-writing' | undefined
  /** Works, and answers no write of points while it is set. */
  isHeld?: boolean
  /** Awaited before a call is performed. */
  before?: (call: string) => Promise<void> | undefined
  /** Awaited once, between a search and its answer. */
  afterSearch?: (() => Promise<void>) | undefined
  count(): number
  clear(): void
}

interface Condition {
  key?: string
  match?: { value: unknown }
  range?: Partial<Record<'gt' | 'gte' | 'lt' | 'lte', number>>
  must?: Condition[]
  should?: Condition[]
  must_not?: Condition[]
}

export async function openFakeQdrant(): Promise<FakeQdrant> {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fake: FakeQdrant = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ collections: new Map(), asked: [], keys: new Set() },
    count: () => Array.from(fake.collections.values(), ({ points }) => points.size).reduce((sum, one) => sum + one, 0),
    clear: () => {
      for (const { points } of fake.collections.values()) points.clear()
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { pathname } = new URL(request.url!, fake.url)
    fake.asked.push(`${request.method} ${pathname}`)
    fake.keys.add(request.headers['api-key'] as string | undefined)
    await fake.before?.(`${request.method} ${pathname}`)
    const { status, result } = answer(request.method!, pathname, text)
    if (fake.fault === 'cut-after-writing') return void request.socket.destroy()
    if (fake.isHeld && pathname.endsWith('/points')) return
    if (pathname.endsWith('/query')) await finishSearch()
    const body = status === 200 ? { result, status: 'ok', time: 0.001 } : { status: { error: 'refused' }, time: 0 }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  function answer(method: string, path: string, text: string): Answer {
    return typeof fake.fault === 'number'
      ? { status: fake.fault }
      : perform(fake, method, path, JSON.parse(text || '{}') as Asked)
  }

  async function finishSearch(): Promise<void> {
    const { afterSearch } = fake
    delete fake.afterSearch
    await afterSearch?.()
  }
  return fake
}

interface Asked {
  vectors: Pick<Collection, 'size' | 'distance'>
  field_name: string
  points: Point[]
  filter?: Condition
  query: number[]
  limit: number
}
interface Answer {
  status: number
  result?: unknown
}

const CALLS: Record<string, (collection: Collection, body: Asked) => Answer> = {
  'PUT ': () => ({ status: 409 }),
  'GET ': ({ points }) => ({ status: 200, result: { points_count: points.size } }),
  'PUT index': (collection, { field_name: field }) => {
    collection.indexed.push(field)
    return { status: 200, result: {} }
  },
  'PUT points': (collection, { points }) => upsert(collection, points),
  'POST points/delete': (collection, body) => remove(collection, body as unknown as Removal),
  'POST points/query': (collection, body) => ({ status: 200, result: { points: search(collection, body) } }),
}

function perform({ collections }: FakeQdrant, method: string, path: string, body: Asked): Answer {
  const [, , name = '', ...rest] = path.split('/')
  const call = `${method} ${rest.join('/')}`
  const collection = collections.get(name)
  if (collection) return CALLS[call]?.(collection, body) ?? { status: 404 }
  if (call !== 'PUT ') return { status: 404 }
  collections.set(name, { ...body.vectors, points: new Map(), indexed: [] })
  return { status: 200, result: true }
}

interface Removal {
  points?: string[]
  filter?: Condition
}

function remove({ points }: Collection, { points: ids = [], filter }: Removal): Answer {
  for (const id of ids) points.delete(id)
  for (const { id, payload } of filter ? Array.from(points.values()) : [])
    if (holds(filter!, payload)) points.delete(id)
  return { status: 200, result: {} }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function upsert({ points, size }: Collection, added: readonly Point[]): Answer {
  if (added.some(({ id, vector }) => !UUID.test(id) || vector.length !== size)) return { status: 400 }
  for (const point of added) points.set(point.id, point)
  return { status: 200, result: { status: 'completed' } }
}

function search({ points, distance }: Collection, { query, limit, filter = {} }: Asked) {
  return Array.from(points.values())
    .filter(({ payload }) => holds(filter, payload))
    .map(({ id, vector, payload }) => ({
      id,
      payload: { number: payload.number },
      score: score(distance, query, vector),
    }))
    .sort((one, other) => (distance === 'Euclid' ? one.score - other.score : other.score - one.score))
    .slice(0, limit)
}

const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, index) => sum + value * other[index]!, 0)

function score(distance: Collection['distance'], one: number[], other: number[]): number {
  if (distance === 'Euclid') return Math.hypot(...one.map((value, index) => value - other[index]!))
  return distance === 'Dot' ? dot(one, other) : dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
}

/** All of `must`, none of `must_not`, and one of `should` if there are any. */
function holds(condition: Condition, payload: Record<string, unknown>): boolean {
  const { must = [], should = [], must_not: not = [], key } = condition
  if (key !== undefined) return test(condition, key, payload)
  return (
    must.every(part => holds(part, payload)) &&
    !not.some(part => holds(part, payload)) &&
    (should.length === 0 || should.some(part => holds(part, payload)))
  )
}

/** Of a list, one of its values has to match. */
function test({ match, range }: Condition, key: string, payload: Record<string, unknown>): boolean {
  const found = key
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], payload)
  return [found].flat().some(value => {
    if (match) return value === match.value
    if (typeof value !== 'number' || !range) return false
    const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range
    return value > gt && value >= gte && value < lt && value <= lte
  })
}
