import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Turn an invoice into data',
  lead: 'Seller, buyer, lines, taxes and totals of an invoice or a receipt, with a check whether the sums agree.',
  keywords: 'invoice, receipt, ocr, accounting, xrechnung, zugferd, factur-x, parse',
  steps: [{ call: 'doc.parse-invoice', input: { file: 'sample:invoice.xml' } }],
  pitfalls: [
    'An electronic invoice has its data in XML, also inside a PDF (Factur-X). That wins over what is printed, and is exact.',
    'A scan is read by OCR. Look at `confidence` of each field, and at `checks`, before you pay anybody.',
    'A receipt that says only `$` needs `currency`; dates such as 03/04/2026 need `locale`.',
    'A signed XML invoice (p7m) is read, but its signature is not checked.',
  ],
})
