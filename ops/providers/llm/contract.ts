import type { Tier } from '../../../tasks/formats/language/tiers.ts'
import type { CallLimits } from '../call-limits.ts'
import type { LanguageModelConfig, ModelPrice } from './settings.ts'

/** What an adapter has to know of it. */
export type AdapterConfig = Pick<LanguageModelConfig, 'provider' | 'url' | 'apiKey'>

export interface CompletionRequest {
  tier: Tier
  /** What the model has to do. Text of callers is never part of it. */
  system: string
  user: string
  /** JSON Schema of the answer, which is then JSON. */
  schema?: object
  maxOutputTokens: number
  /** What the caller pays at most, in micros. */
  ceilingMicros: number
  /** A conversation, in place of `user`; it may be the caller's own. */
  messages?: readonly ChatMessage[]
  sampling?: Sampling
  /** Gets the answer piece by piece. A call that is stopped then ends with what has come. */
  onText?(piece: string): void
  /** An answer that was cut off at `maxOutputTokens` is fine. */
  allowsCut?: boolean
}

interface ChatMessage {
  role: 'user' | 'assistant'
  content: string
}

/** How freely a model answers. */
interface Sampling {
  temperature?: number
  topP?: number
  stop?: readonly string[]
}

/** The record of usage that callers get. */
export interface LanguageUsage {
  model: string
  inputTokens: number
  outputTokens: number
  providerCostMicros: number
  markupPct: number
  chargedMicros: number
  ceilingMicros: number
}

export interface Completion {
  text: string
  usage: LanguageUsage
  isCut?: boolean
  /** The caller stopped it before its end. */
  isStopped?: boolean
}

export interface LanguageModels {
  /** Such as `openai: small-model, large-model`. */
  readonly description: string
  /** The models of the tiers, with their prices. */
  readonly tiers: Readonly<Record<Tier, ModelPrice>>
  readonly markupPct: number
  /** Throws PROVIDER_UNAVAILABLE, CONTEXT_TOO_LONG, CONTENT_REFUSED or OUTPUT_INVALID. */
  complete(request: CompletionRequest, limits: CallLimits): Promise<Completion>
}

/** What an adapter makes of a provider's answer. */
export interface ModelAnswer {
  text: string
  end: 'complete' | 'cut-off' | 'refused' | 'stopped'
  /** Missing from servers that do not count. */
  tokens?: { input: number; cachedInput: number; output: number }
}

/** One wire format. */
export interface ModelAdapter {
  ask(request: CompletionRequest & { model: string }, limits: CallLimits): Promise<ModelAnswer>
}
