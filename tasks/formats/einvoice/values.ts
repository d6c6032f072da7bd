import { addDecimals } from '../invoice/decimals.ts'
import type { Found } from '../invoice/model.ts'

/** A value of an XML invoice: exact, and without a place on a page. */
export function found(value: string | undefined, raw = value): Found | undefined {
  return value === undefined || value === '' ? undefined : { value, raw: raw ?? value, confidence: 1, source: 'xml' }
}

/** Amounts keep their digits: `12.50` stays `12.50`. */
export function foundNumber(text: string | undefined): Found | undefined {
  const plain = text?.replace(/^\+/, '')
  return plain !== undefined && /^-?\d{1,20}(\.\d{1,10})?$/.test(plain) ? found(plain, text) : undefined
}

/** As `2026-03-01`, with a time or a zone after it, or as `20260301`. */
export function foundDate(text: string | undefined): Found | undefined {
  const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)(?!\d)/.exec(text ?? '') ?? []
  return year === undefined ? undefined : found(`${year}-${month}-${day}`, text)
}

export function joinLines(parts: readonly (string | undefined)[]): string | undefined {
  const lines = parts.filter(part => part !== undefined && part !== '')
  return lines.length > 0 ? lines.join('\n') : undefined
}

/** Codes of UNTDID 1001. */
const CREDIT_NOTES = new Set(['81', '83', '261', '262', '308', '381', '396', '420', '458', '532'])

export function isCreditNote(typeCode: string | undefined): boolean {
  return typeCode !== undefined && CREDIT_NOTES.has(typeCode)
}

const SHIPPING = /^(?:shipping|freight|delivery|postage|versand|fracht|porto|livraison|frais de port|transport)/i

interface Charge {
  isCharge: string | undefined
  reason: string | undefined
  /** UNTDID 7161. */
  code: string | undefined
  amount: string | undefined
}

/** What charges of the whole document are for its shipping, which may have several rates of tax. */
export function sumShipping(charges: readonly Charge[]): Found | undefined {
  const amounts = charges.flatMap(({ isCharge, reason = '', code, amount }) =>
    isCharge === 'true' && (code === 'FC' || SHIPPING.test(reason)) ? (foundNumber(amount)?.value ?? []) : [],
  )
  if (amounts.length < 2) return foundNumber(amounts[0])
  const [whole, fraction = ''] = addDecimals(amounts).split('.')
  return found(`${whole}.${fraction.padEnd(2, '0')}`)
}
