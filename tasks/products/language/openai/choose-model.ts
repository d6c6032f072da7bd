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
      ...{ capability: 'openai.chat-completions', adapters: ['openai', 'anthropic', 'bedrock'] },
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
  const fields = findFields(body)
  const own = fields[option]
  const isGiven = option in fields ? own !== undefined : !NEUTRAL.includes(body[option as keyof AskedChat])
  if (!isGiven) return
  const reason = REASONS[option] ?? 'The models here do not have this option; leave it out.'
  throw new Problem('OPTION_UNSUPPORTED', { field: own ?? option, reason })
}

/** Where a body asks for what is more than one of its fields. */
function findFields(body: AskedChat): Record<string, string | undefined> {
  const { tools, response_format: format, temperature, messages } = body
  const hasFormat = format !== undefined && format.type !== 'text'
  return {
    hot: (temperature ?? 0) > 1 ? 'temperature' : undefined,
    formatted_tools: tools && hasFormat ? 'response_format' : undefined,
    named_messages: messages.some(({ name, role }) => name !== undefined && role !== 'tool')
      ? 'messages.name'
      : undefined,
    single_tools: body.parallel_tool_calls === false ? 'parallel_tool_calls' : undefined,
    withheld_tools: body.tool_choice === 'none' ? 'tool_choice' : undefined,
    strict_tools: tools?.some(({ function: { strict } }) => strict) ? 'tools.function.strict' : undefined,
  }
}

const REASONS: Record<string, string> = {
  hot: 'The models here take a temperature of at most 1.',
  formatted_tools: 'The models here take either tools or a form of the answer.',
  named_messages: 'The models here take no names of speakers; write them into the content.',
  single_tools: 'The models here may call several tools at once; leave it out.',
  withheld_tools: 'The models here may call each tool that they are given; leave `tools` out instead.',
  strict_tools: 'The models here do not enforce the schemas of tools; leave `strict` out.',
}
