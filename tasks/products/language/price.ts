import { clampPrice, PRICE_CEILING, type Price, Problem, type Rates, usd } from '#kit'
import { listTextBytes, type TextInput } from './input.ts'
import { computeCeiling, type Dictionaries, type ModelOffer, priceService, type ServiceOffer } from './offer.ts'
import { computeWholeCeiling, estimatePartsCost } from './parts.ts'
import type { ModelWork, Task } from './task.ts'
import { FRAME_TOKENS, type SizedCall } from './text-ceiling.ts'

const STEP_BYTES = 10 * 1024

/** The rate and base of an embedded call, as plain data that a job carries. */
export interface UnitPrice {
  rateMicros: string
  baseMicros: string
}

/** The input of a task, with what `configure` has added. */
export interface TaskCall {
  tier: 'budget' | 'value' | 'best'
  input: TextInput
  params?: unknown
  language?: string
  maxCostMicros?: number
  seed?: number
  method?: 'auto' | 'embedded' | 'provider'
  /** The model that is asked; without one an engine of our own answers. */
  offer?: ModelOffer
  /** The service that is asked instead. */
  service?: ServiceOffer
  /** Where words are looked up. */
  dictionaries?: Dictionaries
  unitPrice?: UnitPrice
}

const RATE = usd('0.001')

/** What a task costs: by the size of its texts, or what the model takes. */
export function priceTask({ flatUnits, model }: Task): Price<TaskCall> {
  const countUnits = (call: TaskCall): number => {
    if (call.offer || call.service) return 0
    return flatUnits ?? countEmbeddedUnits(listTextBytes(call.input))
  }
  return {
    unit: flatUnits === undefined ? 'call and started 10 KiB of text' : 'call',
    rateMicros: RATE,
    baseMicros: 0n,
    basis: 'body',
    minUnits: flatUnits ?? 2,
    units: countUnits,
    extraMicros: call => {
      const ceiling = computeCallCeiling(model, call)
      const isAsked = call.offer !== undefined || call.service !== undefined
      checkCeiling(call, isAsked ? BigInt(ceiling) : chargeUnits(call, countUnits(call)))
      return BigInt(ceiling)
    },
    ...(model && {
      expectedExtraMicros: call =>
        BigInt(call.offer ? estimateModelCost(model, call, call.offer) : computeCallCeiling(model, call)),
      note: 'Where a language model is asked, its ceiling is held instead, and what it took is charged: see `usage`.',
    }),
  }
}

/** One for the call, and one for each started 10 KiB. */
export function countEmbeddedUnits(textBytes: readonly number[]): number {
  const total = textBytes.reduce((sum, bytes) => sum + bytes, 0)
  return 1 + Math.max(1, Math.ceil(total / STEP_BYTES))
}

export function toUnitPrice(rates: Rates | undefined): UnitPrice | undefined {
  if (!rates) return undefined
  return { rateMicros: rates.rateMicros.toString(), baseMicros: (rates.baseMicros ?? 0n).toString() }
}

export function chargeUnits({ unitPrice }: TaskCall, units: number): bigint {
  const { rateMicros, baseMicros } = unitPrice ?? { rateMicros: RATE, baseMicros: 0n }
  return clampPrice(BigInt(baseMicros) + BigInt(rateMicros) * BigInt(units))
}

/** Refuses a call that could cost more than any call may, or than its caller allows. */
export function checkCeiling(
  { maxCostMicros }: Pick<TaskCall, 'maxCostMicros'>,
  ceiling: bigint,
  instead = 'Shorten the text, or choose a cheaper tier.',
): void {
  if (ceiling > PRICE_CEILING)
    throw new Problem('CONTEXT_TOO_LONG', {
      ...{ ceilingMicros: ceiling.toString(), limitMicros: PRICE_CEILING.toString(), instead },
    })
  const charged = clampPrice(ceiling)
  if (maxCostMicros !== undefined && charged > BigInt(maxCostMicros))
    throw new Problem('CEILING_EXCEEDED', { ceilingMicros: charged.toString(), maxCostMicros: String(maxCostMicros) })
}

/** The most that a model or a service takes; none where an engine of our own answers. */
export function computeCallCeiling(model: Task['model'], call: TaskCall): number {
  if (call.offer) return computeModelCeiling(model!, call, call.offer)
  if (!call.service) return 0
  // A file has at most as many characters as bytes.
  const characters = typeof call.input === 'string' ? [call.input.length] : listTextLengths(call.input)
  return characters.reduce((sum, count) => sum + priceService(call.service!, count).chargedMicros, 0)
}

function listTextLengths(input: TextInput): number[] {
  return Array.isArray(input) ? input.map(text => (text as string).length) : listTextBytes(input)
}

/** The most that a model takes for all texts of a call, in micros. */
function computeModelCeiling(work: ModelWork<never, unknown>, call: TaskCall, offer: ModelOffer): number {
  return listCalls(call).reduce((sum, one) => sum + computeWholeCeiling(work, one, offer), 0)
}

function estimateModelCost(work: ModelWork<never, unknown>, call: TaskCall, offer: ModelOffer): number {
  const bytes = listTextBytes(call.input)
  return bytes.reduce((sum, size) => {
    const output = work.maxOutputTokens(size, call.params as never) / 4
    const parts = estimatePartsCost(
      work,
      { text: '', params: call.params ?? {}, language: call.language, bytes: size },
      offer,
    )
    return sum + parts + computeCeiling(offer, { input: size / 4 + FRAME_TOKENS, output: Math.ceil(output) })
  }, 0)
}

function listCalls({ input, params = {}, language }: TaskCall): SizedCall[] {
  if (typeof input === 'string') return [{ text: input, params, language }]
  if (Array.isArray(input)) return (input as string[]).map(text => ({ text, params, language }))
  return [{ text: '', params, language, bytes: listTextBytes(input)[0]! }]
}
