import type { Rect } from '../geometry/rect.ts'

type ValueSource = 'xml' | 'barcode' | 'text-layer' | 'ocr' | 'model'

/** A value with where it comes from. Money is a decimal number, a date is ISO 8601. */
export interface Found {
  value: string
  /** As it stands in the document. */
  raw: string
  confidence: number
  source: ValueSource
  box?: Rect
  /** In a document of several pages. */
  page?: number
}

export type PartyField = 'name' | 'address' | 'taxId' | 'registration' | 'iban' | 'bic' | 'email' | 'phone' | 'url'
export type Party = Partial<Record<PartyField, Found>>

export type LineField = 'description' | 'sku' | 'quantity' | 'unit' | 'unitPrice' | 'discount' | 'taxRate' | 'amount'
export type InvoiceLine = Partial<Record<LineField, Found>>

export type TaxField = 'rate' | 'base' | 'amount'
export type InvoiceTax = Partial<Record<TaxField, Found>>

export type InvoiceField =
  | 'number'
  | 'purchaseOrder'
  | 'issueDate'
  | 'dueDate'
  | 'deliveryDate'
  | 'currency'
  | 'subtotal'
  | 'shipping'
  | 'tip'
  | 'total'
  | 'amountPaid'
  | 'amountDue'
  | 'paymentTerms'
  | 'paymentReference'

export type InvoiceKind = 'invoice' | 'receipt' | 'credit-note' | 'unknown'

export interface Invoice extends Partial<Record<InvoiceField, Found>> {
  kind: InvoiceKind
  vendor: Party
  customer: Party
  lines: InvoiceLine[]
  taxes: InvoiceTax[]
  /** What allowances and charges of the whole document add to the sum of the lines. */
  adjustment?: string | undefined
}

/** Leaves out what was not found. */
export function compact<Name extends string>(fields: Record<Name, Found | undefined>): Partial<Record<Name, Found>> {
  return Object.fromEntries(Object.entries(fields).filter(([, found]) => found !== undefined)) as Partial<
    Record<Name, Found>
  >
}
