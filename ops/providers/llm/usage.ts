import { Problem } from '#kit'
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

/** Bytes that a token of a usual text has. */
const USUAL_BYTES = 4
/** What is too short to be the answer of a task that was given room for more. */
const LEAST_SHARE = 0.5

/**
 * How long the answer may be within what the model reads and writes at once. Some servers cut what is too long for them
 * without a word, so it is refused here: by what texts usually take, since what they may take at most would refuse too many.
 */
export function limitOutput(request: CompletionRequest, { contextTokens }: ModelPrice): number {
  const { maxOutputTokens, chat } = request
  if (contextTokens === undefined) return maxOutputTokens
  const input = Math.ceil(Buffer.byteLength(writeRequest(request).replaceAll(/\\./g, '_')) / USUAL_BYTES)
  const least = chat ? 1 : Math.ceil(maxOutputTokens * LEAST_SHARE)
  if (input + least > contextTokens)
    throw new Problem('CONTEXT_TOO_LONG', { tokens: input + least, max: contextTokens })
  return Math.min(maxOutputTokens, contextTokens - input)
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
