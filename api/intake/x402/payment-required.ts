import { findPriceRange, formatUsd, Problem, withRates } from '#kit'
import type { ApiContext } from '../../context.ts'
import { listVariants } from '../../surfaces/prices.ts'
import type { Billable } from '../billable.ts'
import type { Hold } from '../call.ts'
import { CHUNK_MICROS } from './payments.ts'

const LEAST_PAYMENT = ` The least payment is ${formatUsd(CHUNK_MICROS)} USD: what a call does not cost pays for later calls of the wallet.`

/** The 402 for a call without credentials or payment. It names the price, or before pricing its bounds. */
export function paymentRequired(
  { payments, settings }: Pick<ApiContext, 'payments' | 'settings'>,
  { name, price: declared }: Pick<Billable, 'name' | 'price'>,
  hold?: Hold,
): Problem {
  const price = withRates(declared, settings.ratesOf(name))
  const range = findPriceRange(price)
  const ceilingMicros = hold?.ceilingMicros ?? range.max
  return new Problem('PAYMENT_REQUIRED', {
    serviceKey: name,
    unit: hold?.tariff?.unit ?? price.unit,
    unitMicros: (hold?.tariff?.rateMicros ?? price.rateMicros).toString(),
    ...(!hold?.tariff && price.variants && { variants: listVariants(price) }),
    ...(payments && (hold ? amountHints(hold) : { floorMicros: range.min.toString() })),
    ceilingMicros: ceilingMicros.toString(),
    ceilingUsd: formatUsd(ceilingMicros),
    ...(payments && {
      howToPay: `Sign one of the offers and send it as PAYMENT-SIGNATURE (version 1: X-PAYMENT), or send an API key.${hold && hold.ceilingMicros < CHUNK_MICROS ? LEAST_PAYMENT : ''}`,
    }),
  })
}

function amountHints({ amountMicros }: Hold): Record<string, string> {
  return { amountMicros: amountMicros.toString(), amountUsd: formatUsd(amountMicros) }
}
