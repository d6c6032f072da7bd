import type { HostedIdentity, HostedIdField } from '../../../tasks/formats/document/hosted.ts'
import type { Rect } from '../../../tasks/formats/geometry/rect.ts'
import type { ReadField, ReadInvoice } from '../../../tasks/formats/invoice/hosted.ts'
import type { InvoiceField, LineField, PartyField } from '../../../tasks/formats/invoice/model.ts'

/** A field of a document that a model of Azure knows. */
interface AzureField {
  content?: string
  confidence?: number
  boundingRegions?: { polygon?: number[] }[]
  valueString?: string
  valueDate?: string
  valueNumber?: number
  valueCountryRegion?: string
  valueCurrency?: { amount?: number; currencyCode?: string }
  valueArray?: AzureField[]
  valueObject?: Record<string, AzureField>
}

export interface AzureDocument {
  docType?: string
  fields?: Record<string, AzureField>
}

type ToBox = (field: Pick<AzureField, 'boundingRegions'>) => Rect | undefined
type Names<Name extends string> = Readonly<Record<string, Name>>

const VENDOR: Names<PartyField> = {
  VendorName: 'name',
  MerchantName: 'name',
  VendorAddress: 'address',
  MerchantAddress: 'address',
  VendorTaxId: 'taxId',
  MerchantPhoneNumber: 'phone',
}
const CUSTOMER: Names<PartyField> = { CustomerName: 'name', CustomerAddress: 'address', CustomerTaxId: 'taxId' }
const FIELDS: Names<InvoiceField> = {
  InvoiceId: 'number',
  InvoiceDate: 'issueDate',
  TransactionDate: 'issueDate',
  DueDate: 'dueDate',
  PurchaseOrder: 'purchaseOrder',
  PaymentTerm: 'paymentTerms',
  SubTotal: 'subtotal',
  Subtotal: 'subtotal',
  Tip: 'tip',
  InvoiceTotal: 'total',
  Total: 'total',
  AmountDue: 'amountDue',
}
const LINE_FIELDS: Names<LineField> = {
  Description: 'description',
  ProductCode: 'sku',
  Quantity: 'quantity',
  QuantityUnit: 'unit',
  Unit: 'unit',
  UnitPrice: 'unitPrice',
  Price: 'unitPrice',
  TaxRate: 'taxRate',
  Amount: 'amount',
  TotalPrice: 'amount',
}

/** What the models of invoices and receipts found. */
export function readAzureInvoice(
  { docType = '', fields = {} }: AzureDocument,
  texts: readonly string[],
  toBox: ToBox,
): ReadInvoice {
  const pick = <Name extends string>(found: Readonly<Record<string, AzureField>>, names: Names<Name>) =>
    Object.fromEntries(
      Object.entries(names).flatMap(([own, name]) => {
        const field = found[own]
        return field?.content ? [[name, readField(field, toBox)]] : []
      }),
    ) as Partial<Record<Name, ReadField>>
  const items = fields.Items?.valueArray ?? []
  const details = (fields.TaxDetails?.valueArray ?? []).map(({ valueObject = {} }) =>
    pick(valueObject, { Amount: 'amount', Rate: 'rate', NetAmount: 'base' } as const),
  )
  const whole = pick(fields, { TotalTax: 'amount' } as const)
  return {
    ...(docType.startsWith('receipt') && { kind: 'receipt' as const }),
    vendor: pick(fields, VENDOR),
    customer: pick(fields, CUSTOMER),
    fields: pick(fields, FIELDS),
    lines: items.map(({ valueObject = {} }) => pick(valueObject, LINE_FIELDS)),
    taxes: details.length > 0 ? details : whole.amount ? [whole] : [],
    texts,
  }
}

function readField(field: AzureField, toBox: ToBox): ReadField {
  const { content = '', confidence = 0, valueCurrency, valueDate, valueNumber } = field
  const amount = valueCurrency?.amount ?? valueNumber
  const box = toBox(field)
  return {
    text: content,
    confidence,
    ...(box && { box }),
    ...(amount !== undefined && { amount: toDecimal(amount, valueCurrency !== undefined) }),
    ...(valueCurrency?.currencyCode && { currency: valueCurrency.currencyCode }),
    ...(valueDate && { date: valueDate }),
  }
}

const MAX_PLACES = 6

/** Money has at least its cents, and no number an exponent. */
function toDecimal(amount: number, isMoney: boolean): string {
  const plain = amount.toFixed(MAX_PLACES).replace(/\.?0+$/, '')
  const [whole, fraction = ''] = plain.split('.') as [string, string?]
  return isMoney ? `${whole}.${fraction.padEnd(2, '0')}` : plain
}

const ID_FIELDS: Names<HostedIdField> = {
  FirstName: 'firstName',
  LastName: 'lastName',
  MiddleName: 'middleName',
  DocumentNumber: 'documentNumber',
  PersonalNumber: 'personalNumber',
  DateOfBirth: 'dateOfBirth',
  DateOfIssue: 'dateOfIssue',
  DateOfExpiration: 'dateOfExpiry',
  Sex: 'sex',
  Nationality: 'nationality',
  Address: 'address',
}

const ID_TYPES: Readonly<Record<string, NonNullable<HostedIdentity['documentType']>>> = {
  'idDocument.passport': 'passport',
  'idDocument.driverLicense': 'driving-licence',
  'idDocument.nationalIdentityCard': 'id-card',
  'idDocument.residencePermit': 'residence',
}

/** What the model of identity documents found. */
export function readAzureIdentity({ docType = '', fields = {} }: AzureDocument, toBox: ToBox): HostedIdentity {
  const documentType = ID_TYPES[docType]
  const country = fields.CountryRegion?.valueCountryRegion
  const found = Object.entries(ID_FIELDS).flatMap(([own, name]) => {
    const field = fields[own]
    const { content: raw = '', confidence = 0, valueDate, valueCountryRegion, valueString } = field ?? {}
    const value = name.startsWith('date') ? valueDate : (valueCountryRegion ?? valueString ?? raw)
    const box = field && toBox(field)
    return value ? [[name, { value, raw, confidence, source: 'model' as const, ...(box && { box }) }]] : []
  })
  return {
    ...(documentType && { documentType }),
    ...(country && { issuingCountry: country }),
    fields: Object.fromEntries(found),
  }
}
