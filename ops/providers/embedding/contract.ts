import type { CallLimits } from '../call-limits.ts'

export interface EmbeddingConfig {
  /** Base address of an API with the embeddings of OpenAI, with its version. */
  url: string
  apiKey?: string | undefined
  model: string
  /** Asked of the model; undefined leaves them to it. */
  dimensions?: number | undefined
}

/** Makes vectors of texts that are near to each other where their meanings are. */
export interface Embedder {
  /** The name under which batons remember which model made their vectors. */
  model: string
  embed(texts: readonly string[], limits: CallLimits): Promise<Float32Array[]>
}
