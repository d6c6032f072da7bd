import { Problem } from '#kit'
import { estimateTokens, TIERS } from '../../../tasks/formats/language/tiers.ts'
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
  const { provider, tiers, fallbacks, markupPct } = config
  const adapter = ADAPTERS[provider](config)
  const models = [...new Set(TIERS.map(tier => tiers[tier].model))]

  async function complete(request: CompletionRequest, limits: CallLimits): Promise<Completion> {
    let failure: unknown
    for (const price of listAffordable(request)) {
      const watched = watchPieces(request)
      try {
        return await completeWith({ ...request, ...watched.request }, price, limits)
      } catch (error) {
        // What the caller has read cannot be taken back.
        if (!isUnavailable(error) || watched.hasText() || limits.signal.aborted) throw error
        failure ??= error
      }
    }
    throw failure
  }

  /** The model of the tier, and those after it of which none may cost more than is held. */
  function listAffordable(request: CompletionRequest): ModelPrice[] {
    const first = tiers[request.tier]
    const needed = computeNeeded(request, first, markupPct)
    if (needed > request.ceilingMicros)
      throw new Error(`a completion may cost ${needed} micros, but ${request.ceilingMicros} are held`)
    const others = fallbacks?.[request.tier] ?? []
    return [first, ...others.filter(price => computeNeeded(request, price, markupPct) <= request.ceilingMicros)]
  }

  async function completeWith(request: CompletionRequest, price: ModelPrice, limits: CallLimits): Promise<Completion> {
    const { text, end, ...counted } = await ask(request, price, limits)
    const usage = describeUsage({ text, end, ...counted }, request, price, markupPct)
    if (end === 'refused') throw new Problem('CONTENT_REFUSED', { model: price.model })
    if (end === 'cut-off' && !request.allowsCut)
      throw new Problem('OUTPUT_INVALID', { detail: `the answer is longer than ${request.maxOutputTokens} tokens` })
    return { text, usage, ...(end === 'cut-off' && { isCut: true }), ...(end === 'stopped' && { isStopped: true }) }
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

  return { description: `${provider}: ${models.join(', ')}`, tiers, markupPct, complete }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'PROVIDER_UNAVAILABLE'
}

/** Remembers whether a piece of the answer was given away. */
function watchPieces({ onText }: CompletionRequest) {
  let hasText = false
  const onPiece = (piece: string): void => {
    hasText = true
    onText!(piece)
  }
  return { hasText: () => hasText, request: onText ? { onText: onPiece } : {} }
}

/** Nothing is sent that could cost more than was held for it. */
function computeNeeded(request: CompletionRequest, { input, output }: ModelPrice, markupPct: number): number {
  const tokens = estimateTokens(writeRequest(request)) + FRAME_TOKENS
  return Math.floor((tokens * input + request.maxOutputTokens * output) * (1 + markupPct / 100))
}

function writeRequest({ system, user, messages }: CompletionRequest): string {
  return system + (messages?.map(({ content }) => content).join('\n') ?? user)
}

function describeUsage(
  { tokens, text }: ModelAnswer,
  request: CompletionRequest,
  price: ModelPrice,
  markupPct: number,
): LanguageUsage {
  const { ceilingMicros } = request
  const estimated = { input: estimateTokens(writeRequest(request)), cachedInput: 0, output: estimateTokens(text) }
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
