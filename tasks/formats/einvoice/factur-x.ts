import { element } from '../svg/drawing.ts'
import { group, text } from './write-parts.ts'

/** The name under which readers look for the XML. */
export const FACTUR_X_FILE = 'factur-x.xml'

const NAMESPACE = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'
const PROPERTIES = {
  DocumentFileName: [FACTUR_X_FILE, 'name of the embedded XML invoice file'],
  DocumentType: ['INVOICE', 'INVOICE'],
  Version: ['1.0', 'The actual version of the Factur-X XML schema'],
  ConformanceLevel: ['EN 16931', 'The conformance level of the embedded Factur-X data'],
} as const

/** What the metadata of the PDF states about the XML in it, and the schema of that, which PDF/A asks for. */
export function describeFacturX(): string {
  const entries = Object.entries(PROPERTIES)
  const facts = entries.map(([name, [value]]) => text(`fx:${name}`, value)).join('')
  const properties = entries.map(([name, [, description]]) =>
    element(
      'rdf:li',
      { 'rdf:parseType': 'Resource' },
      text('pdfaProperty:name', name) +
        text('pdfaProperty:valueType', 'Text') +
        text('pdfaProperty:category', 'external') +
        text('pdfaProperty:description', description),
    ),
  )
  const schema =
    text('pdfaSchema:schema', 'Factur-X PDFA Extension Schema') +
    text('pdfaSchema:namespaceURI', NAMESPACE) +
    text('pdfaSchema:prefix', 'fx') +
    group('pdfaSchema:property', element('rdf:Seq', {}, properties.join('')))
  const list = element('rdf:Bag', {}, element('rdf:li', { 'rdf:parseType': 'Resource' }, schema))
  const aiim = 'http://www.aiim.org/pdfa/ns'
  const spaces = {
    'xmlns:pdfaExtension': `${aiim}/extension/`,
    'xmlns:pdfaSchema': `${aiim}/schema#`,
    'xmlns:pdfaProperty': `${aiim}/property#`,
  }
  return (
    element('rdf:Description', { 'rdf:about': '', 'xmlns:fx': NAMESPACE }, facts) +
    element('rdf:Description', { 'rdf:about': '', ...spaces }, group('pdfaExtension:schemas', list))
  )
}
