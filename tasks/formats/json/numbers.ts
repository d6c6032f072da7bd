const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The one text of all JSON numbers that have the same value: 1.0 and 10e-1 become 1e0. */
export function normalizeNumber(text: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(text)!
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = trimZeros(digits)
  if (significant === '') return '0e0'
  return `${sign}${significant}e${BigInt(exponent) + BigInt(digits.length - significant.length - fraction.length)}`
}

/** A loop, because a pattern takes a time that grows with the square of zeros within. */
function trimZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

/** Whether JSON holds a whole number that may have lost digits when it was read as a double. */
export function holdsRoundedNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRoundedNumber)
}

/** Whether a JSON text has a number that a double does not hold exactly as it is written. */
export function losesDigits(json: string): boolean {
  let isLost = false
  JSON.parse(json, ((_key: string, value: unknown, { source }: { source?: string }) => {
    if (typeof value === 'number' && source !== undefined) isLost ||= !isExactNumber(value, source)
    return value
  }) as (key: string, value: unknown) => unknown)
  return isLost
}

/** Whether a double holds a number as it is written. */
export function isExactNumber(value: number, source: string): boolean {
  return (
    String(value) === source || (Number.isFinite(value) && normalizeNumber(String(value)) === normalizeNumber(source))
  )
}
