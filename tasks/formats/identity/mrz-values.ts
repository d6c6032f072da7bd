import { isRealDate } from './aamva.ts'

/** Germany is `D` there; the codes of other countries are those of ISO 3166. */
export function readCountry(code: string): string {
  const plain = code.replaceAll('<', '')
  return plain === 'D' ? 'DEU' : plain
}

/** A birth is not in the future; the younger of two possible persons is taken. */
export function readBirth(text: string, now: Date): string {
  const century = `20${text}` > toPlainDate(now) ? '19' : '20'
  return toDate(`${century}${text}`)
}

const FUTURE_YEARS = 50

export function readExpiry(text: string, now: Date): string {
  const year = Number(`20${text.slice(0, 2)}`)
  return toDate(`${year > now.getUTCFullYear() + FUTURE_YEARS ? '19' : '20'}${text}`)
}

function toPlainDate(date: Date): string {
  return date.toISOString().slice(0, 10).replaceAll('-', '')
}

function toDate(text: string): string {
  const value = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`
  if (isRealDate(value)) return value
  // Day or month may be unknown.
  return /^\d{4}(\d\d)?<+$/.test(text) ? text.replaceAll('<', '').replace(/^(\d{4})(\d\d)$/, '$1-$2') : ''
}
