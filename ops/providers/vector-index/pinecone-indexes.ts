import { Problem } from '#kit'
import { pollUntil } from '../../back-off.ts'
import { type ProviderClient, ProviderRefusal } from '../http/client.ts'
import type { VectorSpace } from './contract.ts'

const METRICS = { cosine: 'cosine', dot: 'dotproduct', l2: 'euclidean' } as const
const DESCRIBE_MS = 10_000
/** A new index takes some seconds. */
const CREATE_MS = 120_000
const POLL_MS = 1_000

export interface PineconeOptions {
  url: string
  apiKey: string
  /** Such as `aws/us-east-1`, where new indexes are. */
  region: string
}

interface DescribedIndex {
  host?: unknown
  dimension?: unknown
  metric?: unknown
  status?: { ready?: unknown }
}

type Terms = Pick<VectorSpace, 'metric' | 'dimensions'>

/** The indexes of the project, each with a host of its own, where its vectors are. */
interface PineconeIndexes {
  /** Undefined if there is none for vectors like these. */
  open(terms: Terms, signal: AbortSignal): Promise<ProviderClient | undefined>
  openOrCreate(terms: Terms, signal: AbortSignal): Promise<ProviderClient>
  /** Its host is asked for again. */
  forget(terms: Terms): void
}

export function openPineconeIndexes(
  { url, region: place }: PineconeOptions,
  openClient: (baseUrl: string) => ProviderClient,
): PineconeIndexes {
  const control = openClient(url)
  const [cloud, region] = place.split('/')
  /** By name. */
  const addresses = new Map<string, string>()
  /** By address; what was learned of one that fails is kept. */
  const clients = new Map<string, ProviderClient>()

  function openAt(address: string): ProviderClient {
    const client = clients.get(address) ?? openClient(address)
    clients.set(address, client)
    return client
  }

  async function describe(terms: Terms, signal: AbortSignal): Promise<DescribedIndex | undefined> {
    try {
      const path = `/indexes/${nameIndex(terms)}`
      return (await control({ path, signal, timeoutMs: DESCRIBE_MS, isRepeatable: true })) as DescribedIndex
    } catch (error) {
      if (error instanceof ProviderRefusal && error.status === 404) return undefined
      throw explain(error)
    }
  }

  async function open(terms: Terms, signal: AbortSignal): Promise<ProviderClient | undefined> {
    const known = addresses.get(nameIndex(terms))
    if (known !== undefined) return openAt(known)
    const index = await describe(terms, signal)
    if (index?.status?.ready !== true) return undefined
    const address = readAddress(index, terms)
    addresses.set(nameIndex(terms), address)
    return openAt(address)
  }

  /** Another worker may create it at the same time. */
  async function create(terms: Terms, signal: AbortSignal): Promise<void> {
    const { metric, dimensions } = terms
    const spec = { serverless: { cloud, region } }
    const json = { name: nameIndex(terms), dimension: dimensions, metric: METRICS[metric], spec }
    try {
      await control({ path: '/indexes', json, signal, timeoutMs: DESCRIBE_MS })
    } catch (error) {
      if (!(error instanceof ProviderRefusal) || error.status !== 409) throw explain(error)
    }
  }

  async function openOrCreate(terms: Terms, signal: AbortSignal): Promise<ProviderClient> {
    const found = await open(terms, signal)
    if (found) return found
    if (!(await describe(terms, signal))) await create(terms, signal)
    const client = await pollUntil(() => open(terms, signal), { withinMs: CREATE_MS, everyMs: POLL_MS })
    return client ?? fail({ detail: 'a new index is not ready yet' })
  }

  /** The protocol is that of the address that the operator knows. */
  function readAddress({ host, dimension, metric }: DescribedIndex, terms: Terms): string {
    if (dimension !== terms.dimensions || metric !== METRICS[terms.metric])
      fail({ detail: `the index ${nameIndex(terms)} has another metric or dimension` })
    const address = typeof host === 'string' && /^(https?:\/\/)?[\w.:-]+\/?$/.exec(host)
    if (!address) return fail({ detail: 'it tells no host of an index' })
    return address[1] ? address[0] : `${new URL(url).protocol}//${address[0]}`
  }

  return { open, openOrCreate, forget: terms => void addresses.delete(nameIndex(terms)) }
}

function nameIndex({ metric, dimensions }: Terms): string {
  return `coinop-${metric}-${dimensions}`
}

function explain(error: unknown): unknown {
  return error instanceof ProviderRefusal ? describeFailure({ providerStatus: error.status }) : error
}

function fail(hints: Record<string, unknown>): never {
  throw describeFailure(hints)
}

function describeFailure(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'vector.store', provider: 'pinecone', ...hints })
}
