import { type Price, usd } from '#kit'
import { estimateTokens } from '../../../formats/language/tiers.ts'
import { computeCeiling, type ModelOffer } from '../offer.ts'
import { checkCeiling } from '../price.ts'
import type { AskedChat } from './chat-body.ts'
import type { ChosenModel } from './choose-model.ts'
import { readChat, readOutputTokens } from './read-chat.ts'

/** Of the frames of messages, beyond their texts. */
const FRAME_TOKENS = 250

/** The body with what `configure` has added. */
export type ChatCall = AskedChat & { chosen?: ChosenModel }

export const CHAT_PRICE: Price<ChatCall> = {
  ...{ unit: 'call', rateMicros: usd('0.001'), baseMicros: 0n, basis: 'body', minUnits: 1 },
  units: ({ chosen }) => (chosen ? 0 : 1),
  extraMicros: call => BigInt(call.chosen ? computeChatCeiling(call, call.chosen.offer) : 0),
  expectedExtraMicros: call => BigInt(call.chosen ? estimateCost(call, call.chosen.offer) : 0),
  note: 'What the model may cost at most is held, and what it took is charged: see `usage`.',
}

/** The most that an answer costs, in micros; refused if that is too much. */
export function computeChatCeiling(call: ChatCall, offer: ModelOffer): number {
  const { messages, tools, format } = readChat(call)
  const input = estimateTokens(JSON.stringify({ messages, tools, format })) + FRAME_TOKENS
  const ceiling = computeCeiling(offer, { input, output: readOutputTokens(call) })
  const instead = 'Shorten the messages, lower max_completion_tokens, or choose a cheaper model.'
  checkCeiling({ maxCostMicros: call.max_cost_micros }, BigInt(ceiling), instead)
  return ceiling
}

function estimateCost(call: ChatCall, offer: ModelOffer): number {
  const input = Math.ceil(JSON.stringify(call.messages).length / 4)
  return computeCeiling(offer, { input, output: Math.ceil(readOutputTokens(call) / 4) })
}
