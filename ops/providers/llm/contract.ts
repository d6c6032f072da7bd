import type {
  AnswerFormat,
  ChatMessage,
  ChatTool,
  Sampling,
  ToolCall,
  ToolCallPiece,
  ToolChoice,
} from '../../../tasks/formats/language/chat.ts'
import type { Tier } from '../../../tasks/formats/language/tiers.ts'
import type { CallLimits } from '../call-limits.ts'
import type { LanguageModelConfig, ModelPrice } from './settings.ts'

/** What an adapter has to know of it. */
export type AdapterConfig = Pick<LanguageModelConfig, 'provider' | 'url' | 'apiKey' | 'stallMs'>

export interface CompletionRequest {
  tier: Tier
  /** Asked in place of that of the tier, and without another to fall back to. */
  model?: string
  /** What the model has to do. Text of callers is never part of it. */
  system: string
  user: string
  /** JSON Schema of the answer, which is then JSON. */
  schema?: object
  maxOutputTokens: number
  /** For the same answer again; not every API has it. */
  seed?: number
  /** What the caller pays at most, in micros. */
  ceilingMicros: number
  /** A conversation of the caller's own, in place of `user`. */
  chat?: ChatRequest
  /** Gets the answer piece by piece, and the model that gives it. A call that is stopped then ends with what has come. */
  onText?(piece: string, model: string): void
  onToolCall?(piece: ToolCallPiece, model: string): void
}

/** A conversation. An answer to it that was cut off or is a refusal is an answer. */
export interface ChatRequest {
  messages: readonly ChatMessage[]
  sampling: Sampling
  format?: AnswerFormat
  tools?: readonly ChatTool[]
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
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
  cachedInputTokens: number
  toolCalls?: ToolCall[]
  isCut?: boolean
  isRefused?: boolean
  /** The caller stopped it before its end. */
  isStopped?: boolean
  /** The provider broke it off after a part of it was given away. */
  isBroken?: boolean
}

export interface LanguageModels {
  /** Such as `openai: small-model, large-model`. */
  readonly description: string
  /** The models of the tiers, with their prices. */
  readonly tiers: Readonly<Record<Tier, ModelPrice>>
  /** Each model that has a price, also those to fall back to. */
  readonly models: readonly ModelPrice[]
  /** Options of a conversation that the API of the provider does not have. */
  readonly lacks: readonly string[]
  readonly markupPct: number
  /** Throws PROVIDER_UNAVAILABLE, CONTEXT_TOO_LONG, CONTENT_REFUSED, OPTION_UNSUPPORTED or OUTPUT_INVALID. */
  complete(request: CompletionRequest, limits: CallLimits): Promise<Completion>
}

/** What an adapter makes of a provider's answer. */
export interface ModelAnswer {
  text: string
  end: 'complete' | 'cut-off' | 'refused' | 'stopped' | 'broken'
  toolCalls?: ToolCall[]
  /** Missing from servers that do not count. */
  tokens?: { input: number; cachedInput: number; output: number }
}

/** Takes the pieces of an answer. */
export interface PieceTaker {
  onText(piece: string): void
  onToolCall(piece: ToolCallPiece): void
}

export type ModelRequest = Omit<CompletionRequest, 'onText' | 'onToolCall'> & { model: string; pieces?: PieceTaker }

/** One wire format. */
export interface ModelAdapter {
  lacks: readonly string[]
  ask(request: ModelRequest, limits: CallLimits): Promise<ModelAnswer>
}
