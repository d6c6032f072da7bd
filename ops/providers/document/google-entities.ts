import type { HostedIdentity, HostedIdField } from '../../../tasks/formats/document/hosted.ts'
import type { ReadField, ReadInvoice } from '../../../tasks/formats/invoice/hosted.ts'
import type { InvoiceField, LineField, PartyField } from '../../../tasks/formats/invoice/model.ts'
import { type Poly, readPoly } from './google-layout.ts'

export interface GoogleEntity {
  type?: string
  mentionText?: string
  confidence?: number
  pageAnchor?: { pageRefs?: { boundingPoly?: Poly }[] }
  normalizedValue?: {
    text?: string
    moneyValue?: { currencyCode?: string; units?: string; nanos?: number }
    dateValue?: { year?: number; month?: number; day?: number }
  }
  properties?: GoogleEntity[]
}

type Names<Name extends string> = Readonly<Record<string, Name>>

const VENDOR: Names<PartyField> = {
  supplier_name: 'name',
  supplier_address: 'address',
  supplier_tax_id: 'taxId',
  supplier_registration: 'registration',
  supplier_iban: 'iban',
  supplier_email: 'email',
  supplier_phone: 'phone',
  supplier_website: 'url',
}
const CUSTOMER: Names<PartyField> = {
  receiver_name: 'name',
  receiver_address: 'address',
  receiver_tax_id: 'taxId',
  receiver_email: 'email',
  receiver_phone: 'phone',
}
const FIELDS: Names<InvoiceField> = {
  invoice_id: 'number',
  invoice_date: 'issueDate',
  due_date: 'dueDate',
  delivery_date: 'deliveryDate',
  purchase_order: 'purchaseOrder',
  payment_terms: 'paymentTerms',
  currency: 'currency',
  net_amount: 'subtotal',
  freight_amount: 'shipping',
  total_amount: 'total',
  amount_paid_since_last_invoice: 'amountPaid',
}
const LINE_FIELDS: Names<LineField> = {
  'line_item/description': 'description',
  'line_item/product_code': 'sku',
  'line_item/quantity': 'quantity',
  'line_item/unit': 'unit',
  'line_item/unit_price': 'unitPrice',
  'line_item/amount': 'amount',
}
const TAX_FIELDS = { 'vat/tax_rate': 'rate', 'vat/amount': 'base', 'vat/tax_amount': 'amount' } as const

/** What a processor of invoices found. */
export function readGoogleInvoice(entities: readonly GoogleEntity[], texts: readonly string[]): ReadInvoice {
  const partsOf = (type: string) =>
    entities.filter(entity => entity.type === type).map(({ properties = [] }) => properties)
  const details = partsOf('vat').map(parts => pick(parts, TAX_FIELDS))
  const whole = pick(entities, { total_tax_amount: 'amount' } as const)
  return {
    vendor: pick(entities, VENDOR),
    customer: pick(entities, CUSTOMER),
    fields: pick(entities, FIELDS),
    lines: partsOf('line_item').map(parts => pick(parts, LINE_FIELDS)),
    taxes: details.length > 0 ? details : whole.amount ? [whole] : [],
    texts,
  }
}

/** Of several entities of one type, the one that is most certain. */
function pick<Name extends string>(entities: readonly GoogleEntity[], names: Names<Name>) {
  const picked: Partial<Record<Name, ReadField>> = {}
  for (const entity of entities) {
    const name = names[entity.type ?? '']
    const field = readField(entity)
    if (name && field.text !== '' && field.confidence > (picked[name]?.confidence ?? -1)) picked[name] = field
  }
  return picked
}

function readField(entity: GoogleEntity): ReadField {
  const { mentionText = '', confidence = 0, normalizedValue = {} } = entity
  const { moneyValue, text } = normalizedValue
  const [box, date] = [findBox(entity), findDate(entity)]
  return {
    text: mentionText.replaceAll(/\s+/g, ' ').trim(),
    confidence,
    ...(box && { box }),
    ...(date && { date }),
    ...(moneyValue && { amount: toDecimal(moneyValue) }),
    ...(moneyValue?.currencyCode && { currency: moneyValue.currencyCode }),
    ...(entity.type === 'currency' && text && { currency: text }),
  }
}

function findBox({ pageAnchor }: GoogleEntity) {
  return readPoly(pageAnchor?.pageRefs?.[0]?.boundingPoly)
}

const NANO_PLACES = 9

/** Whole units and billionths, both with the sign. */
function toDecimal({ units = '0', nanos = 0 }: { units?: string; nanos?: number }): string {
  const sign = units.startsWith('-') || nanos < 0 ? '-' : ''
  const fraction = String(Math.abs(nanos)).padStart(NANO_PLACES, '0').replace(/0+$/, '').padEnd(2, '0')
  return `${sign}${units.replace('-', '')}.${fraction}`
}

function findDate({ normalizedValue }: GoogleEntity): string | undefined {
  const { year, month, day } = normalizedValue?.dateValue ?? {}
  if (!year || !month || !day) return undefined
  const pad = (part: number, places: number) => String(part).padStart(places, '0')
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

const ID_FIELDS: Names<HostedIdField> = {
  'Family Name': 'lastName',
  'Given Names': 'firstName',
  'Document Id': 'documentNumber',
  'Date Of Birth': 'dateOfBirth',
  'Issue Date': 'dateOfIssue',
  'Expiration Date': 'dateOfExpiry',
  Address: 'address',
}

/** What a processor of identity documents found; those of Google know one kind of the United States each. */
export function readGoogleIdentity(
  entities: readonly GoogleEntity[],
  documentType: HostedIdentity['documentType'],
): HostedIdentity {
  const fields = pick(entities, ID_FIELDS)
  const found = Object.entries(fields).flatMap(([name, { text: raw, confidence, box, date }]) => {
    const value = name.startsWith('date') ? date : raw
    return value ? [[name, { value, raw, confidence, source: 'model' as const, ...(box && { box }) }]] : []
  })
  return {
    ...(documentType && { documentType, issuingCountry: 'USA' }),
    fields: Object.fromEntries(found),
  }
}
