import type { Tier } from '../../../tasks/formats/language/tiers.ts'
import type { CallLimits } from '../call-limits.ts'
import type { LanguageModelConfig } from './settings.ts'

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
}

export interface LanguageModels {
  /** Such as `openai: small-model, large-model`. */
  readonly description: string
  /** Throws PROVIDER_UNAVAILABLE, CONTEXT_TOO_LONG, CONTENT_REFUSED or OUTPUT_INVALID. */
  complete(request: CompletionRequest, limits: CallLimits): Promise<Completion>
}

/** What an adapter makes of a provider's answer. */
export interface ModelAnswer {
  text: string
  end: 'complete' | 'cut-off' | 'refused'
  /** Missing from servers that do not count. */
  tokens?: { input: number; cachedInput: number; output: number }
}

/** One wire format. */
export interface ModelAdapter {
  ask(request: CompletionRequest & { model: string }, limits: CallLimits): Promise<ModelAnswer>
}
