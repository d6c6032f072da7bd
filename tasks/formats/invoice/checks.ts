import { addDecimals, isNear, multiplyDecimals } from './decimals.ts'
import type { Found, Invoice, InvoiceTax } from './model.ts'

interface InvoiceChecks {
  linesMatchSubtotal: boolean | null
  taxesMatch: boolean | null
  totalMatches: boolean | null
}

const CENT = '0.02'

/** Whether the figures add up; null where one is missing. Every line and tax may be rounded. */
export function checkInvoice(invoice: Invoice): InvoiceChecks {
  return { linesMatchSubtotal: checkLines(invoice), taxesMatch: checkTaxes(invoice), totalMatches: checkTotal(invoice) }
}

const valuesOf = (found: readonly (Found | undefined)[]) => found.flatMap(one => (one ? [one.value] : []))

function checkLines({ lines, subtotal, total, adjustment = '0' }: Invoice): boolean | null {
  const amounts = valuesOf(lines.map(({ amount }) => amount))
  const sums = valuesOf([subtotal, total])
  if (amounts.length === 0 || amounts.length < lines.length || sums.length === 0) return null
  const sum = addDecimals([...amounts, adjustment])
  const tolerance = multiplyDecimals('0.01', String(lines.length + 1))
  // The lines of a receipt contain the tax.
  if (sums.some(stated => isNear(sum, stated, tolerance))) return true
  return subtotal ? false : null
}

function checkTaxes({ taxes, subtotal }: Invoice): boolean | null {
  const results = taxes.map(tax => checkTax(tax, taxes.length === 1 ? subtotal : undefined))
  if (results.includes(false)) return false
  return results.length > 0 && results.every(result => result === true) ? true : null
}

function checkTax({ rate, base, amount }: InvoiceTax, subtotal: Found | undefined): boolean | null {
  const from = base ?? subtotal
  if (!rate || !from || !amount) return null
  const expected = multiplyDecimals(multiplyDecimals(from.value, rate.value), '0.01')
  return isNear(expected, amount.value, CENT)
}

function checkTotal({ subtotal, taxes, shipping, tip, total }: Invoice): boolean | null {
  if (!subtotal || !total) return null
  const parts = valuesOf([subtotal, ...taxes.map(({ amount }) => amount)])
  // Shipping may be part of the subtotal or stand beside it.
  const sums = [parts, [...parts, ...valuesOf([shipping])]].map(sum => addDecimals([...sum, ...valuesOf([tip])]))
  return sums.some(sum => isNear(sum, total.value, CENT))
}
