import { Problem } from '#kit'
import { TIERS } from '../../../tasks/formats/language/tiers.ts'
import type { CallLimits } from '../call-limits.ts'
import type { CountedCall } from '../counted-call.ts'
import { openAnthropic } from './anthropic/adapter.ts'
import { openBedrock } from './bedrock/adapter.ts'
import type { Completion, CompletionRequest, LanguageModels, ModelAnswer, ModelRequest } from './contract.ts'
import { openOpenAi } from './openai/adapter.ts'
import type { LanguageModelConfig, ModelPrice } from './settings.ts'
import { computeNeeded, countInput, describeUsage, limitOutput } from './usage.ts'

const ADAPTERS = { openai: openOpenAi, anthropic: openAnthropic, bedrock: openBedrock }

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
  const models = listModels(config)

  async function complete(request: CompletionRequest, limits: CallLimits): Promise<Completion> {
    let failure: unknown
    for (const price of listAffordable(request)) {
      const watched = watchPieces(request, price.model)
      try {
        const maxOutputTokens = limitOutput(request, price)
        return await completeWith(
          { ...request, ...watched.request, maxOutputTokens, model: price.model },
          price,
          limits,
        )
      } catch (error) {
        // What the caller has read cannot be taken back.
        if (!mayAnotherAnswer(error) || watched.hasPieces() || limits.signal.aborted) throw error
        failure ??= error
      }
    }
    throw failure
  }

  /** The model that is asked, and those after it of which none may cost more than is held. */
  function listAffordable(request: CompletionRequest): ModelPrice[] {
    const named = request.model === undefined ? undefined : findModel(request.model)
    const first = named ?? tiers[request.tier]
    const needed = computeNeeded(request, first, markupPct)
    if (needed > request.ceilingMicros)
      throw new Error(`a completion may cost ${needed} micros, but ${request.ceilingMicros} are held`)
    const others = named ? [] : (fallbacks?.[request.tier] ?? [])
    return [first, ...others.filter(price => canAnswer(request, price, markupPct))]
  }

  /** The configuration may have changed since a job was queued. */
  function findModel(name: string): ModelPrice {
    const found = models.find(({ model }) => model === name)
    if (!found) throw new Problem('MODEL_NOT_FOUND', { model: name, models: models.map(({ model }) => model) })
    return found
  }

  async function completeWith(request: ModelRequest, price: ModelPrice, limits: CallLimits): Promise<Completion> {
    const answer = await ask(request, price, limits)
    const { text, end, toolCalls } = answer
    const { usage, cachedInputTokens } = describeUsage(answer, request, price, markupPct)
    if (!request.chat) requireWhole(end, request, price)
    return {
      ...{ text, usage, cachedInputTokens, ...(toolCalls && { toolCalls }) },
      ...(end === 'cut-off' && { isCut: true }),
      ...(end === 'refused' && { isRefused: true }),
      ...(end === 'stopped' && { isStopped: true }),
      ...(end === 'broken' && { isBroken: true }),
    }
  }

  async function ask(request: ModelRequest, price: ModelPrice, limits: CallLimits): Promise<ModelAnswer> {
    const { model } = price
    try {
      const answer = await adapter.ask(request, limits)
      const { inputTokens, outputTokens, providerCostMicros } = describeUsage(answer, request, price, markupPct).usage
      onCall?.({ provider, model, isOk: true, inputTokens, outputTokens, costMicros: providerCostMicros })
      return answer
    } catch (error) {
      if (!limits.signal.aborted)
        onCall?.({ provider, model, isOk: false, inputTokens: 0, outputTokens: 0, costMicros: 0 })
      throw error
    }
  }

  const { lacks } = adapter
  const names = models.map(({ model }) => model)
  return { description: `${provider}: ${names.join(', ')}`, tiers, models, lacks, markupPct, complete }
}

/** Those of the tiers first. */
function listModels({ tiers, fallbacks }: LanguageModelConfig): ModelPrice[] {
  const all = [...TIERS.map(tier => tiers[tier]), ...TIERS.flatMap(tier => fallbacks?.[tier] ?? [])]
  return [...new Map(all.toReversed().map(price => [price.model, price])).values()].toReversed()
}

/** Another than the first may cost no more than is held, and must read all of it. */
function canAnswer(request: CompletionRequest, price: ModelPrice, markupPct: number): boolean {
  const { contextTokens = Number.POSITIVE_INFINITY } = price
  return (
    computeNeeded(request, price, markupPct) <= request.ceilingMicros &&
    countInput(request) + request.maxOutputTokens <= contextTokens
  )
}

function requireWhole(end: ModelAnswer['end'], { maxOutputTokens }: ModelRequest, { model }: ModelPrice): void {
  if (end === 'refused') throw new Problem('CONTENT_REFUSED', { model })
  if (end === 'cut-off')
    throw new Problem('OUTPUT_INVALID', { detail: `the answer is longer than ${maxOutputTokens} tokens` })
}

/** One that is there, or that reads more at once. */
function mayAnotherAnswer(error: unknown): boolean {
  return error instanceof Problem && (error.code === 'PROVIDER_UNAVAILABLE' || error.code === 'CONTEXT_TOO_LONG')
}

/** Remembers whether a piece of the answer was given away. */
function watchPieces({ onText, onToolCall }: CompletionRequest, model: string) {
  let hasPieces = false
  const watch =
    <Piece>(give: ((piece: Piece, model: string) => void) | undefined) =>
    (piece: Piece): void => {
      hasPieces = true
      give?.(piece, model)
    }
  const pieces = { onText: watch(onText), onToolCall: watch(onToolCall) }
  return { hasPieces: () => hasPieces, request: onText ? { pieces } : {} }
}
