import { Problem } from '#kit'
import type { CallLimits } from '../call-limits.ts'
import type { CountedCall } from '../counted-call.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import { callUntilDeadline } from '../http/until-deadline.ts'
import type { EmbeddedAs, Embedder, EmbeddingRequest, Embeddings } from './contract.ts'
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
export function openEmbedder(config: EmbeddingConfig | undefined, options: Options = {}): Embedder | undefined {
  if (!config) return undefined
  const { model, dimensions } = config
  const ask = openCalls(config, options)

  async function embed(texts: readonly string[], as: EmbeddedAs, limits: CallLimits): Promise<Float32Array[]> {
    try {
      return (await ask({ model, texts, as, ...(dimensions !== undefined && { dimensions }) }, limits)).vectors
    } catch (error) {
      throw error instanceof ProviderRefusal ? toProblem(error) : error
    }
  }
  return { model, embed }
}

/** The models of the same provider that have a price; undefined if none has. */
export function openEmbeddings(config: EmbeddingConfig | undefined, options: Options = {}): Embeddings | undefined {
  if (!config?.priced) return undefined
  const { models, markupPct } = config.priced
  const ask = openCalls(config, options)

  async function embed(request: EmbeddingRequest, limits: CallLimits) {
    const { model, dimensions } = request
    try {
      const { vectors, tokens } = await ask(request, limits)
      const [{ length }] = vectors as [Float32Array]
      if (dimensions !== undefined && length !== dimensions)
        throw new Problem('DIMENSIONS_UNSUPPORTED', { model, dimensions, supported: [length] })
      return { vectors: vectors.map(normalize), tokens }
    } catch (error) {
      throw error instanceof ProviderRefusal ? explainRefusal(error, request) : error
    }
  }
  const description = models.map(({ model }) => model).join(', ')
  return { description, models, markupPct, embed }
}

function normalize(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return vector.map(value => value / length)
}

function openCalls({ url: baseUrl, apiKey, prefixes }: EmbeddingConfig, { onCall }: Options) {
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  const client = openProviderClient({ provider: PROVIDER, baseUrl, headers, maxBytes: MAX_BYTES })

  async function ask(json: { model: string; input: readonly string[] }, limits: CallLimits) {
    const patience = { capability: 'embedding', attemptMs: ATTEMPT_MS }
    const count = (isOk: boolean, inputTokens = 0) =>
      onCall?.({ provider: PROVIDER, model: json.model, isOk, inputTokens, outputTokens: 0, costMicros: 0 })
    try {
      const answer = await callUntilDeadline(client, { path: '/embeddings', json }, limits, patience)
      const vectors = readVectors(answer, json.input.length)
      const tokens = countTokens(answer)
      count(true, tokens)
      return { vectors, tokens }
    } catch (error) {
      if (!limits.signal.aborted) count(false)
      throw error
    }
  }

  return async ({ texts, as, ...request }: EmbeddingRequest, limits: CallLimits) => {
    const vectors: Float32Array[] = []
    let tokens = 0
    const prefix = prefixes?.[as] ?? ''
    const marked = prefix === '' ? texts : texts.map(text => `${prefix}${text}`)
    for (let start = 0; start < texts.length; start += BATCH_TEXTS) {
      const input = marked.slice(start, start + BATCH_TEXTS)
      const answer = await ask({ ...request, input, encoding_format: 'float' } as never, limits)
      vectors.push(...answer.vectors)
      tokens += answer.tokens
    }
    if (vectors.some(({ length }) => length !== vectors[0]!.length))
      throw unavailable({ detail: 'its vectors have different dimensions' })
    return { vectors, tokens }
  }
}

/** What the provider says of a call whose model and dimensions are the caller's own. */
function explainRefusal({ status: providerStatus, body }: ProviderRefusal, { model, dimensions }: EmbeddingRequest) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (!TEXT_STATUSES.includes(providerStatus))
    return unavailable({ detail: 'the provider refuses the request', providerStatus })
  if (dimensions !== undefined && /dimension|matryoshka/i.test(text))
    return new Problem('DIMENSIONS_UNSUPPORTED', { model, dimensions })
  if (providerStatus === 413 || /too long|maximum|token|length/i.test(text))
    return new Problem('INPUT_TOO_LONG', { model, providerStatus })
  return new Problem('OPTION_UNSUPPORTED', {
    model,
    providerStatus,
    reason: 'The model refuses the texts as they are.',
  })
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
