// Decision 0144: price language models by tier.

/** How good a language model is asked for. The operator chooses the model of each tier. */
export const TIERS = ['budget', 'value', 'best'] as const

export type Tier = (typeof TIERS)[number]

interface TokenRates {
  input: number
  output: number
}

/**
 * The most that callers pay for a million tokens of a tier, in USD, markup included; the same number is the micros that one
 * token costs. Prices that callers are quoted follow from it, so a model that costs more is refused at the start.
 */
export const TIER_RATES: Record<Tier, TokenRates> = {
  budget: { input: 1.5, output: 7.5 },
  value: { input: 4, output: 20 },
  best: { input: 20, output: 100 },
}

/** The most tokens that a text of a natural language takes. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3)
}

/** The most that a call of a tier costs its caller, in micros. */
export function computeTierCeiling(tier: Tier, tokens: TokenRates): number {
  const { input, output } = TIER_RATES[tier]
  return Math.ceil(tokens.input * input + tokens.output * output)
}
