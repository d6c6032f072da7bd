import { formatUsd, ID_PREFIX, Problem } from '#kit'
import type { ApiContext } from '../context.ts'
import type { PricedCall } from './call.ts'
import { probePrice } from './x402/probe.ts'

// Decision 0570: let a call name the most that it may cost.

const WHOLE_MICROS = /^\d{1,15}$/

/** What the caller's user decides on. */
export interface AskedPrice {
  name: string
  amountMicros: bigint
  limitMicros: bigint
  accountId: string
}

/** Asks whether a call may cost more than its limit. Throws if there is no answer. */
export type AskPrice = (price: AskedPrice) => Promise<boolean>

/** The most that the call may cost, of its header. */
export function readMaxPrice(header: string | string[]): bigint {
  if (typeof header === 'string' && WHOLE_MICROS.test(header)) return BigInt(header)
  throw new Problem('INVALID_PARAM', {
    field: 'X-Max-Price-Micros',
    reason: 'It must be a whole number of micros, which are millionths of a US dollar.',
  })
}

/**
 * Refuses a call that may cost more than its limit, unless its user agrees. A price that follows from files is measured first
 * if its ceiling is above the limit. Without credentials a call is told its price anyway.
 */
export async function requireWithinLimit(
  context: ApiContext,
  call: PricedCall,
  ask: AskPrice | undefined,
): Promise<PricedCall> {
  const { caller, limitMicros, isDryRun, hold } = call
  if (limitMicros === undefined || !caller || isDryRun || hold.ceilingMicros <= limitMicros) return call
  const exact = hold.tariff ? call : { ...call, hold: await probePrice(context, call) }
  const amountMicros = exact.hold.ceilingMicros
  if (amountMicros <= limitMicros) return exact
  const { name } = call.billable
  if (await ask?.({ name, amountMicros, limitMicros, accountId: caller.accountId })) return exact
  throw aboveLimit({ name, amountMicros, limitMicros }, ask && { reason: 'Its user did not agree to the price.' })
}

/** What a call answers that may cost more than its limit. */
export function aboveLimit(
  { name, amountMicros, limitMicros }: Omit<AskedPrice, 'accountId'>,
  hints: object = {},
): Problem {
  return new Problem('PRICE_ABOVE_LIMIT', {
    serviceKey: name,
    amountMicros: amountMicros.toString(),
    amountUsd: formatUsd(amountMicros),
    limitMicros: limitMicros.toString(),
    ...hints,
    howToAllow: `Raise X-Max-Price-Micros (over MCP also _meta["${ID_PREFIX}/maxPriceMicros"]), or leave it out.`,
  })
}
