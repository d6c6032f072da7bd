import { Problem } from '#kit'
import type { Invoice } from '../invoice/model.ts'
import { readCii } from './read-cii.ts'
import { readUbl } from './read-ubl.ts'
import { decodeXml, parseXml, readText, type XmlElement } from './xml.ts'

type EInvoiceSyntax = 'cii' | 'ubl'

export interface EInvoice {
  syntax: EInvoiceSyntax
  /** The specification that the invoice claims to follow, as its identifier. */
  profile?: string
  invoice: Invoice
}

const MAX_BYTES = 4 * 2 ** 20
const CII_ROOTS = new Set(['CrossIndustryInvoice', 'CrossIndustryDocument'])
const UBL_ROOTS = new Set(['Invoice', 'CreditNote'])
const CII_PROFILE =
  'ExchangedDocumentContext|SpecifiedExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID'

/** Reads an electronic invoice. Throws DOC_PARSE_FAILED if it is none that is known. */
export function readEInvoice(bytes: Uint8Array): EInvoice {
  if (bytes.length > MAX_BYTES) throw new Problem('INPUT_TOO_LARGE', { ceiling: MAX_BYTES, sizeBytes: bytes.length })
  const root = parseXml(decodeXml(bytes))
  const [syntax, profilePath, read] = chooseSyntax(root)
  const profile = readText(root, profilePath)
  const invoice = read(root)
  if (!invoice.number && !invoice.total && invoice.lines.length === 0)
    throw new Problem('DOC_PARSE_FAILED', { detail: 'the XML has no invoice in it' })
  return { syntax, ...(profile !== undefined && { profile }), invoice }
}

function chooseSyntax(root: XmlElement): [EInvoiceSyntax, string, (root: XmlElement) => Invoice] {
  if (CII_ROOTS.has(root.name)) return ['cii', CII_PROFILE, readCii]
  if (UBL_ROOTS.has(root.name)) return ['ubl', 'CustomizationID', readUbl]
  throw new Problem('DOC_PARSE_FAILED', {
    detail: `the XML is no invoice of UBL or CII, but ${root.name.slice(0, 60)}`,
  })
}
