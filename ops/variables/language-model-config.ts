import { TIER_RATES, TIERS, type Tier } from '../../tasks/formats/language/tiers.ts'
import type { LanguageModelConfig, ModelPrice } from '../providers/llm/contract.ts'
import { ConfigError, type VariableValues } from '../variables.ts'

const URLS = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' }
const VARIABLES = { budget: 'LLM_BUDGET', value: 'LLM_VALUE', best: 'LLM_BEST' } as const

/** Every tier has a model that costs no more than callers are quoted for it. */
export function readLanguageModelConfig(values: VariableValues): LanguageModelConfig | undefined {
  const { LLM_PROVIDER: provider, LLM_VALUE, LLM_MARKUP_PCT: markupPct, LLM_API_KEY: apiKey } = values
  if (!provider) {
    const names = ['LLM_URL', 'LLM_API_KEY', ...Object.values(VARIABLES)] as const
    const stray = names.find(name => values[name])
    if (stray) throw new ConfigError(`LLM_PROVIDER must be set when ${stray} is set.`)
    return undefined
  }
  if (!LLM_VALUE) throw new ConfigError('LLM_VALUE must be set when LLM_PROVIDER is set.')
  const entries = TIERS.map(tier => {
    const price = parseModel(values[VARIABLES[tier]] ?? LLM_VALUE)
    checkPrice(tier, price, markupPct)
    return [tier, price]
  })
  const tiers = Object.fromEntries(entries) as Record<Tier, ModelPrice>
  return { provider, url: (values.LLM_URL ?? URLS[provider]).replace(/\/+$/, ''), apiKey, tiers, markupPct }
}

function parseModel(text: string): ModelPrice {
  const [model = '', ...prices] = text.split(/ +/)
  const [input = 0, output = 0, cachedInput = input] = prices.map(Number)
  return { model, input, output, cachedInput }
}

function checkPrice(tier: Tier, price: ModelPrice, markupPct: number): void {
  const factor = 1 + markupPct / 100
  for (const kind of ['input', 'output'] as const) {
    const limit = TIER_RATES[tier][kind]
    if (price[kind] * factor > limit)
      throw new ConfigError(
        `${VARIABLES[tier]} must name a model whose ${kind} costs at most ${limit} USD with the markup of ${markupPct} %; ${price.model} costs ${(price[kind] * factor).toFixed(2)}.`,
      )
  }
  if (price.cachedInput > price.input)
    throw new ConfigError(`${VARIABLES[tier]} must not have a higher price for cached input than for input.`)
}
