import type { ToolName } from '#kit'

/** A model with what the provider takes for a million tokens, in USD, and what callers pay beyond it. */
export interface ModelOffer {
  model: string
  input: number
  output: number
  markupPct: number
  /** What it reads and writes at once, if that is known. */
  contextTokens?: number
}

/** The most that so many tokens cost a caller, in micros. */
export function computeCeiling(
  { input, output, markupPct }: ModelOffer,
  tokens: { input: number; output: number },
): number {
  return Math.ceil((tokens.input * input + tokens.output * output) * (1 + markupPct / 100))
}

/** The tools of services that do one task and nothing else. */
export type ServiceTool = Extract<ToolName, 'translator' | 'proofreader'>

/** A service for one task, with what it takes for a million characters, in USD, and what callers pay beyond it. */
export interface ServiceOffer {
  provider: string
  usdPerMillion: number
  markupPct: number
  /** It translates formally or informally, where a caller wants that. */
  hasFormality?: boolean
}

/** What so many characters cost a caller, in micros, and what the service takes of it. */
export function priceService({ usdPerMillion, markupPct }: ServiceOffer, characters: number) {
  const costMicros = Math.ceil(characters * usdPerMillion)
  return { costMicros, chargedMicros: Math.ceil(characters * usdPerMillion * (1 + markupPct / 100)) }
}

/** Files of Hunspell in a folder, by names such as `de_DE`. */
export interface Dictionaries {
  folder: string
  names: readonly string[]
}

/** The same of a model that embeds texts. */
export interface EmbeddingOffer {
  model: string
  input: number
  markupPct: number
  /** The most of one text. */
  maxTokens: number
}
