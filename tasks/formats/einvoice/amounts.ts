// Decision 0151: compute invoices in whole cents.

/** Decimals are whole numbers of millionths, amounts of money whole numbers of the smallest unit of the currency. */
export const MILLION = 1_000_000n
const DECIMALS = 6

export const DECIMAL_PATTERN = '^-?\\d{1,12}(\\.\\d{1,6})?$'

export function parseDecimal(given: string | number): bigint {
  const text = typeof given === 'number' ? given.toFixed(DECIMALS) : given
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const units = BigInt(whole) * MILLION + BigInt(fraction.padEnd(DECIMALS, '0'))
  return text.startsWith('-') ? -units : units
}

/** Divides and rounds, halves away from zero. */
export function divide(value: bigint, by: bigint): bigint {
  const [a, b] = [value < 0n ? -value : value, by < 0n ? -by : by]
  const quotient = (2n * a + b) / (2n * b)
  return value < 0n === by < 0n ? quotient : -quotient
}

/** A decimal as an amount of a currency with so many digits. */
export function toAmount(decimal: bigint, digits: number): bigint {
  return divide(decimal * 10n ** BigInt(digits), MILLION)
}

/** A share of an amount, in percent. */
export function percentOf(amount: bigint, percent: bigint): bigint {
  return divide(amount * percent, 100n * MILLION)
}

/** Splits an amount in proportion to weights; the parts add up to it. */
export function apportion(amount: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n)
  if (sum === 0n) return weights.map((_, index) => (index === 0 ? amount : 0n))
  const parts = weights.map(weight => (amount * weight) / sum)
  const rests = weights.map((weight, index) => {
    const rest = amount * weight - parts[index]! * sum
    return rest < 0n ? -rest : rest
  })
  let left = amount - parts.reduce((total, part) => total + part, 0n)
  const unit = left < 0n ? -1n : 1n
  const largestFirst = rests.map((_, index) => index).sort((a, b) => Number(rests[b]! - rests[a]!) || a - b)
  for (let at = 0; left !== 0n; at = (at + 1) % largestFirst.length) {
    parts[largestFirst[at]!]! += unit
    left -= unit
  }
  return parts
}

export function writeAmount(amount: bigint, digits: number): string {
  const text = (amount < 0n ? -amount : amount).toString().padStart(digits + 1, '0')
  const sign = amount < 0n ? '-' : ''
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** Without zeros at the end. */
export function writeDecimal(decimal: bigint): string {
  return writeAmount(decimal, DECIMALS).replace(/\.?0+$/, '')
}
