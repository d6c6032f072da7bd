import { clampPrice, PRICE_FLOOR, type Price } from '#kit'
import type { Settings } from '../../../sql/setting.ts'
import type { BatonQuote, BatonRates } from '../../../tasks/products/baton/price.ts'

export function readRates(settings: Settings): BatonRates {
  return {
    base: BigInt(settings.get('baton.rate.base_micros')),
    storageGibDay: BigInt(settings.get('baton.rate.storage_micros')),
    egressGib: BigInt(settings.get('baton.rate.egress_micros')),
    thousandWrites: BigInt(settings.get('baton.rate.writes_micros')),
    thousandReads: BigInt(settings.get('baton.rate.reads_micros')),
    witness: BigInt(settings.get('baton.rate.witness_micros')),
  }
}

/** A quote as it is shown, and kept with the baton. */
export function showQuote({ lines, amountMicros }: BatonQuote) {
  return {
    amountMicros: String(clampPrice(amountMicros)),
    lines: lines.map(line => ({
      line: line.line,
      quantity: String(line.quantity),
      rateMicros: String(line.rateMicros),
      per: line.per,
      amountMicros: String(line.amountMicros),
    })),
  }
}

/** The price of what is quoted: its units are the micros of the quote. */
export const QUOTED_PRICE: Price<unknown> = {
  unit: 'micro-dollar of its quote',
  rateMicros: 1n,
  baseMicros: 0n,
  basis: 'body',
  minUnits: Number(PRICE_FLOOR),
  units: () => Number(PRICE_FLOOR),
  settings: 'baton.rate.*',
  note: 'POST /v1/baton/quote has the price line by line; it is free.',
}
