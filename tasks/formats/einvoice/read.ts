import { Problem } from '#kit'
import type { Invoice } from '../invoice/model.ts'
import { decodeXml, parseXml, readText, type XmlElement } from '../markup/xml.ts'
import { readCii } from './read-cii.ts'
import { countFatture, readFattura } from './read-fattura.ts'
import { readUbl } from './read-ubl.ts'
import { unwrapSigned } from './signed.ts'

export const SYNTAXES = ['cii', 'ubl', 'fatturapa'] as const
type EInvoiceSyntax = (typeof SYNTAXES)[number]

export interface EInvoice {
  syntax: EInvoiceSyntax
  /** The specification that the invoice claims to follow, as its identifier. */
  profile?: string
  /** It came within a signed message. */
  isSigned: boolean
  /** How many invoices the file holds, of which this is one. */
  count: number
  invoice: Invoice
}

const MAX_BYTES = 4 * 2 ** 20
const CII_ROOTS = new Set(['CrossIndustryInvoice', 'CrossIndustryDocument'])
const UBL_ROOTS = new Set(['Invoice', 'CreditNote'])
const FATTURA_VERSIONS = /^F(PR|PA)1/
const CII_PROFILE =
  'ExchangedDocumentContext|SpecifiedExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID'

/**
 * Reads an electronic invoice, also one in a signed message, whose signature is not checked. `number` counts the invoices of
 * a file from 1. Throws DOC_PARSE_FAILED if it is none that is known.
 */
export function readEInvoice(bytes: Uint8Array, number = 1): EInvoice {
  if (bytes.length > MAX_BYTES) throw new Problem('INPUT_TOO_LARGE', { ceiling: MAX_BYTES, sizeBytes: bytes.length })
  const content = unwrapSigned(bytes)
  const root = parseXml(decodeXml(content ?? bytes))
  const { syntax, profile, count, read } = chooseSyntax(root)
  if (number > count) throw new Problem('BAD_RANGE', { field: 'page', invoices: count })
  const invoice = read(number)
  if (!invoice.number && !invoice.total && invoice.lines.length === 0)
    throw new Problem('DOC_PARSE_FAILED', { detail: 'the XML has no invoice in it' })
  return { syntax, ...(profile !== undefined && { profile }), isSigned: content !== undefined, count, invoice }
}

interface ChosenSyntax {
  syntax: EInvoiceSyntax
  profile: string | undefined
  count: number
  read(number: number): Invoice
}

function chooseSyntax(root: XmlElement): ChosenSyntax {
  if (CII_ROOTS.has(root.name))
    return { syntax: 'cii', profile: readText(root, CII_PROFILE), count: 1, read: () => readCii(root) }
  if (UBL_ROOTS.has(root.name))
    return { syntax: 'ubl', profile: readText(root, 'CustomizationID'), count: 1, read: () => readUbl(root) }
  if (root.name === 'FatturaElettronica') return chooseFattura(root)
  throw new Problem('DOC_PARSE_FAILED', {
    detail: `the XML is no invoice of UBL, CII or FatturaPA, but ${root.name.slice(0, 60)}`,
  })
}

function chooseFattura(root: XmlElement): ChosenSyntax {
  const profile =
    root.attributes.versione ?? readText(root, 'FatturaElettronicaHeader/DatiTrasmissione/FormatoTrasmissione')
  if (profile !== undefined && !FATTURA_VERSIONS.test(profile))
    throw new Problem('DOC_PARSE_FAILED', {
      detail: `FatturaPA ${profile.slice(0, 20)} is not read: FPR12 and FPA12 are, simplified invoices are not`,
    })
  return { syntax: 'fatturapa', profile, count: countFatture(root), read: number => readFattura(root, number - 1) }
}
