/** A number as programs write it: 1e-05, .5, 5. and +5 too. One with a zero before other digits is no number but a code. */
const NUMBER_TEXT = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?$/
/** Nobody writes a large number so, but telephone numbers are written in this way. */
const PHONE = /^\+\d{7,}$/

export function isNumberText(text: string): boolean {
  return NUMBER_TEXT.test(text)
}

export function isPhoneText(text: string): boolean {
  return PHONE.test(text)
}

/** The same digits as JSON has them. */
export function toJsonNumber(text: string): string {
  return text
    .replace(/^\+/, '')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?=$|e)/i, '')
}

/** Thousands that are parted by points, where the comma is the mark of decimals. */
export const GROUPED = /^\s*[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?\s*$/
export const IP_ADDRESS = /^\s*\d{3}(?:\.\d{3}){3}\s*$/

/** Where the comma is the mark of decimals, a point parts thousands only; 1.5 and an IP address are no numbers. */
export function toPoint(text: string): string {
  if (!text.includes('.')) return text.replace(',', '.')
  const isGrouped = GROUPED.test(text) && !IP_ADDRESS.test(text)
  return isGrouped ? text.replaceAll('.', '').replace(',', '.') : `?${text}`
}

export interface Digits {
  /** Before the point, and after it. */
  whole: number
  scale: number
}

/** How many digits a decimal needs for a number, if nothing is rounded. */
export function countDecimalDigits(text: string): Digits {
  const [mantissa, exponent = '0'] = text.replace(/^[+-]/, '').toLowerCase().split('e') as [string, string?]
  const [before, after = ''] = mantissa.split('.') as [string, string?]
  const digits = `${before}${after}`.replace(/0+$/, '')
  const point = before.length + Number(exponent)
  const zeros = digits.search(/[1-9]/)
  if (zeros < 0) return { whole: 0, scale: 0 }
  return { whole: Math.max(0, point - zeros), scale: Math.max(0, digits.length - point) }
}
