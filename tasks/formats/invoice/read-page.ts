import type { DocumentPage } from '../document/page.ts'
import { CURRENCIES } from './amounts.ts'
import { findDate } from './dates.ts'
import { findLineItems, type ItemTable } from './items/find.ts'
import { cutLabel, findKind } from './labels.ts'
import { compact, type Found, type Invoice, type InvoiceKind } from './model.ts'
import { findParties } from './parties.ts'
import { addPaymentCode, type PaymentCode } from './payment-codes.ts'
import { amountsOf, findLabelled, openReadings, parseDateText, type Reading, type ReadingOptions } from './reader.ts'
import { heightOf } from './rows.ts'
import { findSums } from './sums.ts'

export interface InvoiceOptions extends ReadingOptions {
  /** ISO 4217: of amounts whose currency the page does not state. */
  currency?: string
  hasLines: boolean
}

/** A page with the codes of payments on it. */
export interface CodedPage {
  page: DocumentPage
  codes: readonly PaymentCode[]
}

/** What each page of a document states. A table of items goes on from one page to the next. */
export function readInvoicePages(pages: readonly CodedPage[], options: InvoiceOptions): Invoice[] {
  const readings = openReadings(
    pages.map(({ page }) => page),
    options,
  )
  let table: ItemTable = 'none'
  return readings.map((reading, index) => {
    const read = readInvoicePage(reading, table, { ...options, codes: pages[index]!.codes })
    table = read.table
    return read.invoice
  })
}

/** Finds the fields of an invoice or a receipt among the words of a page. */
function readInvoicePage(
  reading: Reading,
  before: ItemTable,
  options: InvoiceOptions & Pick<CodedPage, 'codes'>,
): { invoice: Invoice; table: ItemTable } {
  const { fields, taxes, adjustment, firstRow } = findSums(reading)
  const code = options.codes[0]
  const { vendor, customer } = findParties(reading)
  const dates = parseDateText(reading)
  const number = findLabelled(reading, 'number', parseNumberText) ?? findBesideTitle(reading)
  const issueDate = findLabelled(reading, 'issueDate', dates) ?? findAnyDate(reading)
  const { lines, table } = findLineItems(reading, firstRow, before)
  const kind = chooseKind(reading, { hasNumber: number !== undefined, total: fields.total })
  const invoice: Invoice = {
    kind,
    vendor,
    customer,
    lines: options.hasLines ? lines : [],
    taxes,
    ...(adjustment !== undefined && { adjustment }),
    ...compact({
      number,
      issueDate,
      purchaseOrder: findLabelled(reading, 'purchaseOrder', parseNumberText),
      dueDate: findLabelled(reading, 'dueDate', dates),
      deliveryDate: findLabelled(reading, 'deliveryDate', dates),
      paymentTerms: findLabelled(reading, 'paymentTerms', parseTerms),
      currency: code?.currency ?? findCurrency(reading, options.currency),
    }),
    ...fields,
  }
  return { invoice: addPaymentCode(invoice, code), table }
}

const OTHER_HEADING = /^(?:bank|konto|account|iban|coord|datos banc|dados banc)/i

/** What stands beside the heading may be another one. */
function parseTerms(text: string): { value: string; raw: string } | undefined {
  const terms = text.split(/\s+(?=(?:IBAN|BIC|SWIFT|Konto|Bank)\b)/)[0]!
  return OTHER_HEADING.test(terms) ? undefined : { value: terms, raw: terms }
}

/** Has a digit, and may have spaces only after prefixes such as `RE 2026-17`. */
function parseNumberText(text: string): { value: string; raw: string } | undefined {
  if (cutLabel(text, 'issueDate') !== undefined) return undefined
  const [raw] = /^[A-Z]{0,5}[ -]?[A-Z0-9][\w./-]{0,30}/i.exec(text) ?? []
  const value = raw?.replace(/[.,:]+$/, '')
  return value && /\d/.test(value) && !/^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/.test(value) ? { value, raw: value } : undefined
}

const TITLE_WORDS = 4
const BARE_NUMBER = /^#?(?=\S*\d)(?:[A-Z]{1,6}[-/]?)?[\dA-Z][\dA-Z./-]{2,20}$/

/** A number without a label beside or below the title, such as `INV0093`. */
function findBesideTitle(reading: Reading): Found | undefined {
  for (const [index, row] of reading.rows.entries()) {
    const title = row.segments.find(({ text }) => findKind(text) && text.split(/\s+/).length <= TITLE_WORDS)
    if (!title) continue
    const near = [row, ...reading.rows.slice(index + 1, index + 3)].flatMap(({ segments }) => segments)
    const found = near.find(
      ({ text, box }) => BARE_NUMBER.test(text) && box[0] >= title.box[0] - heightOf(title) && parseNumberText(text),
    )
    if (found) return reading.place(found.text.replace('#', ''), found.text, found.words, 0.7)
  }
  return undefined
}

function findAnyDate(reading: Reading): Found | undefined {
  for (const { text, words } of reading.rows) {
    const date = findDate(text, reading.isMonthFirst)
    if (date) return reading.place(date.value, date.raw, words, date.isAmbiguous ? 0.4 : 0.6)
  }
  return undefined
}

function chooseKind(
  reading: Reading,
  { hasNumber, total }: { hasNumber: boolean; total: Found | undefined },
): InvoiceKind {
  const words = reading.rows.map(row => findKind(row.text)).filter(kind => kind !== undefined)
  if (words.includes('credit-note') || (total?.value.startsWith('-') && words.includes('invoice'))) return 'credit-note'
  const [first] = words
  if (first) return first
  return total ? (hasNumber ? 'invoice' : 'receipt') : 'unknown'
}

const CODE = new RegExp(`\\b(${CURRENCIES})\\b`)

function findCurrency(reading: Reading, given: string | undefined): Found | undefined {
  for (const { text, words } of reading.rows) {
    const code = CODE.exec(text)?.[1]
    if (code) return reading.place(code, code, words, 0.9)
  }
  return findSymbol(reading, given)
}

/** A dollar sign stands for many currencies. */
function findSymbol(reading: Reading, given: string | undefined): Found | undefined {
  for (const { text, words } of reading.rows) {
    const { currency, raw } = amountsOf(reading, text).find(amount => amount.currency) ?? {}
    if (currency === 'USD') return reading.place(given ?? currency, raw!, words, given === undefined ? 0.7 : 0.9)
    if (currency) return reading.place(currency, raw!, words, 0.9)
  }
  return given === undefined ? undefined : { value: given, raw: '', confidence: 0.5, source: reading.page.source }
}
