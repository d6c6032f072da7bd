import { Type } from 'typebox'
import { Choice, define, FileInput, perCall } from '#kit'
import { findEmbeddedInvoice, isXml } from '../formats/invoice/embedded-xml.ts'
import { findPaymentCodes } from '../formats/invoice/find-codes.ts'
import { describeInvoice, INVOICE_FIELDS } from '../formats/invoice/result.ts'
import { makeReadable } from '../formats/pdf/opening.ts'
import { readInvoice } from './parse-invoice/read.ts'
import { choosePage, Engine, HOSTED_ERRORS, NO_TEXT_FOUND, PAGE_ERRORS, PAGE_TYPES, pageFields } from './schema.ts'

const PDF = 'application/pdf'

export default define({
  summary: 'Read an invoice or a receipt into data.',
  keywords:
    'invoice ocr, receipt scanner, bill, factur-x, zugferd, xrechnung, peppol, ubl, cii, e-invoice, expense, vat, swiss qr bill',
  description: 'UBL or CII XML wins, alone or in a PDF (Factur-X); else the page and its payment QR code are read.',
  price: perCall('0.02'),
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
      accept: [...PAGE_TYPES, 'application/xml', 'text/xml'],
      probe: 'document',
      description: 'A page, or XML.',
    }),
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
    ...INVOICE_FIELDS,
    source: Choice(['xml', 'text-layer', 'ocr', 'model']),
    engine: Engine,
    xml: Type.Optional(
      Type.Object(
        { syntax: Choice(['cii', 'ubl']), profile: Type.Optional(Type.String()) },
        {
          description: 'Of an electronic invoice.',
        },
      ),
    ),
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
    if (isXml(file)) return { result: describeXml(await invoiceReader.readXml(file.path)) }
    const pdf = file.type === PDF ? await makeReadable(file, { qpdf, password, to: out('readable.pdf') }) : undefined
    const embedded = pdf === undefined ? { warnings: [] } : await findEmbeddedInvoice(pdf, tools)
    if (embedded.found) return { result: describeXml(embedded.found) }
    const number = choosePage(file, input.page)
    const codes = await findPaymentCodes({ file, path: pdf ?? file.path, page: number }, tools)
    const hints = { ...(locale && { locale }), ...(currency && { currency }) }
    const { page, invoice, source, engine, ...noted } = await readInvoice(
      { file, page: number, languages, password, minConfidence },
      { hasLines, codes, ...hints },
      tools,
    )
    const [code] = codes
    const result = {
      ...describeInvoice(invoice, minConfidence, page),
      ...{ source, engine },
      ...(code && { paymentCode: code.kind }),
    }
    const warnings = [...embedded.warnings, ...noted.warnings]
    return { result, warnings: page.lines.length === 0 ? [...warnings, NO_TEXT_FOUND] : warnings }

    function describeXml({ syntax, profile, invoice }: Awaited<ReturnType<typeof invoiceReader.readXml>>) {
      const shown = hasLines ? invoice : { ...invoice, lines: [] }
      return {
        ...describeInvoice(shown, minConfidence),
        ...{ source: 'xml' as const, engine: 'local' as const },
        xml: { syntax, ...(profile !== undefined && { profile }) },
      }
    }
  },
})
