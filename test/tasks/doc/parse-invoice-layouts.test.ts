import { expect, test } from 'vitest'
import { type TypesetLine, typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

type Values = Record<string, { value: string } | null>
interface Invoice {
  vendor: Values
  customer: Values
  lines: Values[]
  checks: object
}

/** Places of a page as wide as 590 points on one of 400. */
function shrink([x, top, text, { size = 10 } = {}]: TypesetLine): TypesetLine {
  return [x * 0.68, top, text, { size: size * 0.68 }]
}

async function read(lines: TypesetLine[]) {
  await using pools = await sharedPools()
  const { result } = await runJob(
    pools,
    'doc.parse-invoice',
    { file: typesetPages([lines.map(shrink)]) },
    { limitSeconds: 60 },
  )
  const invoice = result as Invoice & Record<string, { value: string } | null>
  const plain = (values: Values) =>
    Object.fromEntries(Object.entries(values).flatMap(([name, found]) => (found ? [[name, found.value]] : [])))
  const { vendor, customer } = invoice
  const value = (field: string) => invoice[field]?.value
  return {
    vendor: plain(vendor),
    customer: plain(customer),
    lines: invoice.lines.map(plain),
    checks: invoice.checks,
    value,
  }
}

const ALL_FIT = { linesMatchSubtotal: true, taxesMatch: true, totalMatches: true }

test('a line of the sender above the address of the customer is the vendor', async () => {
  const { vendor, customer, lines, checks, value } = await read([
    [40, 40, 'Muster & Söhne GmbH · Hauptstraße 5 · 10115 Berlin', { size: 7 }],
    ...[...['Kunde AG', 'Frau Erika Beispiel', 'Ringweg 12', '80331 München'].entries()].map(
      ([at, text]): TypesetLine => [40, 56 + at * 13, text],
    ),
    [380, 120, 'Rechnungsnummer: RE-2026/118'],
    [380, 133, 'Rechnungsdatum: 05.02.2026'],
    // The names of number and unit touch each other.
    [40, 170, 'Pos.'],
    [80, 170, 'Bezeichnung'],
    [300, 170, 'Menge'],
    [338, 170, 'Einheit'],
    [400, 170, 'Einzelpreis'],
    [500, 170, 'Gesamt'],
    [40, 190, '1'],
    [80, 190, 'Beratung vor Ort'],
    [312, 190, '8,00'],
    [338, 190, 'Std.'],
    [415, 190, '95,00 €'],
    [500, 190, '760,00 €'],
    // The figures stand in the middle of two lines.
    [80, 212, 'Lizenz Jahresabo'],
    [40, 219, '2'],
    [325, 219, '2'],
    [338, 219, 'Stk.'],
    [405, 219, '1.249,00 €'],
    [490, 219, '2.498,00 €'],
    [80, 226, 'inkl. Support'],
    [400, 260, 'Nettobetrag 3.258,00 €'],
    [400, 275, 'zzgl. 19 % MwSt. 619,02 €'],
    [400, 290, 'Rechnungsbetrag 3.877,02 €'],
    [40, 320, 'Zahlbar innerhalb von 14 Tagen. IBAN DE89 3704 0044 0532 0130 00'],
  ])
  expect(vendor).toMatchObject({ name: 'Muster & Söhne GmbH', address: 'Hauptstraße 5\n10115 Berlin' })
  expect(customer).toEqual({ name: 'Kunde AG', address: 'Frau Erika Beispiel\nRingweg 12\n80331 München' })
  expect([value('number'), value('paymentTerms')]).toEqual(['RE-2026/118', '14 Tagen.'])
  expect(lines).toEqual([
    { description: 'Beratung vor Ort', quantity: '8.00', unit: 'Std.', unitPrice: '95.00', amount: '760.00' },
    {
      description: 'Lizenz Jahresabo\ninkl. Support',
      quantity: '2',
      unit: 'Stk.',
      unitPrice: '1249.00',
      amount: '2498.00',
    },
  ])
  expect(checks).toEqual(ALL_FIT)
})

test('figures on the right below names on the left are in the column that their sums tell', async () => {
  const { vendor, customer, lines, checks, value } = await read([
    [40, 40, 'Rossi S.r.l.'],
    [40, 53, 'Via Roma 10'],
    [40, 66, '20121 Milano'],
    [380, 90, 'Spett.le'],
    [380, 103, 'Bianchi S.p.A., Corso Italia 5, 00198 Roma'],
    [40, 130, 'Fattura n. 45/2026 Data 15/09/2026 Scadenza 15/10/2026'],
    [40, 170, 'Descrizione'],
    [160, 170, 'Q.tà'],
    [220, 170, 'Prezzo unitario'],
    [330, 170, 'Sconto'],
    [400, 170, 'IVA'],
    [460, 170, 'Importo netto'],
    [40, 190, 'Sedia in legno'],
    [200, 190, '10'],
    [285, 190, '€ 45,00'],
    [372, 190, '10%'],
    [432, 190, '22%'],
    [510, 190, '€ 405,00'],
    [40, 210, 'Trasporto'],
    [205, 210, '1'],
    [285, 210, '€ 30,00'],
    [432, 210, '22%'],
    [515, 210, '€ 30,00'],
    [400, 240, 'Imponibile € 435,00'],
    [400, 255, 'IVA 22% € 95,70'],
    [400, 270, 'Totale fattura € 530,70'],
  ])
  expect([vendor.name, customer.name, customer.address]).toEqual([
    'Rossi S.r.l.',
    'Bianchi S.p.A.',
    'Corso Italia 5\n00198 Roma',
  ])
  expect([value('number'), value('issueDate'), value('dueDate')]).toEqual(['45/2026', '2026-09-15', '2026-10-15'])
  expect(lines).toEqual([
    {
      description: 'Sedia in legno',
      quantity: '10',
      unitPrice: '45.00',
      discount: '10',
      taxRate: '22',
      amount: '405.00',
    },
    { description: 'Trasporto', quantity: '1', unitPrice: '30.00', taxRate: '22', amount: '30.00' },
  ])
  expect(checks).toEqual(ALL_FIT)
})

test('the address beside that of the customer is the vendor, and shipping with a price is an item', async () => {
  const { vendor, customer, lines, checks, value } = await read([
    [40, 40, 'Invoice / Receipt', { size: 18 }],
    [480, 44, 'Cloudly', { size: 14 }],
    [40, 66, 'INV-0093'],
    [40, 100, 'Cloudly, Inc.'],
    [300, 100, 'Bill to'],
    [40, 113, '510 Townsend Street'],
    [300, 113, 'Jane Roe'],
    [40, 126, 'San Francisco, CA 94103'],
    [300, 126, 'Torstr. 1'],
    [300, 139, '10119 Berlin'],
    [40, 170, 'Description of goods'],
    [300, 170, 'Qty'],
    [370, 170, 'Unit price (USD)'],
    [480, 170, 'Amount (USD)'],
    [40, 190, 'Lamp, 40 W'],
    [300, 190, '2'],
    [390, 190, '$19.00'],
    [490, 190, '$38.00'],
    [40, 210, 'Shipping'],
    [300, 210, '1'],
    [390, 210, '$5.00'],
    [490, 210, '$5.00'],
    [400, 240, 'Subtotal $43.00'],
    [400, 255, 'Tax 10% $4.30'],
    [400, 270, 'Total $47.30'],
  ])
  expect([vendor.name, vendor.address]).toEqual(['Cloudly, Inc.', '510 Townsend Street\nSan Francisco, CA 94103'])
  expect(customer).toEqual({ name: 'Jane Roe', address: 'Torstr. 1\n10119 Berlin' })
  expect([value('number'), lines.map(({ description }) => description)]).toEqual([
    'INV-0093',
    ['Lamp, 40 W', 'Shipping'],
  ])
  expect(checks).toEqual(ALL_FIT)
})
