import type { ExpenseDocument, ExpenseField } from '@aws-sdk/client-textract'
import type { ReadField, ReadInvoice } from '../../../tasks/formats/invoice/hosted.ts'
import type { InvoiceField, LineField, PartyField } from '../../../tasks/formats/invoice/model.ts'
import { BlockGraph, readBox, toShare } from './textract-blocks.ts'

const VENDOR: Record<string, PartyField> = {
  VENDOR_NAME: 'name',
  VENDOR_ADDRESS: 'address',
  VENDOR_PHONE: 'phone',
  VENDOR_URL: 'url',
  VENDOR_VAT_NUMBER: 'taxId',
  VENDOR_GST_NUMBER: 'taxId',
  VENDOR_ABN_NUMBER: 'taxId',
  VENDOR_PAN_NUMBER: 'taxId',
  TAX_PAYER_ID: 'taxId',
}
const CUSTOMER: Record<string, PartyField> = {
  RECEIVER_NAME: 'name',
  RECEIVER_ADDRESS: 'address',
  RECEIVER_PHONE: 'phone',
  RECEIVER_VAT_NUMBER: 'taxId',
  RECEIVER_GST_NUMBER: 'taxId',
  RECEIVER_ABN_NUMBER: 'taxId',
  RECEIVER_PAN_NUMBER: 'taxId',
}
const FIELDS: Record<string, InvoiceField> = {
  INVOICE_RECEIPT_ID: 'number',
  INVOICE_RECEIPT_DATE: 'issueDate',
  DUE_DATE: 'dueDate',
  DELIVERY_DATE: 'deliveryDate',
  PO_NUMBER: 'purchaseOrder',
  PAYMENT_TERMS: 'paymentTerms',
  SUBTOTAL: 'subtotal',
  SHIPPING_HANDLING_CHARGE: 'shipping',
  GRATUITY: 'tip',
  TOTAL: 'total',
  AMOUNT_PAID: 'amountPaid',
  AMOUNT_DUE: 'amountDue',
}
const LINE_FIELDS: Record<string, LineField> = {
  ITEM: 'description',
  PRODUCT_CODE: 'sku',
  QUANTITY: 'quantity',
  UNIT_PRICE: 'unitPrice',
  PRICE: 'amount',
}

/** What AnalyzeExpense found of the first invoice of a page. */
export function readExpense({ SummaryFields = [], LineItemGroups = [], Blocks = [] }: ExpenseDocument): ReadInvoice {
  const taxes = SummaryFields.filter(({ Type }) => Type?.Text === 'TAX')
  const items = LineItemGroups.flatMap(({ LineItems = [] }) => LineItems)
  return {
    vendor: pick(SummaryFields, VENDOR),
    customer: pick(SummaryFields, CUSTOMER),
    fields: pick(SummaryFields, FIELDS),
    lines: items.map(({ LineItemExpenseFields = [] }) => pick(LineItemExpenseFields, LINE_FIELDS)),
    taxes: taxes.map(tax => ({ amount: readField(tax) })),
    texts: new BlockGraph(Blocks).readLines().map(({ text }) => text),
  }
}

/** Of several fields of one kind, the one that is most certain. */
function pick<Name extends string>(
  found: readonly ExpenseField[],
  names: Readonly<Record<string, Name>>,
): Partial<Record<Name, ReadField>> {
  const picked: Partial<Record<Name, ReadField>> = {}
  for (const field of found) {
    const name = names[field.Type?.Text ?? '']
    const read = readField(field)
    if (name && read.text !== '' && read.confidence > (picked[name]?.confidence ?? -1)) picked[name] = read
  }
  return picked
}

function readField({ ValueDetection, Currency }: ExpenseField): ReadField {
  const { Text = '', Confidence, Geometry } = ValueDetection ?? {}
  return {
    text: Text.trim(),
    confidence: toShare(Confidence),
    ...(Geometry && { box: readBox(Geometry) }),
    ...(Currency?.Code && { currency: Currency.Code }),
  }
}
