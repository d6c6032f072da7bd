import { UNIT_PAGE } from '../../formats/document/hosted.ts'
import type { DocumentPage } from '../../formats/document/page.ts'
import type { Rect } from '../../formats/geometry/rect.ts'
import { findPaymentCodes } from '../../formats/invoice/find-codes.ts'
import type { Found, Invoice } from '../../formats/invoice/model.ts'
import { describeInvoice } from '../../formats/invoice/result.ts'
import type { Tools } from '../../kit/operation.ts'

/** What one page states of an invoice. The boxes are shares of the page. */
export type PageInvoice = Invoice

type InvoiceTools = Pick<Tools, 'barcodeReader' | 'invoiceReader' | 'pageRenderer' | 'sharp'>

export async function readPageInvoice(
  page: DocumentPage,
  place: Parameters<typeof findPaymentCodes>[0],
  tools: InvoiceTools,
): Promise<PageInvoice> {
  const codes = await findPaymentCodes(place, tools)
  const { vendor, customer, lines, taxes, kind, adjustment, ...fields } = await tools.invoiceReader.readPage(page, {
    hasLines: true,
    codes,
  })
  const put = <Fields extends object>(found: Fields) => placeOn(found, page, place.page)
  return {
    ...{ kind, ...(adjustment !== undefined && { adjustment }), ...put(fields) },
    ...{ vendor: put(vendor), customer: put(customer), lines: lines.map(put), taxes: taxes.map(put) },
  }
}

function placeOn<Fields extends object>(fields: Fields, { width, height }: DocumentPage, page: number): Fields {
  const toShares = ([left, top, right, bottom]: Rect): Rect => [
    left / width,
    top / height,
    right / width,
    bottom / height,
  ]
  return Object.fromEntries(
    Object.entries(fields as Record<string, Found | undefined>).flatMap(([name, found]) =>
      found ? [[name, { ...found, page, ...(found.box && { box: toShares(found.box) }) }]] : [],
    ),
  ) as Fields
}

const SUMS = ['subtotal', 'shipping', 'tip', 'total', 'amountPaid', 'amountDue'] as const
/** What is carried over to the next page is no line of its own. */
const CARRIED =
  /^(?:übertrag|carried (?:forward|over)|brought forward|zwischensumme|(?:à )?reporter?\b|report\b|riporto|suma y sigue)/i

/** Joins what the pages of a document state into its invoices: a page goes on with the one before unless it has another number. */
export function joinInvoices(pages: readonly { page: number; invoice: PageInvoice }[]) {
  const groups: { pages: number[]; invoice: Invoice }[] = []
  for (const { page, invoice } of pages.filter(one => statesSomething(one.invoice))) {
    const last = groups.at(-1)
    if (last && continues(last.invoice, invoice)) {
      last.pages.push(page)
      last.invoice = join(last.invoice, invoice)
    } else groups.push({ pages: [page], invoice })
  }
  return groups.map(({ pages: own, invoice }) => {
    const lines = own.length > 1 ? invoice.lines.filter(({ description }) => !isCarried(description)) : invoice.lines
    return { pages: own, ...describeInvoice({ ...invoice, lines }, 0, UNIT_PAGE) }
  })
}

function statesSomething({ kind, number, total, lines, subtotal }: Invoice): boolean {
  return kind !== 'unknown' || (number ?? total ?? subtotal) !== undefined || lines.length > 0
}

function isCarried(description: Found | undefined): boolean {
  return description !== undefined && CARRIED.test(description.value)
}

function continues(invoice: Invoice, next: Invoice): boolean {
  if (invoice.number && next.number) return invoice.number.value === next.number.value
  // Scans of receipts have a total on each page, and no number.
  return !(invoice.total && next.total && (next.kind === 'receipt' || next.number))
}

/** Sums are those of the last page that has a total; all else is what was found first. */
function join(invoice: Invoice, next: Invoice): Invoice {
  const isLast = next.total !== undefined || invoice.total === undefined
  const sums = isLast ? next : invoice
  return {
    ...next,
    ...invoice,
    ...Object.fromEntries(SUMS.map(name => [name, sums[name]])),
    kind: invoice.kind === 'unknown' ? next.kind : invoice.kind,
    vendor: { ...next.vendor, ...invoice.vendor },
    customer: { ...next.customer, ...invoice.customer },
    lines: [...invoice.lines, ...next.lines],
    taxes: isLast && next.taxes.length > 0 ? next.taxes : invoice.taxes,
    ...(sums.adjustment !== undefined && { adjustment: sums.adjustment }),
  }
}
