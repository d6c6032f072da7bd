import type { Rect } from '../geometry/rect.ts'
import { addDecimals } from './decimals.ts'
import { isCarried } from './labels.ts'
import type { Found, Invoice } from './model.ts'

// Decision 0230: read all pages of an invoice at once.

interface PageSize {
  width: number
  height: number
}

/** Gives all values of an invoice the page where they stand, and boxes as shares of it. */
export function placeInvoice(invoice: Invoice, size: PageSize, page: number): Invoice {
  const { vendor, customer, lines, taxes, kind, adjustment, ...fields } = invoice
  const put = <Fields extends object>(found: Fields) => placeOn(found, size, page)
  return {
    ...{ kind, ...(adjustment !== undefined && { adjustment }), ...put(fields) },
    ...{ vendor: put(vendor), customer: put(customer), lines: lines.map(put), taxes: taxes.map(put) },
  }
}

function placeOn<Fields extends object>(fields: Fields, { width, height }: PageSize, page: number): Fields {
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

/** Joins what the pages of a document state into its invoices: a page goes on with the one before unless it has another number. */
export function joinPages(pages: readonly { page: number; invoice: Invoice }[]) {
  const groups: { pages: number[]; invoice: Invoice }[] = []
  for (const { page, invoice } of pages.filter(one => statesSomething(one.invoice))) {
    const last = groups.at(-1)
    if (last && continues(last.invoice, invoice)) {
      last.pages.push(page)
      last.invoice = join(last.invoice, invoice)
    } else groups.push({ pages: [page], invoice })
  }
  return groups.map(({ pages: own, invoice }) => {
    const isLine = ({ description }: Invoice['lines'][number]) => !description || !isCarried(description.value)
    return { pages: own, invoice: own.length > 1 ? { ...invoice, lines: invoice.lines.filter(isLine) } : invoice }
  })
}

function statesSomething({ kind, number, total, lines, subtotal }: Invoice): boolean {
  return kind !== 'unknown' || (number ?? total ?? subtotal) !== undefined || lines.length > 0
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
    vendor: joinParties(invoice.vendor, next.vendor),
    customer: joinParties(invoice.customer, next.customer),
    lines: [...invoice.lines, ...next.lines],
    taxes: isLast && next.taxes.length > 0 ? next.taxes : invoice.taxes,
    adjustment: isAdjusted(sums) ? sums.adjustment : undefined,
  }
}

/** A page that begins with the sum of the one before has two sums too, of which the second adds only its own lines. */
function isAdjusted({ adjustment, lines }: Invoice): boolean {
  const own = addDecimals(lines.flatMap(({ amount }) => (amount ? [amount.value] : [])))
  return adjustment !== undefined && addDecimals([adjustment]) !== own
}

/** What follows a name on a later page is no address of the first one. */
function joinParties(first: Invoice['vendor'], { name, address, ...next }: Invoice['vendor']): Invoice['vendor'] {
  return { ...next, ...(!first.name && { ...(name && { name }), ...(address && { address }) }), ...first }
}
