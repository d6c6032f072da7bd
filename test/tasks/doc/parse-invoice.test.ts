import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runQpdf } from '../../support/pdf/document.ts'
import { type TypesetLine, typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
let folder: Awaited<ReturnType<typeof freshFolder>>
beforeAll(async () => {
  folder = await freshFolder()
  pools = await sharedPools()
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

type Value = { value: string; raw: string; confidence: number; source: string; box?: object } | null
type Values = Record<string, Value>
interface Invoice {
  [field: string]: unknown
  kind: string
  vendor: Values
  customer: Values
  lines: Values[]
  taxes: Values[]
  checks: object
}

async function parse(body: Record<string, unknown>) {
  const { result, ...rest } = await runJob(pools, 'doc.parse-invoice', body, { limitSeconds: 60 })
  return { invoice: result as Invoice, ...rest }
}

/** The values alone. */
const plain = (fields: Values) =>
  Object.fromEntries(Object.entries(fields).map(([name, found]) => [name, found?.value ?? null]))
const readValue = (invoice: Invoice, field: string) => (invoice[field] as Value)?.value

const UBL = readFileSync('tasks/samples/invoice.xml')
const CII = Buffer.from(`<?xml version="1.0"?>
<rsm:CrossIndustryInvoice xmlns:rsm="a" xmlns:ram="b" xmlns:udt="c">
  <rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter>
    <ram:ID>urn:factur-x.eu:1p0:basic</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
  <rsm:ExchangedDocument><ram:ID>G-4</ram:ID><ram:TypeCode>381</ram:TypeCode>
    <ram:IssueDateTime><udt:DateTimeString format="102">20260305</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
    <ram:IncludedSupplyChainTradeLineItem>
      <ram:SpecifiedTradeProduct><ram:SellerAssignedID>R-1</ram:SellerAssignedID><ram:Name>Rope<!-- 10 m --></ram:Name></ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>12</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="MTR">2</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement>
        <ram:ApplicableTradeTax><ram:RateApplicablePercent>20.00</ram:RateApplicablePercent></ram:ApplicableTradeTax>
        <ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>24.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>
      </ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty><ram:Name><![CDATA[Corde & Fils]]></ram:Name>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">12/345</ram:ID></ram:SpecifiedTaxRegistration>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">FR12345678901</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
      <ram:BuyerTradeParty><ram:Name>Port</ram:Name></ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
      <ram:ApplicableTradeTax><ram:CalculatedAmount>4.40</ram:CalculatedAmount><ram:BasisAmount>22.00</ram:BasisAmount><ram:RateApplicablePercent>20</ram:RateApplicablePercent></ram:ApplicableTradeTax>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:LineTotalAmount>24.00</ram:LineTotalAmount><ram:AllowanceTotalAmount>2.00</ram:AllowanceTotalAmount>
        <ram:TaxBasisTotalAmount>22.00</ram:TaxBasisTotalAmount><ram:GrandTotalAmount>26.41</ram:GrandTotalAmount>
        <ram:DuePayableAmount>26.41</ram:DuePayableAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>`)

test('reads UBL', async () => {
  const { invoice, chargedMicros } = await parse({ file: UBL })
  expect(plain(invoice.vendor)).toEqual({
    ...{ name: 'Lamp & Oil GmbH', address: 'Hafen 1\n24103 Kiel\nDE', taxId: 'DE123456789' },
    iban: 'DE89370400440532013000',
  })
  expect(invoice.lines.map(plain)).toEqual([
    { description: 'Lamp oil', quantity: '40', unit: 'LTR', unitPrice: '2.50', amount: '100.00', taxRate: '19' },
  ])
  expect(invoice).toMatchObject({ source: 'xml', xml: { syntax: 'ubl', profile: 'urn:cen.eu:en16931:2017' } })
  expect(invoice.purchaseOrder).toEqual({ value: 'PO-9', raw: 'PO-9', confidence: 1, source: 'xml' })
  expect(invoice.checks).toEqual({ linesMatchSubtotal: true, taxesMatch: true, totalMatches: true })
  expect(chargedMicros).toBe(20_000n)
  expect((await parse({ file: UBL, lineItems: false })).invoice.lines).toEqual([])
})

test('reads CII, alone and attached to a PDF of several pages, before its text', async () => {
  const name = join(folder.path, 'factur-x.xml')
  await writeFile(name, CII)
  const pages = typesetPages([[[40, 60, 'Invoice No. 999']], [[40, 60, 'Total 5.00 EUR']]])
  const facturX = runQpdf(pages, ['--add-attachment', name, '--mimetype=text/xml', '--', 'IN', 'OUT'])
  for (const file of [CII, facturX]) {
    const { invoice } = await parse({ file })
    expect(invoice).toMatchObject({ kind: 'credit-note', xml: { syntax: 'cii', profile: 'urn:factur-x.eu:1p0:basic' } })
    expect([readValue(invoice, 'number'), readValue(invoice, 'issueDate')]).toEqual(['G-4', '2026-03-05'])
    expect(plain(invoice.vendor)).toEqual({ name: 'Corde & Fils', taxId: 'FR12345678901' })
    expect(plain(invoice.lines[0]!)).toMatchObject({ sku: 'R-1', description: 'Rope', quantity: '2', amount: '24.00' })
    expect(invoice.checks).toEqual({ linesMatchSubtotal: true, taxesMatch: true, totalMatches: true })
  }
})

test('takes the sum of the taxes where no single one is stated', async () => {
  const head = '<ram:ApplicableTradeTax><ram:CalculatedAmount>4.40'
  const text = CII.toString()
  const [start, end] = [text.indexOf(head), text.indexOf('<ram:SpecifiedTradeSettlementHeaderMonetarySummation>')]
  const total = '<ram:TaxTotalAmount currencyID="EUR">4.40</ram:TaxTotalAmount><ram:GrandTotalAmount>'
  const least = (text.slice(0, start) + text.slice(end)).replace('<ram:GrandTotalAmount>', total)
  const { invoice } = await parse({ file: Buffer.from(least) })
  expect(invoice.checks).toEqual({ linesMatchSubtotal: true, taxesMatch: null, totalMatches: true })
})

test.each([
  ['is no invoice', '<?xml version="1.0"?><note/>', 'DOC_PARSE_FAILED'],
  ['is empty', '<?xml version="1.0"?><Invoice></Invoice>', 'DOC_PARSE_FAILED'],
  ['is cut off', UBL.subarray(0, 900).toString(), 'DOC_PARSE_FAILED'],
  [
    'declares entities',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><Invoice>&b;</Invoice>',
    'DOC_PARSE_FAILED',
  ],
  ['has too many attributes', `<?xml version="1.0"?><Invoice ${'a="b" '.repeat(200_000)}/>`, 'DOC_PARSE_FAILED'],
  ['has one long attribute', `<?xml version="1.0"?><Invoice ${'a'.repeat(1_000_000)}/>`, 'DOC_PARSE_FAILED'],
  ['is nested too deeply', `<?xml version="1.0"?>${'<a>'.repeat(5000)}`, 'DOC_PARSE_FAILED'],
  ['has an unknown encoding', '<?xml version="1.0" encoding="x-none"?><Invoice/>', 'ENCODING_INVALID'],
])('refuses XML that %s', async (_, text, code) => {
  await expect(parse({ file: Buffer.from(text) })).rejects.toMatchObject({ code })
})

const GERMAN: TypesetLine[] = [
  [40, 40, 'Lampen und Seil GmbH', { size: 14 }],
  [40, 56, 'Hafenstr. 1'],
  [40, 69, '24103 Kiel'],
  [40, 120, 'Rechnung an:'],
  [40, 133, 'Leuchtturm Amt'],
  [40, 146, 'Kai 7'],
  [40, 159, '25992 List'],
  [250, 120, 'Rechnungsnummer: RE-2026-17'],
  [250, 133, 'Rechnungsdatum: 05.03.2026'],
  [250, 146, 'Zahlbar bis: 19.03.2026'],
  [40, 220, 'Pos.'],
  [70, 220, 'Bezeichnung'],
  [200, 220, 'Menge'],
  [250, 220, 'Einzelpreis'],
  [320, 220, 'Betrag'],
  [40, 236, '1'],
  [70, 236, 'Petroleum'],
  [200, 236, '40'],
  [250, 236, '25,00'],
  [320, 236, '1.000,00'],
  [70, 248, 'in Kanistern'],
  [40, 262, '2'],
  [70, 262, 'Fachbuch'],
  [200, 262, '2'],
  [250, 262, '50,00'],
  [320, 262, '100,00'],
  [200, 300, 'Nettobetrag'],
  [320, 300, '1.100,00'],
  [200, 314, 'MwSt 19 % auf 1.000,00'],
  [320, 314, '190,00'],
  [200, 328, 'MwSt 7 % auf 100,00'],
  [320, 328, '7,00'],
  [200, 342, 'Gesamtbetrag'],
  [320, 342, '1.297,00 EUR'],
  [40, 560, 'USt-IdNr. DE123456789   IBAN DE89 3704 0044 0532 0130 00'],
]

test('reads the text of an invoice with several tax rates', async () => {
  const { invoice } = await parse({ file: typesetPages([GERMAN]) })
  expect(invoice).toMatchObject({ kind: 'invoice', source: 'text-layer' })
  expect(plain(invoice.vendor)).toEqual({
    ...{ name: 'Lampen und Seil GmbH', address: 'Hafenstr. 1\n24103 Kiel' },
    ...{ taxId: 'DE123456789', iban: 'DE89370400440532013000' },
  })
  expect(plain(invoice.customer)).toEqual({ name: 'Leuchtturm Amt', address: 'Kai 7\n25992 List' })
  const fields = ['number', 'issueDate', 'dueDate', 'currency', 'subtotal', 'total']
  expect(fields.map(field => readValue(invoice, field))).toEqual([
    ...['RE-2026-17', '2026-03-05', '2026-03-19', 'EUR', '1100.00', '1297.00'],
  ])
  expect(invoice.lines.map(plain)).toEqual([
    { description: 'Petroleum\nin Kanistern', quantity: '40', unitPrice: '25.00', amount: '1000.00' },
    { description: 'Fachbuch', quantity: '2', unitPrice: '50.00', amount: '100.00' },
  ])
  expect(invoice.taxes.map(plain)).toEqual([
    { rate: '19', base: '1000.00', amount: '190.00' },
    { rate: '7', base: '100.00', amount: '7.00' },
  ])
  expect(invoice.checks).toEqual({ linesMatchSubtotal: true, taxesMatch: true, totalMatches: true })
  expect((invoice.total as { box: { x: number; y: number } }).box).toMatchObject({ x: expect.closeTo(0.8, 1) })
})

test('tells that figures do not add up, and leaves signs as they are', async () => {
  const lines: TypesetLine[] = [
    [40, 40, 'Credit note'],
    [40, 60, 'Ropes Ltd'],
    [40, 80, 'Credit note no: CN 7'],
    [40, 94, 'Date: March 4, 2026'],
    [40, 120, 'Subtotal'],
    [200, 120, '-$100.00'],
    [40, 134, 'Tax 10%'],
    [200, 134, '($10.00)'],
    [40, 148, 'Total'],
    [200, 148, '$1,110.00-'],
  ]
  const { invoice } = await parse({ file: typesetPages([lines]) })
  expect(invoice.kind).toBe('credit-note')
  expect(['number', 'issueDate', 'currency', 'subtotal', 'total'].map(field => readValue(invoice, field))).toEqual([
    ...['CN 7', '2026-03-04', 'USD', '-100.00', '-1110.00'],
  ])
  expect(plain(invoice.taxes[0]!)).toEqual({ rate: '10', base: null, amount: '-10.00' })
  expect(invoice.checks).toEqual({ linesMatchSubtotal: null, taxesMatch: true, totalMatches: false })
})

const RECEIPT: TypesetLine[] = [
  [100, 40, 'Harbour Cafe', { size: 16 }],
  [100, 70, 'RECEIPT'],
  [100, 90, '03/04/2026 12:31'],
  [60, 120, '2 x Coffee'],
  [260, 120, '5.00'],
  [60, 140, 'Fish soup'],
  [260, 140, '7.50'],
  [60, 170, 'TOTAL'],
  [260, 170, '12.50'],
  [60, 190, 'Cash'],
  [260, 190, '20.00'],
]

test('reads a receipt, by the locale where a date could be two', async () => {
  const read = async (more: object) => (await parse({ file: typesetPages([RECEIPT]), ...more })).invoice
  const british = await read({ locale: 'en-GB', currency: 'GBP' })
  expect(british).toMatchObject({ kind: 'receipt', vendor: { name: { value: 'Harbour Cafe' } } })
  expect(british.lines.map(plain)).toMatchObject([
    { description: 'Coffee', quantity: '2', amount: '5.00' },
    { description: 'Fish soup', amount: '7.50' },
  ])
  expect(['issueDate', 'currency', 'total', 'amountPaid'].map(field => readValue(british, field))).toEqual([
    ...['2026-04-03', 'GBP', '12.50', '20.00'],
  ])
  expect(british.checks).toMatchObject({ linesMatchSubtotal: true })
  const strict = await read({ minConfidence: 0.9 })
  expect([strict.issueDate, readValue(strict, 'total')]).toEqual([null, '12.50'])
  const american = await read({ locale: 'en-US' })
  expect([readValue(american, 'issueDate'), (american.issueDate as { confidence: number }).confidence < 0.7]).toEqual([
    '2026-03-04',
    true,
  ])
})

const EPC = [
  'BCD',
  '002',
  '1',
  'SCT',
  '',
  'Lamp & Oil',
  'DE89370400440532013000',
  'EUR119.00',
  '',
  'RF18539007547034',
  '',
].join('\n')
const SWISS = [
  ...['SPC', '0200', '1', 'CH4431999123000889012', 'S', 'Seil AG', 'Kai', '7', '6000', 'Luzern', 'CH'],
  ...['', '', '', '', '', '', '', '1949.75', 'CHF', 'K', 'Ada Muster', 'Weg 2', '8000 Zürich', '', '', 'CH'],
  ...['QRR', '210000000003139471430009017', '', 'EPD'],
].join('\n')

test.each([
  ['epc', EPC, { name: 'Lamp & Oil', iban: 'DE89370400440532013000' }, ['119.00', 'EUR', 'RF18539007547034']],
  [
    'swiss-qr',
    SWISS,
    { name: 'Seil AG', address: 'Kai 7\n6000 Luzern\nCH', iban: 'CH4431999123000889012' },
    ['1949.75', 'CHF', '210000000003139471430009017'],
  ],
] as const)('reads the code of a payment: %s', async (kind, content, vendor, fields) => {
  const { bytes } = await runJob(pools, 'codes.qr', { text: content, size: 600 })
  const { invoice } = await parse({ file: bytes })
  expect(invoice.paymentCode).toBe(kind)
  expect(plain(invoice.vendor)).toMatchObject(vendor)
  expect(invoice.vendor.iban).toMatchObject({ source: 'barcode', confidence: 1 })
  expect(['amountDue', 'currency', 'paymentReference'].map(field => readValue(invoice, field))).toEqual(fields)
})

test('reads the first of several invoices, and says where others begin', async () => {
  const file = typesetPages([GERMAN, RECEIPT])
  const { invoice, warnings } = await parse({ file })
  expect([readValue(invoice, 'number'), invoice.pages, invoice.lines.length]).toEqual(['RE-2026-17', [1], 2])
  expect(warnings).toContain('OTHER_INVOICES')
  expect((await parse({ file, page: 2 })).invoice.kind).toBe('receipt')
  await expect(parse({ file: typesetPages(Array(11).fill(RECEIPT)) })).rejects.toMatchObject({ code: 'TOO_MANY_PAGES' })
})
