import { clampPrice, computeMaxAmount, findCeiling, findTariff, LARGEST_FACTS, PRICE_FLOOR } from '#kit'
import type { Settings } from '../../sql/setting.ts'
import type { ApiContext } from '../context.ts'
import type { Billable } from './billable.ts'
import type { Hold, PricedCall, StagedCall } from './call.ts'
import { makeInputReady } from './files/stage-files.ts'
import { probePrice } from './x402/probe.ts'

/** Decides the price. A payment for a single call needs the exact price now; an account's hold can be raised later. */
export async function priceCall(context: ApiContext, call: StagedCall): Promise<PricedCall> {
  const { billable, staged } = call
  if (billable.quote) return { ...call, hold: holdQuote(billable, await billable.quote(describeAsked(call), context)) }
  const units = billable.countUnits && (await billable.countUnits(describeAsked(call), context))
  const hold = addDelivery(holdFor(billable, staged.input, context.settings, units), deliveryMicros(call))
  const hasAccount = call.caller !== undefined && call.payment === undefined
  return { ...call, hold: hold.tariff || hasAccount ? hold : await probePrice(context, { ...call, hold }) }
}

function describeAsked({ request, address, caller, staged }: StagedCall) {
  return { request, address, caller, input: staged.input }
}

function holdQuote({ price: { unit, rateMicros } }: Billable, quotedMicros: bigint): Hold {
  const isFree = quotedMicros === 0n
  const amountMicros = isFree ? 0n : clampPrice(quotedMicros)
  const tariff = { unit, rateMicros, baseMicros: amountMicros, units: 0, expectedUnits: 0, ...(isFree && { isFree }) }
  return { amountMicros, ceilingMicros: amountMicros, tariff, rates: undefined }
}

/** What the baton costs that the output is delivered to. */
export function deliveryMicros({ delivery }: Pick<StagedCall, 'delivery'>): bigint {
  return BigInt(delivery?.chargeMicros ?? 0)
}

function addDelivery(hold: Hold, micros: bigint): Hold {
  return { ...hold, amountMicros: hold.amountMicros + micros, ceilingMicros: hold.ceilingMicros + micros }
}

function holdFor({ price, name, input: schema }: Billable, input: unknown, settings: Settings, units?: number): Hold {
  const rates = settings.ratesOf(name)
  if (price.basis === 'content') {
    const ceilingMicros = findCeiling(price, makeInputReady(schema, input, LARGEST_FACTS) as never, rates)
    return { amountMicros: PRICE_FLOOR, ceilingMicros, tariff: undefined, rates }
  }
  const found = findTariff(price, makeInputReady(schema, input) as never, rates)
  const tariff = units === undefined ? found : { ...found, units, expectedUnits: units, isFree: units === 0 }
  const amountMicros = computeMaxAmount(tariff)
  return { amountMicros, ceilingMicros: amountMicros, tariff, rates }
}
