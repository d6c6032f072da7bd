import { Problem } from '#kit'
import { isIban } from '../invoice/iban.ts'

/** RFC 5870 has plain decimals only, no exponents. */
export function formatCoordinate(degrees: number): string {
  const text = String(degrees)
  return text.includes('e')
    ? new Intl.NumberFormat('en', { maximumFractionDigits: 20, useGrouping: false }).format(degrees)
    : text
}

const OFFSET = /[+-]\d\d:\d\d$/

/** A date or time as iCalendar writes it, which has no offsets. */
export function formatMoment(text: string, field: string): string {
  const compact = (moment: string) => moment.replace(/[-:]/g, '')
  if (!OFFSET.test(text)) return compact(text)
  const local = text.replace(OFFSET, '')
  const written = new Date(`${local}Z`)
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime()) || !written.toISOString().startsWith(local))
    throw new Problem('INVALID_PARAM', { field, reason: 'there is no such time' })
  return compact(`${moment.toISOString().slice(0, 19)}Z`)
}

/** Without spaces. Banks refuse an account whose check digits are wrong. */
export function checkIban(text: string): string {
  const iban = text.replaceAll(' ', '')
  if (!isIban(iban)) throw new Problem('INVALID_PARAM', { field: 'data.iban', reason: 'the check digits are wrong' })
  return iban
}
