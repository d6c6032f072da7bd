import { Problem } from '#kit'
import { TIERS, type Tier } from '../../../formats/language/tiers.ts'
import type { ModelOffer } from '../offer.ts'
import type { AskedChat } from './chat-body.ts'

interface ChatOffers {
  language?: Readonly<Record<Tier, ModelOffer>>
  chat?: { models: readonly ModelOffer[]; lacks: readonly string[] }
}

/** Which model is asked: that of a tier, with its substitutes, or one by its name. */
export interface ChosenModel {
  tier: Tier
  model?: string
  offer: ModelOffer
}

function isTier(name: string): name is Tier {
  return TIERS.some(tier => tier === name)
}

/** Refuses a model without a price, and options that the API of the provider does not have. */
export function chooseModel(body: AskedChat, { language, chat }: ChatOffers): ChosenModel {
  if (!language || !chat)
    throw new Problem('PROVIDER_NOT_CONFIGURED', {
      ...{ capability: 'openai.chat-completions', adapters: ['openai', 'anthropic'] },
      install: "LLM_PROVIDER=openai LLM_API_KEY=... LLM_VALUE='model 0.4 1.6' npm start",
    })
  for (const option of chat.lacks) requireAbsent(option, body)
  const { model } = body
  if (isTier(model)) return { tier: model, offer: language[model] }
  const offer = chat.models.find(one => one.model === model)
  if (offer) return { tier: 'value', model, offer }
  throw new Problem('MODEL_NOT_FOUND', { field: 'model', models: [...TIERS, ...chat.models.map(one => one.model)] })
}

/** Values that change nothing are no options. */
const NEUTRAL: unknown[] = [undefined, 0]

function requireAbsent(option: string, body: AskedChat): void {
  const hasFormat = body.response_format !== undefined && body.response_format.type !== 'text'
  const field = {
    hot: (body.temperature ?? 0) > 1 ? 'temperature' : undefined,
    formatted_tools: body.tools && hasFormat ? 'response_format' : undefined,
    strict_tools: body.tools?.some(({ function: { strict } }) => strict) ? 'tools.function.strict' : undefined,
  }
  const own = option in field ? field[option as keyof typeof field] : undefined
  const isGiven = option in field ? own !== undefined : !NEUTRAL.includes(body[option as keyof AskedChat])
  if (!isGiven) return
  const reason = REASONS[option] ?? 'The models here do not have this option; leave it out.'
  throw new Problem('OPTION_UNSUPPORTED', { field: own ?? option, reason })
}

const REASONS: Record<string, string> = {
  hot: 'The models here take a temperature of at most 1.',
  formatted_tools: 'The models here take either tools or a form of the answer.',
  strict_tools: 'The models here do not enforce the schemas of tools; leave `strict` out.',
}
