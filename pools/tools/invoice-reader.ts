import { readFile } from 'node:fs/promises'
import { readEInvoice } from '../../tasks/formats/einvoice/read.ts'
import { type CodedPage, type InvoiceOptions, readInvoicePages } from '../../tasks/formats/invoice/read-page.ts'

/** Reads invoices. Runs in a thread, because what others wrote decides how long it takes. */
export function bind() {
  return {
    readXml: async (path: string, number?: number) => readEInvoice(await readFile(path), number),
    readPages: async (pages: CodedPage[], options: InvoiceOptions) => readInvoicePages(pages, options),
  }
}
