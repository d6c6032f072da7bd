import type { CallLimits } from '../call-limits.ts'

/** Makes vectors of texts that are near to each other where their meanings are. */
export interface Embedder {
  /** The name under which batons remember which model made their vectors. */
  model: string
  embed(texts: readonly string[], limits: CallLimits): Promise<Float32Array[]>
}
