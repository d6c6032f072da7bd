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

/** A service that translates, with what it takes for a million characters, in USD, and what callers pay beyond it. */
export interface TranslationOffer {
  provider: string
  usdPerMillion: number
  markupPct: number
  hasFormality: boolean
}

/** What so many characters cost a caller, in micros, and what the service takes of it. */
export function priceTranslation({ usdPerMillion, markupPct }: TranslationOffer, characters: number) {
  const costMicros = Math.ceil(characters * usdPerMillion)
  return { costMicros, chargedMicros: Math.ceil(characters * usdPerMillion * (1 + markupPct / 100)) }
}

/** The same of a model that embeds texts. */
export interface EmbeddingOffer {
  model: string
  input: number
  markupPct: number
  /** The most of one text. */
  maxTokens: number
}
