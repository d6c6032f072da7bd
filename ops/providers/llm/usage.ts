import { estimateTokens } from '../../../tasks/formats/language/tiers.ts'
import type { CompletionRequest, LanguageUsage, ModelAnswer } from './contract.ts'
import type { ModelPrice } from './settings.ts'

/** What the frame of a message takes, beyond its text. */
const FRAME_TOKENS = 200

/** Nothing is sent that could cost more than was held for it. */
export function computeNeeded(request: CompletionRequest, { input, output }: ModelPrice, markupPct: number): number {
  return Math.floor((countInput(request) * input + request.maxOutputTokens * output) * (1 + markupPct / 100))
}

/** The most tokens that the model is sent. */
export function countInput(request: CompletionRequest): number {
  return estimateTokens(writeRequest(request)) + FRAME_TOKENS
}

function writeRequest({ system, user, chat }: CompletionRequest): string {
  if (!chat) return system + user
  const { messages, tools, format } = chat
  return system + JSON.stringify({ messages, tools, format })
}

/** What is charged is never more than the ceiling, whatever the provider says that it took. */
export function describeUsage(
  answer: ModelAnswer,
  request: CompletionRequest,
  price: ModelPrice,
  markupPct: number,
): { usage: LanguageUsage; cachedInputTokens: number } {
  const { ceilingMicros } = request
  const { input, output, cachedInput } = countTokens(answer, request)
  const cost = (input - cachedInput) * price.input + cachedInput * price.cachedInput + output * price.output
  const charged = Math.ceil(cost * (1 + markupPct / 100))
  const usage = {
    model: price.model,
    inputTokens: input,
    outputTokens: output,
    providerCostMicros: Math.ceil(cost),
    markupPct,
    chargedMicros: Math.min(charged, ceilingMicros),
    ceilingMicros,
  }
  return { usage, cachedInputTokens: cachedInput }
}

/** As the provider counts, unless it does not, or says that a text took nothing. */
function countTokens({ tokens, text, toolCalls }: ModelAnswer, request: CompletionRequest) {
  const written = text + (toolCalls ? JSON.stringify(toolCalls) : '')
  const isBelievable = tokens && tokens.input > 0 && (tokens.output > 0 || written === '')
  if (isBelievable) return tokens
  return { input: estimateTokens(writeRequest(request)), cachedInput: 0, output: estimateTokens(written) }
}
