import { Problem } from '#kit'
import type { CallLimits } from '../call-limits.ts'
import type { CountedCall } from '../counted-call.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import { callUntilDeadline } from '../http/until-deadline.ts'
import type { EmbeddedAs, Embedder } from './contract.ts'
import type { EmbeddingConfig } from './settings.ts'

// Decision 0206: embed texts by a provider that the operator names.

const PROVIDER = 'openai'
/** Servers of one's own take no more in one call, and a call that is repeated repeats no more. */
const BATCH_TEXTS = 32
const ATTEMPT_MS = 15_000
const MAX_BYTES = 16 * 2 ** 20
const MAX_DIMENSIONS = 4_096
/** About the texts, which are the caller's. */
const TEXT_STATUSES = [400, 413, 422]

interface Options {
  /** Counts what was asked of the provider, answered or not. */
  onCall?(call: CountedCall): void
}

/** Embeddings as OpenAI defines them, which Ollama, vLLM, TEI, LM Studio and LiteLLM serve too. */
export function openEmbedder(config: EmbeddingConfig | undefined, { onCall }: Options = {}): Embedder | undefined {
  if (!config) return undefined
  const { url: baseUrl, apiKey, model, dimensions, prefixes } = config
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  const client = openProviderClient({ provider: PROVIDER, baseUrl, headers, maxBytes: MAX_BYTES })

  async function ask(input: readonly string[], limits: CallLimits): Promise<Float32Array[]> {
    const json = { model, input, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) }
    const patience = { capability: 'embedding', attemptMs: ATTEMPT_MS }
    const count = (isOk: boolean, inputTokens = 0) =>
      onCall?.({ provider: PROVIDER, model, isOk, inputTokens, outputTokens: 0, costMicros: 0 })
    try {
      const answer = await callUntilDeadline(client, { path: '/embeddings', json }, limits, patience)
      const floats = readVectors(answer, input.length)
      count(true, countTokens(answer))
      return floats
    } catch (error) {
      if (!limits.signal.aborted) count(false)
      throw error instanceof ProviderRefusal ? toProblem(error) : error
    }
  }

  async function embed(texts: readonly string[], as: EmbeddedAs, limits: CallLimits): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    const prefix = prefixes?.[as] ?? ''
    const marked = prefix === '' ? texts : texts.map(text => `${prefix}${text}`)
    for (let start = 0; start < texts.length; start += BATCH_TEXTS)
      vectors.push(...(await ask(marked.slice(start, start + BATCH_TEXTS), limits)))
    if (vectors.some(({ length }) => length !== vectors[0]!.length))
      throw unavailable({ detail: 'its vectors have different dimensions' })
    return vectors
  }
  return { model, embed }
}

function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'embedding', provider: PROVIDER, ...hints })
}

function toProblem({ status: providerStatus }: ProviderRefusal): Problem {
  if (!TEXT_STATUSES.includes(providerStatus))
    return unavailable({ detail: 'the provider refuses the request', providerStatus })
  const instead = 'Shorten the texts, as the model takes only so many tokens of each.'
  return new Problem('VECTOR_INVALID', { reason: 'refused by the model', providerStatus, instead })
}

interface EmbeddingList {
  data?: { index?: number; embedding?: unknown }[]
  usage?: { prompt_tokens?: number }
}

function countTokens(answer: unknown): number {
  const { prompt_tokens: tokens } = (answer as EmbeddingList).usage ?? {}
  return typeof tokens === 'number' ? tokens : 0
}

/** In the order of the texts. Vectors that cannot be compared are a fault of the provider. */
function readVectors(answer: unknown, count: number): Float32Array[] {
  const { data } = (answer ?? {}) as EmbeddingList
  const list = Array.isArray(data) ? data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) : []
  if (list.length !== count) throw unavailable({ detail: `it gives ${list.length} vectors for ${count} texts` })
  return list.map(({ embedding }) => {
    const isVector = Array.isArray(embedding) && embedding.length > 0 && embedding.length <= MAX_DIMENSIONS
    const floats = Float32Array.from(isVector ? embedding : [])
    if (floats.length === 0 || !floats.every(Number.isFinite) || floats.every(value => value === 0))
      throw unavailable({ detail: `what it gives is no vector of at most ${MAX_DIMENSIONS} numbers` })
    return floats
  })
}
