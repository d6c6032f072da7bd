import { UNIT_PAGE } from '../../formats/document/hosted.ts'
import type { DocumentPage } from '../../formats/document/page.ts'
import { findPaymentCodes } from '../../formats/invoice/find-codes.ts'
import { joinPages, placeInvoice } from '../../formats/invoice/join-pages.ts'
import type { Invoice } from '../../formats/invoice/model.ts'
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
  const [invoice] = await tools.invoiceReader.readPages([{ page, codes }], { hasLines: true })
  return placeInvoice(invoice!, page, place.page)
}

export function joinInvoices(pages: readonly { page: number; invoice: PageInvoice }[]) {
  return joinPages(pages).map(({ pages: own, invoice }) => ({ pages: own, ...describeInvoice(invoice, 0, UNIT_PAGE) }))
}
