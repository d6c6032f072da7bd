import { readFile } from 'node:fs/promises'
import type { DocumentPage } from '../../tasks/formats/document/page.ts'
import { readEInvoice } from '../../tasks/formats/einvoice/read.ts'
import { type InvoiceOptions, readInvoicePage } from '../../tasks/formats/invoice/read-page.ts'

/** Reads invoices. Runs in a thread, because what others wrote decides how long it takes. */
export function bind() {
  return {
    readXml: async (path: string) => readEInvoice(await readFile(path)),
    readPage: async (page: DocumentPage, options: InvoiceOptions) => readInvoicePage(page, options),
  }
}
