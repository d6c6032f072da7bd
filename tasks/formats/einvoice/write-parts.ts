import { element, escapeXml } from '../svg/drawing.ts'
import { writeAmount } from './amounts.ts'
import type { ComputedInvoice, Party } from './invoice.ts'

export const GUIDELINE = 'urn:cen.eu:en16931:2017'

/** An element with text; left out without. */
export function text(name: string, value: string | undefined, attributes: Record<string, string> = {}): string {
  return value === undefined || value === '' ? '' : element(name, attributes, escapeXml(value))
}

/** An element with elements in it; left out if all of them are. */
export function group(name: string, ...parts: readonly string[]): string {
  const content = parts.join('')
  return content === '' ? '' : element(name, {}, content)
}

export function createAmountWriter({ currency, digits }: ComputedInvoice) {
  return {
    plain: (name: string, amount: bigint) => text(name, writeAmount(amount, digits)),
    marked: (name: string, amount: bigint) => text(name, writeAmount(amount, digits), { currencyID: currency }),
  }
}

/** A number that begins with a country is one for value added tax. */
export function isVatNumber(taxId: string): boolean {
  return /^[A-Z]{2}[A-Z0-9]/.test(taxId)
}

/** The lines of an address as the standard has them: two, and a third for all others. */
export function splitAddress({ address = [] }: Party): [string?, string?, string?] {
  const [first, second, ...rest] = address
  return [first, second, rest.length > 0 ? rest.join(', ') : undefined]
}

export const REASONS = { discount: 'Discount', shipping: 'Shipping' } as const

const UNIT_CODES: Record<string, string> = {
  ...{ piece: 'C62', pieces: 'C62', pcs: 'C62', pc: 'C62', unit: 'C62', units: 'C62', each: 'C62', item: 'C62' },
  ...{ hour: 'HUR', hours: 'HUR', h: 'HUR', hr: 'HUR', hrs: 'HUR', minute: 'MIN', min: 'MIN', day: 'DAY', days: 'DAY' },
  ...{ week: 'WEE', weeks: 'WEE', month: 'MON', months: 'MON', year: 'ANN', years: 'ANN' },
  ...{ kg: 'KGM', g: 'GRM', t: 'TNE', m: 'MTR', km: 'KMT', cm: 'CMT', mm: 'MMT', m2: 'MTK', 'm²': 'MTK' },
  ...{ m3: 'MTQ', 'm³': 'MTQ', l: 'LTR', litre: 'LTR', liter: 'LTR', kwh: 'KWH', set: 'SET', pair: 'PR', box: 'XBX' },
}

/** The code of a unit of measure (UN/ECE Recommendation 20), if it is known. */
export function findUnitCode(unit: string | undefined): string | undefined {
  if (unit === undefined) return 'C62'
  return UNIT_CODES[unit.toLowerCase()] ?? (/^[A-Z0-9]{2,3}$/.test(unit) ? unit : undefined)
}

/** The first line of a description is the name of the item. */
export function splitDescription(description: string): { name: string; more?: string } {
  const [name = '', ...rest] = description.split('\n')
  const more = rest.join('\n').trim()
  return { name: name.trim() || description.trim(), ...(more !== '' && { more }) }
}

/** A SEPA transfer, another transfer, or not defined. */
export function findMeansCode(bank: ComputedInvoice['bank'], currency: string): string {
  if (!bank) return '1'
  return currency === 'EUR' ? '58' : '30'
}
