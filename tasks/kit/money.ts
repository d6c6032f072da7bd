/** One millionth of a US dollar. USDC and EURC are booked at one to one. */
export type Micros = bigint

export const MICROS_PER_USD = 1_000_000n
/** The lowest and the highest price of one call. */
export const PRICE_FLOOR: Micros = 1_000n
export const PRICE_CEILING: Micros = 1_000_000n

const DECIMAL_USD = /^(\d{1,12})(?:\.(\d{1,6}))?$/

/** Reads a decimal amount of dollars, such as `0.001`. Rejects amounts finer than a micro. */
export function usd(text: string): Micros {
  const match = DECIMAL_USD.exec(text)
  if (!match) throw new RangeError(`not an amount in dollars: ${text}`)
  return BigInt(match[1]!) * MICROS_PER_USD + BigInt((match[2] ?? '').padEnd(6, '0'))
}

export function formatUsd(micros: Micros): string {
  const sign = micros < 0n ? '-' : ''
  const absolute = micros < 0n ? -micros : micros
  const fraction = (absolute % MICROS_PER_USD).toString().padStart(6, '0').replace(/0+$/, '')
  return `${sign}${absolute / MICROS_PER_USD}${fraction ? `.${fraction}` : ''}`
}

export function clampPrice(micros: Micros): Micros {
  if (micros < PRICE_FLOOR) return PRICE_FLOOR
  return micros > PRICE_CEILING ? PRICE_CEILING : micros
}
