import { estimateTokens } from '../../formats/language/tiers.ts'
import { computeCeiling, type ModelOffer } from './offer.ts'
import type { ModelCall, ModelWork } from './task.ts'

/** Of the frame of a message, beyond its text. */
export const FRAME_TOKENS = 250
/** Of what a model is told of the faults of its answer. */
const FAULT_TOKENS = 600
/** What escapes in JSON add to a text that is not known yet. */
export const ESCAPED = 1.15

/** A text, or the size of one that is not known yet, within what is asked of a model for it. */
export type SizedCall = ModelCall<unknown> & { bytes?: number }

export type AnyWork = ModelWork<never, unknown>

/** The most tokens that a model is sent for a text, and that it answers. A round after the first has the answer of the one before it and its faults. */
export function countTextTokens(work: AnyWork, { bytes, ...call }: SizedCall): { input: number; output: number } {
  const { system, user, schema } = work.prompt(call as ModelCall<never>)
  const textBytes = bytes ?? Buffer.byteLength(call.text)
  const output = work.maxOutputTokens(textBytes, call.params as never)
  const unknown = bytes === undefined ? 0 : Math.ceil((bytes * ESCAPED) / 3)
  const repair = work.rounds > 0 ? output + FAULT_TOKENS : 0
  const asked = estimateTokens(system + user + (schema ? JSON.stringify(schema) : ''))
  return { input: asked + unknown + repair + FRAME_TOKENS, output }
}

/** The most that one text costs that is asked for at once, in micros. */
export function computeTextCeiling(work: AnyWork, call: SizedCall, offer: ModelOffer): number {
  return computeCeiling(offer, countTextTokens(work, call))
}
