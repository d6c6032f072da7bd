import { type TSchema, Type } from 'typebox'
import { Choice } from '#kit'
import { Box, Confidence, toBox } from '../document/box.ts'
import { checkInvoice } from './checks.ts'
import type { Found, Invoice } from './model.ts'

const VALUE = {
  value: Type.String({ description: 'Money as a decimal number, a date as YYYY-MM-DD.' }),
  raw: Type.String({ description: 'As it stands in the document.' }),
  confidence: Confidence,
  source: Choice(['xml', 'barcode', 'text-layer', 'ocr', 'model']),
  box: Type.Optional(Box),
}

const VENDOR_FIELDS = ['name', 'address', 'taxId', 'registration', 'iban', 'bic', 'email', 'phone', 'url'] as const
const CUSTOMER_FIELDS = ['name', 'address', 'taxId', 'registration', 'email', 'phone'] as const
const LINE_FIELDS = ['sku', 'unit', 'discount', 'taxRate'] as const
const NULLABLE_LINE_FIELDS = ['description', 'quantity', 'unitPrice', 'amount'] as const
const TAX_FIELDS = ['rate', 'base', 'amount'] as const
const NULLABLE_FIELDS = ['number', 'issueDate', 'currency', 'subtotal', 'total', 'amountDue'] as const
const FIELDS = [
  ...(['purchaseOrder', 'dueDate', 'deliveryDate', 'shipping', 'tip', 'amountPaid', 'paymentTerms'] as const),
  'paymentReference',
] as const

const Check = Type.Union([Type.Boolean(), Type.Null()])

function declareFields<Value extends TSchema>(value: Value) {
  const optionalValue = Type.Optional(value)
  const nullableValue = Type.Union([value, Type.Null()])
  const optional = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(names.map(name => [name, optionalValue])) as Record<Name, typeof optionalValue>
  const nullable = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(names.map(name => [name, nullableValue])) as Record<Name, typeof nullableValue>
  return {
    kind: Choice(['invoice', 'receipt', 'credit-note', 'unknown']),
    vendor: Type.Object(optional(VENDOR_FIELDS)),
    customer: Type.Object(optional(CUSTOMER_FIELDS)),
    ...nullable(NULLABLE_FIELDS),
    ...optional(FIELDS),
    lines: Type.Array(Type.Object({ ...nullable(NULLABLE_LINE_FIELDS), ...optional(LINE_FIELDS) })),
    taxes: Type.Array(Type.Object(nullable(TAX_FIELDS))),
    checks: Type.Object(
      { linesMatchSubtotal: Check, taxesMatch: Check, totalMatches: Check },
      { description: 'Whether the figures add up; null where one of them is missing.' },
    ),
  }
}

export const INVOICE_FIELDS = declareFields(Type.Object(VALUE))
/** Of an invoice of several pages: each value with the page where it stands. */
export const PAGED_INVOICE_FIELDS = declareFields(
  Type.Object({ ...VALUE, page: Type.Optional(Type.Integer({ minimum: 1 })) }),
)

interface PageSize {
  width: number
  height: number
}

/** The invoice as callers get it, without what is too uncertain. `page` is missing if the values have no places. */
export function describeInvoice(invoice: Invoice, minConfidence: number, page?: PageSize) {
  const isKept = (found: Found | undefined): found is Found => found !== undefined && found.confidence >= minConfidence
  const show = ({ box, ...found }: Found) => ({ ...found, ...(box && page && { box: toBox(box, page) }) })
  const given = <Name extends string>(fields: Partial<Record<Name, Found>>, names: readonly Name[]) =>
    Object.fromEntries(names.flatMap(name => (isKept(fields[name]) ? [[name, show(fields[name])]] : []))) as Partial<
      Record<Name, ReturnType<typeof show>>
    >
  const all = <Name extends string>(fields: Partial<Record<Name, Found>>, names: readonly Name[]) =>
    Object.fromEntries(names.map(name => [name, isKept(fields[name]) ? show(fields[name]) : null])) as Record<
      Name,
      ReturnType<typeof show> | null
    >
  return {
    kind: invoice.kind,
    vendor: given(invoice.vendor, VENDOR_FIELDS),
    customer: given(invoice.customer, CUSTOMER_FIELDS),
    ...all(invoice, NULLABLE_FIELDS),
    ...given(invoice, FIELDS),
    lines: invoice.lines.map(line => ({ ...all(line, NULLABLE_LINE_FIELDS), ...given(line, LINE_FIELDS) })),
    taxes: invoice.taxes.map(tax => all(tax, TAX_FIELDS)),
    checks: checkInvoice(invoice),
  }
}
