import type { Micros, PriceTag, Rates, Tariff } from '#kit'
import { expectedAmount } from './examples.ts'

/** No rate and base give the typical call this price; those nearest to it do. */
export class UnevenPrice extends RangeError {
  override readonly name = 'UnevenPrice'
  readonly nearest: readonly [below: Micros, above: Micros]

  constructor(nearest: readonly [below: Micros, above: Micros]) {
    super('the price cannot be divided among the units of the typical call')
    this.nearest = nearest
  }
}

/**
 * Rate and base of which a call like `typical` costs `micros`. Both change in one proportion, and the base takes what is
 * left by rounding; a price without a base has none to take it.
 */
export function scaleRates(price: PriceTag, typical: Tariff, micros: Micros): Rates & { baseMicros: Micros } {
  const { rateMicros, baseMicros } = price
  if (micros === expectedAmount(typical)) return { rateMicros, baseMicros }
  const units = BigInt(Math.ceil(typical.expectedUnits)) * (typical.rateMicros / rateMicros)
  if (baseMicros === 0n && micros % units !== 0n) {
    const below = micros - (micros % units)
    throw new UnevenPrice([below, below + units])
  }
  const sum = baseMicros + units * rateMicros
  const rate = (rateMicros * micros) / sum
  return { rateMicros: rate, baseMicros: micros - units * rate }
}
