import { Problem } from '#kit'
import type { ComputedInvoice, ComputedLine } from '../../formats/einvoice/invoice.ts'
import { findUnitCode, isVatNumber } from '../../formats/einvoice/write-parts.ts'
import { REASONS } from './exemptions.ts'
import type { InvoiceInput } from './input.ts'

function refuse(path: string, reason: string): never {
  throw new Problem('INVOICE_INVALID', { path, reason })
}

/** Refuses what contradicts itself, before anything is computed. */
export function checkInput(input: InvoiceInput): void {
  const { bank, epcQr } = input
  checkDays(input)
  if (bank && !hasIbanChecksum(bank.iban)) refuse('bank.iban', 'its check digits are wrong')
  checkTaxNote(input)
  const conflict = findConflict(input)
  if (conflict) throw new Problem('CONFLICTING_OPTIONS', { fields: conflict })
  if (epcQr && !bank) throw new Problem('MISSING_FIELD', { field: 'bank' })
}

function checkDays(input: InvoiceInput): void {
  const { issueDate, dueDate } = input
  for (const name of ['issueDate', 'dueDate', 'deliveryDate'] as const)
    if (input[name] !== undefined && !isDay(input[name])) refuse(name, 'not a day')
  if (dueDate !== undefined && dueDate < issueDate) refuse('dueDate', 'before issueDate')
}

/** A note is shown for each category without tax, and so nowhere if no item is of one. */
function checkTaxNote({ taxNote, items }: InvoiceInput): void {
  if (taxNote === undefined || items.some(({ taxCategory }) => taxCategory && REASONS[taxCategory])) return
  refuse('taxNote', `no item has a taxCategory of ${Object.keys(REASONS).join(', ')}`)
}

function findConflict(input: InvoiceInput): string[] | undefined {
  const { einvoice, format, rounding, type, epcQr, currency, correctedInvoice } = input
  const conflicts: [isWrong: unknown, ...fields: string[]][] = [
    [einvoice && format, 'einvoice', 'format'],
    [einvoice && rounding === 'line', 'einvoice', 'rounding'],
    [einvoice && type !== 'invoice' && type !== 'credit-note', 'einvoice', 'type'],
    [epcQr && currency !== 'EUR', 'epcQr', 'currency'],
    [correctedInvoice !== undefined && type !== 'credit-note', 'correctedInvoice', 'type'],
  ]
  return conflicts.find(([isWrong]) => isWrong)?.slice(1) as string[] | undefined
}

function hasIbanChecksum(iban: string): boolean {
  const plain = iban.replaceAll(' ', '')
  const digits = [...plain.slice(4), ...plain.slice(0, 4)].map(character => Number.parseInt(character, 36)).join('')
  return BigInt(digits) % 97n === 1n
}

/** The rules of EN 16931 that an invoice with sound amounts may still break. */
export function checkEinvoice(invoice: ComputedInvoice): void {
  const { seller, buyer, lines, totals, digits } = invoice
  if (digits > 2) refuse('currency', 'electronic invoices have at most two digits after the point')
  for (const [index, line] of lines.entries()) checkLine(line, `items.${index}`)
  if (seller.country === undefined) refuse('seller.country', 'electronic invoices need it')
  if (buyer.country === undefined) refuse('buyer.country', 'electronic invoices need it')
  if (seller.taxId === undefined && seller.registration === undefined)
    refuse('seller.taxId', 'electronic invoices need it, or a registration')
  if (totals.due > 0n && invoice.dueDate === undefined && invoice.terms === undefined)
    refuse('dueDate', 'electronic invoices need it, or terms, while something is to be paid')
  checkCategories(invoice)
}

function checkLine({ category, unit }: ComputedLine, path: string): void {
  if (category === undefined) refuse(`${path}.taxRate`, 'electronic invoices need it, or a taxCategory')
  if (findUnitCode(unit) === undefined)
    refuse(`${path}.unit`, 'not a unit with a code of UN/ECE Recommendation 20; give the code')
}

function checkCategories({ groups, seller, buyer, deliveryDate }: ComputedInvoice): void {
  const hasVatNumber = (taxId: string | undefined) => taxId !== undefined && isVatNumber(taxId)
  const needs: [isMet: boolean, categories: readonly string[], path: string, reason: string][] = [
    [hasVatNumber(seller.taxId), ['AE', 'K', 'G'], 'seller.taxId', 'needs one that begins with its country'],
    [seller.taxId !== undefined, ['S', 'Z', 'E', 'L', 'M'], 'seller.taxId', 'needs it'],
    [hasVatNumber(buyer.taxId), ['AE', 'K'], 'buyer.taxId', 'needs one that begins with its country'],
    [deliveryDate !== undefined, ['K'], 'deliveryDate', 'needs it'],
    [groups.length === 1, ['O'], 'items', 'stands alone'],
    [!hasVatNumber(seller.taxId), ['O'], 'seller.taxId', 'has no number for value added tax; give a registration'],
    [!hasVatNumber(buyer.taxId), ['O'], 'buyer.taxId', 'has no number for value added tax'],
  ]
  for (const [isMet, categories, path, reason] of needs) {
    const used = isMet ? undefined : groups.find(({ category }) => categories.includes(category))
    if (used) refuse(path, `category ${used.category} ${reason}`)
  }
}

/** The 30th of February would be read as a day in March. */
function isDay(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
