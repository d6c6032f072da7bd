import { Type } from 'typebox'
import { Choice, define, FileInput, perPage } from '#kit'
import { UNIT_PAGE } from '../formats/document/hosted.ts'
import { EINVOICE_TYPES, findEmbeddedInvoice, isEInvoice } from '../formats/invoice/embedded-xml.ts'
import { describeInvoice, PAGED_INVOICE_FIELDS } from '../formats/invoice/result.ts'
import { openPdf } from '../formats/pdf/opening.ts'
import { choosePages, countPages, MAX_PAGES } from './parse-invoice/pages.ts'
import { readInvoice } from './parse-invoice/read.ts'
import { describeXml, XmlFacts } from './parse-invoice/xml.ts'
import { Engine, HOSTED_ERRORS, PAGE_ERRORS, PAGE_TYPES, pageFields } from './schema.ts'

const PDF = 'application/pdf'

export default define({
  summary: 'Read an invoice or a receipt into data.',
  keywords:
    'read an invoice, receipt to json, italian electronic invoice, invoice ocr, receipt scanner, bill, factur-x, zugferd, xrechnung, peppol, ubl, cii, fatturapa, fattura elettronica, p7m, e-invoice, expense, vat, swiss qr bill, invoice number and total from a pdf invoice, get data out of an invoice',
  description:
    'UBL, CII or FatturaPA XML wins, alone, in a PDF (Factur-X) or signed (p7m, not checked); else the page and its payment QR code are read.',
  price: { ...perPage('0.02', countPages), maxUnits: MAX_PAGES, note: 'XML costs as much as one page.' },
  uses: [
    'barcodeReader',
    'hostedInvoice',
    'invoiceReader',
    'libpdf',
    'pageRenderer',
    'poppler',
    'qpdf',
    'sharp',
    'tesseract',
  ],
  input: Type.Object({
    ...pageFields,
    file: FileInput({
      accept: [...PAGE_TYPES, ...EINVOICE_TYPES],
      probe: 'document',
      description: 'Pages, or XML, also signed (p7m).',
    }),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: `The only page to read, or the invoice of a FatturaPA of several. Left out: all pages, at most ${MAX_PAGES}.`,
      }),
    ),
    locale: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
        description: 'Such as de-AT.',
      }),
    ),
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'If none is named, or `$`.' })),
    lineItems: Type.Boolean({ default: true }),
  }),
  output: Type.Object({
    ...PAGED_INVOICE_FIELDS,
    pages: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { description: 'Where the invoice stands.' })),
    source: Choice(['xml', 'text-layer', 'ocr', 'model']),
    engine: Engine,
    xml: XmlFacts,
    paymentCode: Type.Optional(Choice(['epc', 'swiss-qr'])),
  }),
  errors: [...PAGE_ERRORS, ...HOSTED_ERRORS, 'DOC_PARSE_FAILED', 'ENCODING_INVALID'],
  examples: [
    {
      title: 'An invoice in XML',
      input: { file: 'sample:invoice.xml' },
      answer: { kind: 'invoice', source: 'xml', total: { value: '119.00' }, checks: { totalMatches: true } },
    },
  ],

  async run(input, tools) {
    const { file, password, languages, minConfidence, locale, currency, lineItems: hasLines } = input
    const { invoiceReader, qpdf, out } = tools
    if (isEInvoice(file)) return describeXml(await invoiceReader.readXml(file.path, input.page), input)
    const pdf = file.type === PDF ? await openPdf(file, { qpdf, password, to: out('readable.pdf') }) : undefined
    const embedded = pdf === undefined ? { warnings: [] } : await findEmbeddedInvoice(pdf, tools)
    if (embedded.found) return describeXml(embedded.found, input)
    const chosen = choosePages(file, input.page)
    const { invoice, pages, code, source, engine, warnings } = await readInvoice(
      { file, path: pdf ?? file.path, pages: chosen, languages, password, minConfidence },
      { hasLines, ...(locale && { locale }), ...(currency && { currency }) },
      tools,
    )
    const result = {
      ...describeInvoice(invoice, minConfidence, UNIT_PAGE),
      ...{ source, engine, pages },
      ...(code && { paymentCode: code.kind }),
    }
    return { result, warnings: [...embedded.warnings, ...warnings], units: chosen.length }
  },
})
