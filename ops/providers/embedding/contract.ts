import type { CallLimits } from '../call-limits.ts'

/** Some models want questions marked apart from the texts that answer them. */
export type EmbeddedAs = 'query' | 'text'

/** Makes vectors of texts that are near to each other where their meanings are. */
export interface Embedder {
  /** The name under which batons remember which model made their vectors. */
  model: string
  embed(texts: readonly string[], as: EmbeddedAs, limits: CallLimits): Promise<Float32Array[]>
}

/** A model that callers may name, with what the provider takes for a million tokens, in USD. */
export interface EmbeddingPrice {
  model: string
  input: number
  /** The most of one text. */
  maxTokens: number
}

export interface EmbeddingRequest {
  model: string
  texts: readonly string[]
  as: EmbeddedAs
  dimensions?: number
  user?: string
}

/** The models that have a price, for calls that are charged by it. */
export interface Embeddings {
  /** Such as `small-model, large-model`. */
  readonly description: string
  readonly models: readonly EmbeddingPrice[]
  readonly markupPct: number
  /** Vectors of length 1. Throws PROVIDER_UNAVAILABLE, DIMENSIONS_UNSUPPORTED, INPUT_TOO_LONG or OPTION_UNSUPPORTED. */
  embed(request: EmbeddingRequest, limits: CallLimits): Promise<{ vectors: Float32Array[]; tokens: number }>
}
