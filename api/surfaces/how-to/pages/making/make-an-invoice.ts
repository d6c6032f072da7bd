import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Make an invoice as PDF',
  lead: 'From lines and tax rates to a finished document. Amounts are computed exactly, and the same call can write an electronic invoice by EN 16931.',
  keywords: 'invoice, billing, pdf, xrechnung, factur-x, ubl, receipt, quote',
  steps: [
    {
      call: 'generate.invoice',
      input: {
        seller: { name: 'Muster GmbH', address: ['Hauptstr. 1'], city: 'Berlin', postcode: '10115', country: 'DE' },
        buyer: { name: 'Exemple SARL', city: 'Paris', country: 'FR' },
        number: 'R-7',
        issueDate: '2026-02-01',
        currency: 'EUR',
        items: [{ description: 'Consulting', quantity: '2', unit: 'day', unitPrice: '500', taxRate: '19' }],
      },
      saves: 'invoice.pdf',
    },
  ],
  pitfalls: [
    'Amounts are texts such as "19.90". A number would lose cents on its way through JSON.',
    'Whether tax is rounded for each line or in total changes the sum by cents: `rounding` says which.',
    'An electronic invoice is refused with `INVOICE_INVALID` where the standard wants more, such as a tax number.',
    'The service does not know your tax law. Rates and notes are yours.',
  ],
})
