import type { Rect } from '../geometry/rect.ts'
import { parseLocalNumber } from '../numbers/locale.ts'
import { findAmounts } from './amounts.ts'
import { findDate } from './dates.ts'
import { findKind } from './labels.ts'
import type { Found, Invoice, InvoiceField, InvoiceKind, LineField, PartyField, TaxField } from './model.ts'
import { findConventions } from './reader.ts'

/** A field as a provider read it. What it has understood itself is taken as it is. */
export interface ReadField {
  text: string
  confidence: number
  box?: Rect
  /** A plain decimal number. */
  amount?: string
  /** ISO 4217. */
  currency?: string
  /** ISO 8601. */
  date?: string
}

type Fields<Name extends string> = Partial<Record<Name, ReadField>>

export interface ReadInvoice {
  kind?: InvoiceKind
  vendor: Fields<PartyField>
  customer: Fields<PartyField>
  fields: Fields<InvoiceField>
  lines: Fields<LineField>[]
  taxes: Fields<TaxField>[]
  /** What the page shows, to tell what it is. */
  texts: readonly string[]
}

const MONEY = new Set<string>([
  'subtotal',
  'shipping',
  'tip',
  'total',
  'amountPaid',
  'amountDue',
  'unitPrice',
  'amount',
])
const NUMBERS = new Set<string>([...MONEY, 'base', 'discount', 'quantity', 'rate', 'taxRate'])
const DATES = new Set<string>(['issueDate', 'dueDate', 'deliveryDate'])

interface Hints {
  locale?: string
  currency?: string
}

/** Gives numbers and dates of a provider the form of ours. What cannot be understood is left out. */
export function normalizeInvoice(read: ReadInvoice, { locale, currency }: Hints): Invoice | undefined {
  const { fields, lines, taxes } = read
  const all = [fields, ...lines, ...taxes].flatMap(group => Object.entries<ReadField>(group))
  if (all.length === 0) return undefined
  const amounts = all.flatMap(([name, { text }]) => (MONEY.has(name) ? [text] : []))
  const context = findConventions([...amounts, ...read.texts].join('\n'), locale)
  const normalize = <Name extends string>(group: Fields<Name>): Partial<Record<Name, Found>> =>
    Object.fromEntries(
      Object.entries<ReadField>(group as Record<string, ReadField>).flatMap(([name, field]) => {
        const found = normalizeField(name, field, context)
        return found ? [[name, found]] : []
      }),
    ) as Partial<Record<Name, Found>>
  const normalized = normalize(fields)
  return {
    vendor: normalize(read.vendor),
    customer: normalize(read.customer),
    lines: lines.map(normalize).filter(line => Object.keys(line).length > 0),
    taxes: taxes.map(normalize).filter(tax => Object.keys(tax).length > 0),
    ...normalized,
    ...(!normalized.currency && { currency: findCurrency(all, currency) }),
    kind: read.kind ?? chooseKind(read.texts, normalized),
  }
}

function normalizeField(
  name: string,
  field: ReadField,
  { mark = '.', isMonthFirst }: ReturnType<typeof findConventions>,
): Found | undefined {
  const { text, confidence, box } = field
  const value = readValue()
  return value === undefined || value === ''
    ? undefined
    : { value, raw: text, confidence, source: 'model', ...(box && { box }) }

  function readValue(): string | undefined {
    if (NUMBERS.has(name)) return field.amount ?? parseLocalNumber(text, mark)
    if (DATES.has(name)) return field.date ?? findDate(text, isMonthFirst)?.value
    return name === 'currency' ? (field.currency ?? text) : text
  }
}

function findCurrency(all: readonly (readonly [string, ReadField])[], given: string | undefined): Found | undefined {
  for (const [name, { text, currency, confidence, box }] of all) {
    if (!MONEY.has(name)) continue
    // A dollar sign stands for many currencies.
    const shown = findAmounts(text, undefined, false)[0]?.currency
    const value = currency ?? (shown === 'USD' ? (given ?? shown) : shown)
    if (value) return { value, raw: text, confidence, source: 'model', ...(box && { box }) }
  }
  return given === undefined ? undefined : { value: given, raw: '', confidence: 0.5, source: 'model' }
}

function chooseKind(texts: readonly string[], { total, number }: Pick<Invoice, 'total' | 'number'>): InvoiceKind {
  const named = texts.map(findKind).filter(kind => kind !== undefined)
  if (named.includes('credit-note') || total?.value.startsWith('-')) return 'credit-note'
  return named[0] ?? (total ? (number ? 'invoice' : 'receipt') : 'unknown')
}
