import { Problem } from '#kit'
import type { CallLimits } from '../call-limits.ts'
import type { CountedCall } from '../counted-call.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import { callUntilDeadline } from '../http/until-deadline.ts'
import type { EmbeddedAs, Embedder, EmbeddingRequest, Embeddings } from './contract.ts'
import type { EmbeddingConfig, EmbeddingProvider } from './settings.ts'
import { WIRES } from './wires.ts'

// Decision 0206: embed texts by a provider that the operator names.

const ATTEMPT_MS = 15_000
const MAX_BYTES = 16 * 2 ** 20
const MAX_DIMENSIONS = 4_096
/** About the texts, which are the caller's. */
const TEXT_STATUSES = [400, 413, 422]

interface Options {
  /** Counts what was asked of the provider, answered or not. */
  onCall?(call: CountedCall): void
}

/** The model that the texts of vector batons are compared by. */
export function openEmbedder(config: EmbeddingConfig | undefined, options: Options = {}): Embedder | undefined {
  if (!config) return undefined
  const { provider, model, dimensions } = config
  const ask = openCalls(config, options)

  async function embed(texts: readonly string[], as: EmbeddedAs, limits: CallLimits): Promise<Float32Array[]> {
    try {
      return (await ask({ model, texts, as, ...(dimensions !== undefined && { dimensions }) }, limits)).vectors
    } catch (error) {
      throw error instanceof ProviderRefusal ? toProblem(provider, error) : error
    }
  }
  return { model, embed }
}

/** The models of the same provider that have a price; undefined if none has. */
export function openEmbeddings(config: EmbeddingConfig | undefined, options: Options = {}): Embeddings | undefined {
  if (!config?.priced) return undefined
  const { provider } = config
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
      throw error instanceof ProviderRefusal ? explainRefusal(provider, error, request) : error
    }
  }
  const description = models.map(({ model }) => model).join(', ')
  return { description, models, markupPct, embed }
}

function normalize(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return vector.map(value => value / length)
}

function openCalls({ provider, url: baseUrl, apiKey, prefixes, priced }: EmbeddingConfig, { onCall }: Options) {
  const wire = WIRES[provider]
  const headers = apiKey ? wire.authorize(apiKey) : {}
  const client = openProviderClient({ provider, baseUrl, headers, maxBytes: MAX_BYTES })

  async function ask(request: EmbeddingRequest, limits: CallLimits) {
    const patience = { capability: 'embedding', attemptMs: ATTEMPT_MS }
    const { model } = request
    const { input = 0 } = priced?.models.find(one => one.model === model) ?? {}
    const count = (isOk: boolean, inputTokens = 0) => {
      const costMicros = Math.ceil(inputTokens * input)
      onCall?.({ provider, model, isOk, inputTokens, outputTokens: 0, costMicros })
    }
    try {
      const answer = await callUntilDeadline(client, wire.write(request), limits, patience)
      const vectors = checkVectors(provider, wire.readVectors(answer), request.texts.length)
      const counted = wire.readTokens(answer)
      const tokens = typeof counted === 'number' ? counted : 0
      count(true, tokens)
      return { vectors, tokens }
    } catch (error) {
      if (!limits.signal.aborted) count(false)
      throw error
    }
  }

  return async (request: EmbeddingRequest, limits: CallLimits) => {
    const vectors: Float32Array[] = []
    let tokens = 0
    const prefix = prefixes?.[request.as] ?? ''
    const marked = prefix === '' ? request.texts : request.texts.map(text => `${prefix}${text}`)
    for (let start = 0; start < marked.length; start += wire.maxTexts) {
      const answer = await ask({ ...request, texts: marked.slice(start, start + wire.maxTexts) }, limits)
      vectors.push(...answer.vectors)
      tokens += answer.tokens
    }
    if (vectors.some(({ length }) => length !== vectors[0]!.length))
      throw unavailable(provider, { detail: 'its vectors have different dimensions' })
    return { vectors, tokens }
  }
}

/** What the provider says of a call whose model and dimensions are the caller's own. */
function explainRefusal(
  provider: EmbeddingProvider,
  { status: providerStatus, body }: ProviderRefusal,
  { model, dimensions }: EmbeddingRequest,
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (!TEXT_STATUSES.includes(providerStatus))
    return unavailable(provider, { detail: 'the provider refuses the request', providerStatus })
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

function unavailable(provider: EmbeddingProvider, hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'embedding', provider, ...hints })
}

function toProblem(provider: EmbeddingProvider, { status: providerStatus }: ProviderRefusal): Problem {
  if (!TEXT_STATUSES.includes(providerStatus))
    return unavailable(provider, { detail: 'the provider refuses the request', providerStatus })
  const instead = 'Shorten the texts, as the model takes only so many tokens of each.'
  return new Problem('VECTOR_INVALID', { reason: 'refused by the model', providerStatus, instead })
}

/** Vectors that cannot be compared are a fault of the provider. */
function checkVectors(provider: EmbeddingProvider, list: readonly unknown[], count: number): Float32Array[] {
  if (list.length !== count)
    throw unavailable(provider, { detail: `it gives ${list.length} vectors for ${count} texts` })
  return list.map(values => {
    const isVector = Array.isArray(values) && values.length > 0 && values.length <= MAX_DIMENSIONS
    const floats = Float32Array.from(isVector ? values : [])
    if (floats.length === 0 || !floats.every(Number.isFinite) || floats.every(value => value === 0))
      throw unavailable(provider, { detail: `what it gives is no vector of at most ${MAX_DIMENSIONS} numbers` })
    return floats
  })
}
