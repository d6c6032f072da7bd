import { type Price, usd } from '#kit'
import { estimateTokens } from '../../../formats/language/tiers.ts'
import type { UnitPrice } from '../price.ts'
import { type EmbeddingCall, MAX_BYTES } from './call.ts'

const STEP_BYTES = 10 * 1024
const RATE = usd('0.001')
/** What a provider may count beyond a text, such as its prefix and its marks of beginning and end. */
const FRAME_TOKENS = 50

/** By the size of the texts, or what the model takes if that is more. */
export function priceEmbedding<Call>(read: (call: Call) => EmbeddingCall): Price<Call> {
  return {
    ...{ unit: 'started 10 KiB of text', rateMicros: RATE, baseMicros: 0n, basis: 'body', minUnits: 1 },
    maxUnits: Math.ceil(MAX_BYTES / STEP_BYTES),
    units: call => countUnits(read(call)),
    extraMicros: call => computeExtra(read(call), countMost(read(call))),
    expectedExtraMicros: () => 0n,
    note: 'A model that takes more than that is charged what it takes.',
  }
}

export function countUnits({ texts }: EmbeddingCall): number {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return Math.max(1, Math.ceil(bytes / STEP_BYTES))
}

/** The most tokens that the texts take. */
export function countMost({ texts }: EmbeddingCall): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text) + FRAME_TOKENS, 0)
}

export function computeCost({ offer }: EmbeddingCall, tokens: number): { provider: number; charged: bigint } {
  const cost = offer ? tokens * offer.input : 0
  return { provider: Math.ceil(cost), charged: BigInt(Math.ceil(cost * (1 + (offer?.markupPct ?? 0) / 100))) }
}

/** What the model takes beyond the price of the units. */
export function computeExtra(call: EmbeddingCall, tokens: number): bigint {
  const { charged } = computeCost(call, tokens)
  const units = priceUnits(call.unitPrice, countUnits(call))
  return charged > units ? charged - units : 0n
}

export function priceUnits(unitPrice: UnitPrice | undefined, units: number): bigint {
  const { rateMicros, baseMicros } = unitPrice ?? { rateMicros: RATE, baseMicros: 0n }
  return BigInt(baseMicros) + BigInt(rateMicros) * BigInt(units)
}
