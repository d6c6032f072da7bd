import { type InputFile, Problem, type Warning } from '#kit'
import type { EInvoice } from '../einvoice/read.ts'
import { SIGNED_TYPE } from '../einvoice/signed.ts'
import type { Attachment } from '../pdf/document.ts'

const NAMES = ['factur-x.xml', 'zugferd-invoice.xml', 'xrechnung.xml', 'order-x.xml']
const MAX_TRIED = 5

interface XmlTools {
  libpdf: { listAttachments(path: string): Promise<Attachment[]> }
  qpdf: { extractStreams(path: string, streams: { object: number; to: string }[]): Promise<string[]> }
  invoiceReader: { readXml(path: string): Promise<EInvoice> }
  out(name: string): string
}

/** XML, alone or signed. */
export const EINVOICE_TYPES = ['application/xml', 'text/xml', SIGNED_TYPE]

export const isEInvoice = ({ type }: InputFile) => EINVOICE_TYPES.includes(type)

/** The electronic invoice inside of a PDF, if there is one that can be read. */
export async function findEmbeddedInvoice(
  path: string,
  { libpdf, qpdf, invoiceReader, out }: XmlTools,
): Promise<{ found?: EInvoice; warnings: Warning[] }> {
  const attached = await libpdf.listAttachments(path)
  const known = ({ name }: Attachment) => NAMES.includes(name.toLowerCase())
  const candidates = attached
    .filter(attachment => known(attachment) || /\.xml$/i.test(attachment.name))
    .sort((one, other) => Number(known(other)) - Number(known(one)))
  const warnings: Warning[] = []
  for (const [index, attachment] of candidates.slice(0, MAX_TRIED).entries()) {
    try {
      const [xml] = await qpdf.extractStreams(path, [{ object: attachment.stream, to: out(`invoice-${index}.xml`) }])
      return { found: await invoiceReader.readXml(xml!), warnings: [] }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (known(attachment)) warnings.push(warnOfUnreadable(attachment.name))
    }
  }
  return { warnings }
}

function warnOfUnreadable(name: string): Warning {
  const message = `The invoice that is attached as ${name.slice(0, 100)} cannot be read; the page was read instead.`
  return { code: 'XML_UNREADABLE', message }
}
