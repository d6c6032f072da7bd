import { Problem } from '#kit'
import { computeTierCeiling, estimateTokens, TIERS } from '../../../tasks/formats/language/tiers.ts'
import type { CallLimits } from '../call-limits.ts'
import type { CountedCall } from '../counted-call.ts'
import { openAnthropic } from './anthropic.ts'
import type { Completion, CompletionRequest, LanguageModels, LanguageUsage, ModelAnswer } from './contract.ts'
import { openOpenAi } from './openai.ts'
import type { LanguageModelConfig, ModelPrice } from './settings.ts'

const ADAPTERS = { openai: openOpenAi, anthropic: openAnthropic }
/** What the frame of a message takes, beyond its text. */
const FRAME_TOKENS = 200

interface Options {
  /** Counts what was asked of the provider, answered or not. */
  onCall?(call: CountedCall): void
}

/** Gives undefined without a provider; what needs a language model is then unavailable. */
export function openLanguageModels(
  config: LanguageModelConfig | undefined,
  { onCall }: Options = {},
): LanguageModels | undefined {
  if (!config) return undefined
  const { provider, tiers, markupPct } = config
  const adapter = ADAPTERS[provider](config)
  const models = [...new Set(TIERS.map(tier => tiers[tier].model))]

  async function complete(request: CompletionRequest, limits: CallLimits): Promise<Completion> {
    const price = tiers[request.tier]
    checkCeiling(request)
    const answer = await ask(request, price, limits)
    const usage = describeUsage(answer, request, price, markupPct)
    if (answer.end === 'refused') throw new Problem('CONTENT_REFUSED', { model: price.model })
    if (answer.end === 'cut-off')
      throw new Problem('OUTPUT_INVALID', { detail: `the answer is longer than ${request.maxOutputTokens} tokens` })
    return { text: answer.text, usage }
  }

  async function ask(request: CompletionRequest, price: ModelPrice, limits: CallLimits): Promise<ModelAnswer> {
    const { model } = price
    try {
      const answer = await adapter.ask({ ...request, model }, limits)
      const { inputTokens, outputTokens, providerCostMicros } = describeUsage(answer, request, price, markupPct)
      onCall?.({ provider, model, isOk: true, inputTokens, outputTokens, costMicros: providerCostMicros })
      return answer
    } catch (error) {
      if (!limits.signal.aborted)
        onCall?.({ provider, model, isOk: false, inputTokens: 0, outputTokens: 0, costMicros: 0 })
      throw error
    }
  }

  return { description: `${provider}: ${models.join(', ')}`, complete }
}

/** Nothing is sent that could cost more than was held for it. */
function checkCeiling({ tier, system, user, maxOutputTokens, ceilingMicros }: CompletionRequest): void {
  const input = estimateTokens(system) + estimateTokens(user) + FRAME_TOKENS
  const needed = computeTierCeiling(tier, { input, output: maxOutputTokens })
  if (needed > ceilingMicros) throw new Error(`a completion may cost ${needed} micros, but ${ceilingMicros} are held`)
}

function describeUsage(
  { tokens, text }: ModelAnswer,
  { system, user, ceilingMicros }: CompletionRequest,
  price: ModelPrice,
  markupPct: number,
): LanguageUsage {
  const estimated = { input: estimateTokens(system + user), cachedInput: 0, output: estimateTokens(text) }
  const { input, output, cachedInput } = tokens ?? estimated
  const cost = (input - cachedInput) * price.input + cachedInput * price.cachedInput + output * price.output
  const charged = Math.ceil(cost * (1 + markupPct / 100))
  return {
    model: price.model,
    inputTokens: input,
    outputTokens: output,
    providerCostMicros: Math.ceil(cost),
    markupPct,
    chargedMicros: Math.min(charged, ceilingMicros),
    ceilingMicros,
  }
}
