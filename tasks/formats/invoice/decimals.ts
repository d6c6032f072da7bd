const PLACES = 10
const SCALE = 10n ** BigInt(PLACES)

/** Of a plain decimal number. */
function toScaled(text: string): bigint {
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const size = BigInt(whole) * SCALE + BigInt(fraction.slice(0, PLACES).padEnd(PLACES, '0'))
  return sign === '-' ? -size : size
}

function fromScaled(scaled: bigint): string {
  const size = scaled < 0n ? -scaled : scaled
  const fraction = String(size % SCALE)
    .padStart(PLACES, '0')
    .replace(/0+$/, '')
    .padEnd(2, '0')
  return `${scaled < 0n ? '-' : ''}${size / SCALE}.${fraction}`
}

export function addDecimals(numbers: readonly string[]): string {
  return fromScaled(numbers.reduce((sum, number) => sum + toScaled(number), 0n))
}

export function negateDecimal(number: string): string {
  return number.startsWith('-') ? number.slice(1) : `-${number}`
}

export function multiplyDecimals(one: string, other: string): string {
  return fromScaled((toScaled(one) * toScaled(other)) / SCALE)
}

/** Whether two numbers differ by no more than a tolerance. */
export function isNear(one: string, other: string, tolerance: string): boolean {
  const difference = toScaled(one) - toScaled(other)
  return (difference < 0n ? -difference : difference) <= toScaled(tolerance)
}
