import { UNIT_PAGE } from '../../formats/document/hosted.ts'
import { type PageRequest, type PageTools, readPage } from '../../formats/document/page.ts'
import { makeSendable } from '../../formats/document/sendable-page.ts'
import type { Invoice } from '../../formats/invoice/model.ts'
import { addPaymentCode } from '../../formats/invoice/payment-codes.ts'
import type { InvoiceOptions } from '../../formats/invoice/read-page.ts'
import type { Tools } from '../../kit/operation.ts'

const NO_INVOICE: Invoice = { kind: 'unknown', vendor: {}, customer: {}, lines: [], taxes: [] }

/** Reads the invoice of a page by the provider of the operator, or by our own engines. */
export async function readInvoice(
  request: PageRequest,
  { hasLines, codes, ...hints }: InvoiceOptions,
  tools: PageTools & Pick<Tools, 'hostedInvoice' | 'invoiceReader'>,
) {
  const hosted = await tools.hostedInvoice.read(() => makeSendable(request, tools), hints)
  if (hosted) {
    const { invoice = NO_INVOICE, lines, engine, warnings } = hosted
    const shown = addPaymentCode(hasLines ? invoice : { ...invoice, lines: [] }, codes[0])
    return { page: { ...UNIT_PAGE, lines }, invoice: shown, source: 'model' as const, engine, warnings }
  }
  const page = await readPage(request, tools)
  const invoice = await tools.invoiceReader.readPage(page, { hasLines, codes, ...hints })
  return { page, invoice, source: page.source, engine: 'local' as const, warnings: [] }
}
