import type { CallLimits } from '../call-limits.ts'

/** Makes vectors of texts that are near to each other where their meanings are. */
/** Some models want questions marked apart from the texts that answer them. */
export type EmbeddedAs = 'query' | 'text'

export interface Embedder {
  /** The name under which batons remember which model made their vectors. */
  model: string
  embed(texts: readonly string[], as: EmbeddedAs, limits: CallLimits): Promise<Float32Array[]>
}
