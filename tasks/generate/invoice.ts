import { Type } from 'typebox'
import { define, FileOutput, perCall } from '#kit'
import { checkInput } from './invoice/check.ts'
import { computeInvoice } from './invoice/compute.ts'
import { deliverInvoice, writeTotals } from './invoice/deliver.ts'
import { INVOICE_FIELDS } from './invoice/input.ts'
import { DRAWING_ERRORS } from './schema.ts'

const Money = Type.String()

export default define({
  summary: 'Make an invoice, credit note, quote or receipt as PDF, HTML, JSON or an electronic invoice.',
  keywords:
    'invoice pdf, bill, receipt generator, credit note, quote, pro forma, e-invoice, zugferd, factur-x invoice, xrechnung xml, make an xrechnung, ubl, peppol, ' +
    'en 16931, vat, epc qr code',
  description:
    'Amounts are computed exactly from decimal strings, in the digits of the currency; with taxInclusive prices are gross. ' +
    '`einvoice` writes UBL or CII XML by EN 16931, and refuses what the standard does not allow.',
  price: perCall('0.005'),
  uses: ['barcode', 'chromium', 'color', 'libpdf', 'qpdf', 'sharp'],
  input: Type.Object(INVOICE_FIELDS),
  output: Type.Object({
    output: FileOutput(['application/pdf', 'text/html', 'application/json', 'application/xml']),
    totals: Type.Object({
      lines: Money,
      discount: Money,
      shipping: Money,
      net: Money,
      tax: Type.Array(Type.Object({ rate: Type.String(), category: Type.String(), base: Money, amount: Money })),
      rounding: Money,
      gross: Money,
      paid: Money,
      due: Money,
    }),
  }),
  errors: [
    ...DRAWING_ERRORS,
    ...(['INVOICE_INVALID', 'CURRENCY_UNKNOWN', 'CONFLICTING_OPTIONS', 'MISSING_FIELD'] as const),
    ...([
      'IMAGE_DECODE_FAILED',
      'UNSUPPORTED_FORMAT',
      'HTML_RENDER_FAILED',
      'TOO_MANY_PAGES',
      'PDFA_NOT_REACHED',
    ] as const),
  ],
  examples: [
    {
      title: 'An invoice as PDF',
      input: {
        seller: { name: 'Łódź', country: 'PL', logo: 'sample:gradient.png' },
        buyer: { name: '東京商事' },
        number: '7',
        issueDate: '2026-02-01',
        currency: 'EUR',
        items: [{ description: 'Logo', quantity: '3.5', unitPrice: '80', taxRate: '23' }],
      },
      answer: { totals: { net: '280.00', gross: '344.40', due: '344.40' } },
    },
    {
      title: 'An electronic invoice as UBL',
      input: {
        seller: {
          name: 'Muster GmbH',
          address: ['Hauptstr. 1'],
          city: 'Berlin',
          postcode: '10115',
          country: 'DE',
          taxId: 'DE123456789',
        },
        buyer: { name: 'Exemple SARL', city: 'Paris', postcode: '75001', country: 'FR' },
        number: 'R-7',
        issueDate: '2026-02-01',
        terms: 'Within 14 days',
        currency: 'EUR',
        items: [{ description: 'Consulting', quantity: '2', unit: 'day', unitPrice: '500', taxRate: '19' }],
        einvoice: 'ubl',
      },
      answer: { totals: { net: '1000.00', gross: '1190.00' } },
    },
  ],

  async run(input, tools) {
    checkInput(input)
    const invoice = computeInvoice(input)
    const output = await deliverInvoice(input, invoice, tools)
    return { result: { output, totals: writeTotals(invoice) } }
  },
})
