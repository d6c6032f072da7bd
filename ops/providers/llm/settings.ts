import { type Static, type TObject, Type } from 'typebox'
import { TIER_RATES, TIERS, type Tier } from '../../../tasks/formats/language/tiers.ts'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { MarkupPct, MODEL_RULE, OptionalText, OptionalUrl } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Without a provider, what needs a language model is unavailable. */
    llm?: LanguageModelConfig
  }
}

/** A model with what the provider takes for a million tokens, in USD. A model without a price cannot be configured. */
export interface ModelPrice {
  model: string
  input: number
  output: number
  /** Of input that the provider had in its cache. */
  cachedInput: number
  /** What it reads and writes at once, in tokens, if the operator says so. */
  contextTokens?: number
}

const PROVIDERS = ['openai', 'anthropic', 'bedrock'] as const

export interface LanguageModelConfig {
  provider: (typeof PROVIDERS)[number]
  url: string
  apiKey?: string
  tiers: Record<Tier, ModelPrice>
  /** Asked in this order where the model of the tier is unavailable, if they fit what is held. */
  fallbacks?: Record<Tier, readonly ModelPrice[]>
  markupPct: number
  /** Without a sign of it for so long, a streamed answer is given up. */
  stallMs?: number
}

const variables = {
  LLM_PROVIDER: Type.Optional(
    Type.Unsafe<LanguageModelConfig['provider']>({
      type: 'string',
      enum: PROVIDERS,
      displayDefault: 'no language model',
      description:
        'The API of the language models: `openai` is also that of Gemini, OpenRouter, vLLM, Ollama, LM Studio and LiteLLM; `bedrock` is the Converse API of Amazon Bedrock, for all of its models.',
    }),
  ),
  LLM_URL: OptionalUrl({
    displayDefault: "the provider's own",
    description:
      'Address of the API with its version, such as `http://127.0.0.1:11434/v1`, or `https://generativelanguage.googleapis.com/v1beta/openai` for Gemini. `bedrock` needs it, because it has the region: `https://bedrock-runtime.eu-central-1.amazonaws.com`. Workers and the api call it.',
  }),
  LLM_API_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Key of that API; for `bedrock` an API key of Amazon Bedrock.',
  }),
  LLM_VALUE: OptionalText({
    ...MODEL_RULE,
    displayDefault: 'no language model',
    description:
      'Model of the tier `value`, and what the provider takes for a million tokens of input, output and (optional) cached input, in USD: `a-model 0.4 1.6 0.1`. With `context=32000` at its end, the tokens that it reads and writes at once: longer texts are summarized in parts, answers to questions are shown what fits, and all else that is longer is refused. Further models after semicolons are asked where the first is unavailable.',
  }),
  LLM_BUDGET: OptionalText({
    ...MODEL_RULE,
    displayDefault: 'LLM_VALUE',
    description: 'The same of the tier `budget`.',
  }),
  LLM_BEST: OptionalText({
    ...MODEL_RULE,
    displayDefault: 'LLM_VALUE',
    description: 'The same of the tier `best`.',
  }),
  LLM_STALL_SECONDS: Type.Number({
    default: 30,
    minimum: 0.1,
    maximum: 110,
    description: 'Without a sign of the provider for so long, also at the beginning, a streamed answer is given up.',
  }),
  LLM_MARKUP_PCT: MarkupPct('What callers pay beyond the price of the provider, in per cent.'),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Language models',
  variables,
  read: values => ({ llm: readLanguageModelConfig(values) }),
})

const URLS = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1', bedrock: undefined }
const VARIABLES = { budget: 'LLM_BUDGET', value: 'LLM_VALUE', best: 'LLM_BEST' } as const

/** Every tier has a model that costs no more than callers are quoted for it. */
function readLanguageModelConfig(values: Values): LanguageModelConfig | undefined {
  const { LLM_PROVIDER: provider, LLM_VALUE, LLM_MARKUP_PCT: markupPct, LLM_API_KEY: apiKey } = values
  if (!provider) {
    const names = ['LLM_URL', 'LLM_API_KEY', ...Object.values(VARIABLES)] as const
    const stray = names.find(name => values[name])
    if (stray) throw new ConfigError(`LLM_PROVIDER must be set when ${stray} is set.`)
    return undefined
  }
  if (!LLM_VALUE) throw new ConfigError('LLM_VALUE must be set when LLM_PROVIDER is set.')
  const models = TIERS.map(tier => {
    const prices = (values[VARIABLES[tier]] ?? LLM_VALUE).split(';').map(text => parseModel(text.trim()))
    for (const price of prices) checkPrice(tier, price, markupPct)
    return [tier, prices] as const
  })
  const tiers = Object.fromEntries(models.map(([tier, [first]]) => [tier, first])) as Record<Tier, ModelPrice>
  const others = models.map(([tier, [, ...rest]]) => [tier, rest] as const)
  const fallbacks = Object.fromEntries(others) as Record<Tier, ModelPrice[]>
  const hasFallbacks = others.some(([, rest]) => rest.length > 0)
  const url = values.LLM_URL ?? URLS[provider]
  if (url === undefined) throw new ConfigError('LLM_URL must be the address of a region when LLM_PROVIDER is bedrock.')
  const stallMs = values.LLM_STALL_SECONDS * 1_000
  return {
    provider,
    url: url.replace(/\/+$/, ''),
    apiKey,
    tiers,
    ...(hasFallbacks && { fallbacks }),
    markupPct,
    stallMs,
  }
}

function parseModel(text: string): ModelPrice {
  const [priced = '', context] = text.split(/ +context=/)
  const [model = '', ...prices] = priced.split(/ +/)
  const [input = 0, output = 0, cachedInput = input] = prices.map(Number)
  return { model, input, output, cachedInput, ...(context && { contextTokens: Number(context) }) }
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
