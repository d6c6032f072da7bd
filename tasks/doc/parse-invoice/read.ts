import type { InputFile, Warning } from '#kit'
import { type PAGE_ENGINES, UNIT_PAGE } from '../../formats/document/hosted.ts'
import { type PageTools, readPage } from '../../formats/document/page.ts'
import { makeSendable } from '../../formats/document/sendable-page.ts'
import { findPaymentCodes } from '../../formats/invoice/find-codes.ts'
import { joinPages, placeInvoice } from '../../formats/invoice/join-pages.ts'
import type { Invoice } from '../../formats/invoice/model.ts'
import { addPaymentCode, type PaymentCode } from '../../formats/invoice/payment-codes.ts'
import type { CodedPage, InvoiceOptions } from '../../formats/invoice/read-page.ts'
import type { Tools } from '../../kit/operation.ts'
import { NO_TEXT_FOUND } from '../schema.ts'

const NO_INVOICE: Invoice = { kind: 'unknown', vendor: {}, customer: {}, lines: [], taxes: [] }

interface DocumentRequest {
  file: InputFile
  /** Of the file as all our readers can open it. */
  path: string
  pages: readonly number[]
  languages: readonly string[]
  password?: string
  minConfidence: number
}

type InvoiceTools = PageTools & Pick<Tools, 'barcodeReader' | 'hostedInvoice' | 'invoiceReader'>

interface NumberedPage {
  number: number
  codes: readonly PaymentCode[]
}

/** What one page states, with boxes as shares of it. */
interface ReadPage {
  page: number
  invoice: Invoice
  codes: readonly PaymentCode[]
  source: 'text-layer' | 'ocr' | 'model'
  engine: (typeof PAGE_ENGINES)[number]
  hasText: boolean
  warnings: readonly Warning[]
}

/** Reads the first invoice of a document by the provider of the operator, or by our own engines. */
export async function readInvoice(request: DocumentRequest, options: InvoiceOptions, tools: InvoiceTools) {
  const pages: NumberedPage[] = []
  for (const number of request.pages) {
    const codes = await findPaymentCodes({ file: request.file, path: request.path, page: number }, tools)
    pages.push({ number, codes })
  }
  const given = { ...request, pages }
  const read = (await readHosted(given, options, tools)) ?? (await readLocally(given, options, tools))
  const [first = { pages: [request.pages[0]!], invoice: NO_INVOICE }, ...others] = joinPages(read)
  const own = read.filter(({ page }) => first.pages.includes(page))
  const code = own.flatMap(({ codes }) => codes)[0]
  const { source, engine } = own[0]!
  const noted = new Map(own.flatMap(page => page.warnings).map(warning => [warning.message, warning]))
  const warnings = [
    ...noted.values(),
    ...(own.some(({ hasText }) => hasText) ? [] : [NO_TEXT_FOUND]),
    ...(others.length > 0 ? [warnOfOthers(others)] : []),
  ]
  return { invoice: addPaymentCode(first.invoice, code), pages: first.pages, code, source, engine, warnings }
}

function warnOfOthers(others: readonly { pages: readonly number[] }[]): Warning {
  const pages = others.flatMap(other => other.pages).join(', ')
  const message = `Other invoices begin after this one, on pages ${pages}: set page to read one of them, or use doc/analyze-async with the feature invoice.`
  return { code: 'OTHER_INVOICES', message }
}

type NumberedRequest = Omit<DocumentRequest, 'pages'> & { pages: readonly NumberedPage[] }

async function readHosted(
  request: NumberedRequest,
  { hasLines, ...hints }: InvoiceOptions,
  tools: InvoiceTools,
): Promise<ReadPage[] | undefined> {
  const read: ReadPage[] = []
  for (const { number, codes } of request.pages) {
    const hosted = await tools.hostedInvoice.read(() => makeSendable({ ...request, page: number }, tools), hints)
    if (!hosted) return undefined
    const { invoice = NO_INVOICE, lines, engine, warnings } = hosted
    const shown = addPaymentCode(hasLines ? invoice : { ...invoice, lines: [] }, codes[0])
    const placed = placeInvoice(shown, UNIT_PAGE, number)
    read.push({ page: number, invoice: placed, codes, source: 'model', engine, hasText: lines.length > 0, warnings })
  }
  return read
}

async function readLocally(
  request: NumberedRequest,
  options: InvoiceOptions,
  tools: InvoiceTools,
): Promise<ReadPage[]> {
  const coded: (CodedPage & NumberedPage)[] = []
  for (const { number, codes } of request.pages)
    coded.push({ page: await readPage({ ...request, page: number }, tools), codes, number })
  const invoices = await tools.invoiceReader.readPages(coded, options)
  return coded.map(({ page, codes, number }, index) => ({
    page: number,
    invoice: placeInvoice(invoices[index]!, page, number),
    ...{ codes, source: page.source, engine: 'local', hasText: page.lines.length > 0, warnings: [] },
  }))
}
