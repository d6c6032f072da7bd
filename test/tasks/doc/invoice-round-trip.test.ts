import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { hasTool, runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
let hasBrowser = false
beforeAll(async () => {
  pools = await sharedPools()
  hasBrowser = await hasTool(pools, 'chromium')
})
afterAll(() => pools[Symbol.asyncDispose]())

type Values = Record<string, { value: string } | null>
type Parsed = Record<'kind' | 'source', string> &
  Record<'vendor' | 'customer', Values> &
  Record<'lines' | 'taxes', Values[]> & { checks: object }

function plain(values: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values as Values).flatMap(([name, found]) => (found?.value ? [[name, found.value]] : [])),
  )
}

async function parse(file: Buffer, body: Record<string, unknown> = {}) {
  const { result } = await runJob(pools, 'doc.parse-invoice', { file, ...body }, { limitSeconds: 60 })
  const { kind, source, checks, vendor, customer, lines, taxes, ...fields } = result as unknown as Parsed
  const values: Record<string, string> = plain(fields)
  const parties = { vendor: plain(vendor), customer: plain(customer) }
  return { kind, source, checks, values, parties, lines: lines.map(plain), taxes: taxes.map(plain) }
}

const INVOICE = {
  seller: {
    ...{ name: 'Muster Werft GmbH', address: ['Hafenstr. 1'], city: 'Bremen', postcode: '28195', country: 'DE' },
    ...{ taxId: 'DE123456789', registration: 'HRB 4711', email: 'post@werft.example', phone: '+49 421 1234567' },
  },
  buyer: {
    ...{ name: 'Exemple SARL', address: ['12 rue du Port'], city: 'Brest', postcode: '29200', country: 'FR' },
    taxId: 'FR12345678901',
  },
  ...{ number: 'RE-2026-17', purchaseOrder: 'PO-889', currency: 'EUR', terms: 'Within 30 days' },
  ...{ issueDate: '2026-02-03', dueDate: '2026-03-05', deliveryDate: '2026-01-31', shipping: '12.50', paid: '100' },
  bank: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  items: [
    { description: 'Hull cleaning', quantity: '2.5', unit: 'h', unitPrice: '1099.90', taxRate: '19' },
    { description: 'Signal flags', quantity: '3', unitPrice: '12.34', taxRate: '7' },
    { description: 'Returned rope', quantity: '1', unitPrice: '-20', taxRate: '19' },
  ],
}

const VALUES = {
  ...{ number: 'RE-2026-17', purchaseOrder: 'PO-889', currency: 'EUR', paymentTerms: 'Within 30 days' },
  ...{ issueDate: '2026-02-03', dueDate: '2026-03-05', deliveryDate: '2026-01-31' },
  ...{ subtotal: '2779.27', shipping: '12.50', total: '3302.87', amountPaid: '100.00', amountDue: '3202.87' },
}

const PARTIES = {
  vendor: {
    ...{ name: 'Muster Werft GmbH', address: 'Hafenstr. 1\n28195 Bremen\nDE', taxId: 'DE123456789' },
    ...{ registration: 'HRB 4711', email: 'post@werft.example', phone: '+49 421 1234567' },
    ...INVOICE.bank,
  },
  customer: { name: 'Exemple SARL', address: '12 rue du Port\n29200 Brest\nFR', taxId: 'FR12345678901' },
}

test.for(['ubl', 'cii', 'factur-x'])('what generate/invoice writes as %s is read back', async (einvoice, { skip }) => {
  skip(einvoice === 'factur-x' && !hasBrowser)
  const { bytes } = await runJob(pools, 'generate.invoice', { ...INVOICE, einvoice })
  const { kind, source, values, parties, lines, taxes, checks } = await parse(bytes)
  expect([kind, source, checks]).toEqual([
    ...['invoice', 'xml'],
    { linesMatchSubtotal: true, taxesMatch: true, totalMatches: true },
  ])
  expect([values, parties]).toEqual([{ ...VALUES, paymentReference: 'RE-2026-17' }, PARTIES])
  // EN 16931 has no negative prices, so what is taken back has a negative quantity.
  expect(lines).toEqual([
    {
      description: 'Hull cleaning',
      quantity: '2.5',
      unit: 'HUR',
      unitPrice: '1099.9',
      taxRate: '19',
      amount: '2749.75',
    },
    { description: 'Signal flags', quantity: '3', unit: 'C62', unitPrice: '12.34', taxRate: '7', amount: '37.02' },
    { description: 'Returned rope', quantity: '-1', unit: 'C62', unitPrice: '20', taxRate: '19', amount: '-20.00' },
  ])
  expect(taxes).toEqual([
    { rate: '19', base: '2742.08', amount: '521.00' },
    { rate: '7', base: '37.19', amount: '2.60' },
  ])
})

test.for([
  ['en', 'en-US', 'classic'],
  ['de', 'de-DE', 'modern'],
  ['fr', 'fr-FR', 'minimal'],
] as const)('what it prints in %s is read back', async ([language, locale, template], { skip }) => {
  skip(!hasBrowser)
  const { bytes } = await runJob(pools, 'generate.invoice', { ...INVOICE, language, locale, template })
  const { kind, source, values, parties, lines, taxes, checks } = await parse(bytes)
  expect([kind, source, values, parties]).toEqual(['invoice', 'text-layer', VALUES, PARTIES])
  expect(lines).toEqual([
    {
      description: 'Hull cleaning',
      quantity: '2.5',
      unit: 'h',
      unitPrice: '1099.90',
      taxRate: '19',
      amount: '2749.75',
    },
    { description: 'Signal flags', quantity: '3', unitPrice: '12.34', taxRate: '7', amount: '37.02' },
    { description: 'Returned rope', quantity: '1', unitPrice: '-20.00', taxRate: '19', amount: '-20.00' },
  ])
  expect(taxes).toEqual([
    { rate: '19', amount: '521.00' },
    { rate: '7', amount: '2.60' },
  ])
  expect(checks).toMatchObject({ linesMatchSubtotal: true, totalMatches: true })
})

const date = (name: string, day: string) =>
  `<ram:${name}><udt:DateTimeString format="102">${day}</udt:DateTimeString></ram:${name}>`
const ZUGFERD_1 = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryDocument xmlns:rsm="urn:ferd:CrossIndustryDocument:invoice:1p0"
  xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:12"
  xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:15">
<rsm:SpecifiedExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter>
  <ram:ID>urn:ferd:CrossIndustryDocument:invoice:1p0:comfort</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:SpecifiedExchangedDocumentContext>
<rsm:HeaderExchangedDocument><ram:ID>471102</ram:ID><ram:Name>RECHNUNG</ram:Name><ram:TypeCode>380</ram:TypeCode>${date('IssueDateTime', '20130305')}</rsm:HeaderExchangedDocument>
<rsm:SpecifiedSupplyChainTradeTransaction>
 <ram:ApplicableSupplyChainTradeAgreement>
  <ram:SellerTradeParty><ram:Name>Lieferant GmbH</ram:Name><ram:PostalTradeAddress><ram:PostcodeCode>80333</ram:PostcodeCode><ram:LineOne>Lieferantenstraße 20</ram:LineOne><ram:CityName>München</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress>
   <ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">201/113/40209</ram:ID></ram:SpecifiedTaxRegistration><ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456789</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
  <ram:BuyerTradeParty><ram:Name>Kunden AG Mitte</ram:Name></ram:BuyerTradeParty>
  <ram:BuyerOrderReferencedDocument><ram:ID>B-9</ram:ID></ram:BuyerOrderReferencedDocument>
 </ram:ApplicableSupplyChainTradeAgreement>
 <ram:ApplicableSupplyChainTradeDelivery><ram:ActualDeliverySupplyChainEvent>${date('OccurrenceDateTime', '20130304')}</ram:ActualDeliverySupplyChainEvent></ram:ApplicableSupplyChainTradeDelivery>
 <ram:ApplicableSupplyChainTradeSettlement><ram:PaymentReference>2013-471102</ram:PaymentReference><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
  <ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>31</ram:TypeCode><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE08700901001234567890</ram:IBANID></ram:PayeePartyCreditorFinancialAccount><ram:PayeeSpecifiedCreditorFinancialInstitution><ram:BICID>GENODEF1M04</ram:BICID></ram:PayeeSpecifiedCreditorFinancialInstitution></ram:SpecifiedTradeSettlementPaymentMeans>
  <ram:ApplicableTradeTax><ram:CalculatedAmount currencyID="EUR">37.62</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount currencyID="EUR">198.00</ram:BasisAmount><ram:ApplicablePercent>19.00</ram:ApplicablePercent></ram:ApplicableTradeTax>
  <ram:SpecifiedTradePaymentTerms><ram:Description>Zahlbar bis 04.04.</ram:Description>${date('DueDateDateTime', '20130404')}</ram:SpecifiedTradePaymentTerms>
  <ram:SpecifiedTradeSettlementMonetarySummation><ram:LineTotalAmount currencyID="EUR">198.00</ram:LineTotalAmount><ram:ChargeTotalAmount currencyID="EUR">0.00</ram:ChargeTotalAmount><ram:AllowanceTotalAmount currencyID="EUR">0.00</ram:AllowanceTotalAmount><ram:TaxBasisTotalAmount currencyID="EUR">198.00</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="EUR">37.62</ram:TaxTotalAmount><ram:GrandTotalAmount currencyID="EUR">235.62</ram:GrandTotalAmount></ram:SpecifiedTradeSettlementMonetarySummation>
 </ram:ApplicableSupplyChainTradeSettlement>
 <ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:IncludedNote><ram:Content>Wie besprochen.</ram:Content></ram:IncludedNote></ram:AssociatedDocumentLineDocument></ram:IncludedSupplyChainTradeLineItem>
 <ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID></ram:AssociatedDocumentLineDocument>
  <ram:SpecifiedSupplyChainTradeAgreement><ram:GrossPriceProductTradePrice><ram:ChargeAmount currencyID="EUR">9.90</ram:ChargeAmount></ram:GrossPriceProductTradePrice><ram:NetPriceProductTradePrice><ram:ChargeAmount currencyID="EUR">9.90</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedSupplyChainTradeAgreement>
  <ram:SpecifiedSupplyChainTradeDelivery><ram:BilledQuantity unitCode="C62">20.0000</ram:BilledQuantity></ram:SpecifiedSupplyChainTradeDelivery>
  <ram:SpecifiedSupplyChainTradeSettlement><ram:ApplicableTradeTax><ram:ApplicablePercent>19.00</ram:ApplicablePercent></ram:ApplicableTradeTax><ram:SpecifiedTradeSettlementMonetarySummation><ram:LineTotalAmount currencyID="EUR">198.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementMonetarySummation></ram:SpecifiedSupplyChainTradeSettlement>
  <ram:SpecifiedTradeProduct><ram:SellerAssignedID>TB100A4</ram:SellerAssignedID><ram:Name>Trennblätter A4</ram:Name></ram:SpecifiedTradeProduct></ram:IncludedSupplyChainTradeLineItem>
</rsm:SpecifiedSupplyChainTradeTransaction></rsm:CrossIndustryDocument>`)

test('ZUGFeRD 1.0 is read, alone and in a PDF', async () => {
  const attachments = [{ file: ZUGFERD_1, name: 'ZUGFeRD-invoice.xml' }]
  const letter = { file: readFileSync('tasks/samples/letter.pdf'), action: 'add', attachments }
  const { bytes } = await runJob(pools, 'pdf.attachments', letter)
  const alone = await parse(ZUGFERD_1)
  expect(await parse(bytes)).toEqual(alone)
  const { kind, source, values, parties, lines, taxes, checks } = alone
  expect([kind, source]).toEqual(['invoice', 'xml'])
  expect(values).toEqual({
    ...{
      number: '471102',
      issueDate: '2013-03-05',
      dueDate: '2013-04-04',
      deliveryDate: '2013-03-04',
      currency: 'EUR',
    },
    ...{ purchaseOrder: 'B-9', paymentReference: '2013-471102', paymentTerms: 'Zahlbar bis 04.04.' },
    ...{ subtotal: '198.00', total: '235.62' },
  })
  expect(parties).toEqual({
    vendor: {
      ...{ name: 'Lieferant GmbH', address: 'Lieferantenstraße 20\n80333 München\nDE', taxId: 'DE123456789' },
      ...{ iban: 'DE08700901001234567890', bic: 'GENODEF1M04' },
    },
    customer: { name: 'Kunden AG Mitte' },
  })
  const product = { description: 'Trennblätter A4', sku: 'TB100A4', unit: 'C62' }
  expect(lines).toEqual([{ ...product, quantity: '20.0000', unitPrice: '9.90', taxRate: '19.00', amount: '198.00' }])
  expect(taxes).toEqual([{ rate: '19.00', base: '198.00', amount: '37.62' }])
  expect(checks).toEqual({ linesMatchSubtotal: true, taxesMatch: true, totalMatches: true })
})

/** As a thermal printer prints it, photographed askew and with noise. */
async function photograph(lines: readonly string[]): Promise<Buffer> {
  const [width, height] = [820, 120 + lines.length * 44]
  const texts = lines.map((line, at) => `<text x="40" y="${80 + at * 44}" xml:space="preserve">${line}</text>`).join('')
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#f4f4f0"/>` +
    `<g font-family="DejaVu Sans Mono, monospace" font-size="34" fill="#333">${texts}</g></svg>`
  // The same grain in every run.
  const grain = Buffer.from(
    createHash('shake256', { outputLength: width * height })
      .update('grain')
      .digest()
      .map(byte => 118 + (byte % 21)),
  )
  const flat = await sharp(Buffer.from(svg))
    .composite([{ input: grain, raw: { width, height, channels: 1 }, blend: 'soft-light' }])
    .png()
    .toBuffer()
  return sharp(flat).rotate(1.2, { background: '#e0e0e0' }).grayscale().png().toBuffer()
}

test.each([
  {
    ...{ vendor: 'BACKHAUS HANSEN', total: '11.00', currency: 'EUR', tax: '0.72' },
    lines: `Hafenstr. 12
20457 Hamburg

Kassenbon
Datum: 14.03.2026 10:42

Roggenbrot            7,80
Kaffee                3,20
SUMME EUR            11,00
MwSt 7,0 %            0,72`,
  },
  {
    ...{ vendor: 'BOULANGERIE DU PORT', total: '3.90', currency: 'EUR', tax: '0.20' },
    lines: `3 quai des Brumes
29200 Brest

Ticket de caisse
Date 14/03/2026 08:15

Baguette              1,30
Croissant             2,60
TOTAL TTC         3,90 EUR
TVA 5,5 %         0,20 EUR`,
  },
  {
    ...{ vendor: 'HARBOUR CAFE', total: '8.39', currency: 'USD', tax: '0.64' },
    lines: `1 Dock Road, Boston

RECEIPT
Date: 03/14/2026 12:30

Flat white           $4.50
Scone with jam       $3.25
Subtotal             $7.75
Sales tax 8.25%      $0.64
TOTAL                $8.39`,
  },
])('the photo of the receipt of $vendor is read', async ({ lines, ...expected }) => {
  const { kind, source, values, parties, taxes } = await parse(
    await photograph([expected.vendor, ...lines.split('\n')]),
  )
  expect([kind, source, values.issueDate]).toEqual(['receipt', 'ocr', '2026-03-14'])
  expect({
    ...{ vendor: parties.vendor.name, total: values.total, currency: values.currency },
    tax: taxes[0]?.amount,
  }).toEqual(expected)
})

test('names and descriptions in Arabic are read from right to left', async ({ skip }) => {
  skip(!hasBrowser)
  const body = {
    ...{ seller: { name: 'شركة البحر الكبير' }, buyer: { name: 'Bo' }, number: 'A-7', issueDate: '2026-11-01' },
    ...{ currency: 'EUR', items: [{ description: 'بحث في السوق', quantity: 3, unitPrice: '120', taxRate: 10 }] },
  }
  const { bytes } = await runJob(pools, 'generate.invoice', body)
  const { parties, lines } = await parse(bytes)
  expect([parties.vendor.name, lines[0]!.description]).toEqual(['شركة البحر الكبير', 'بحث في السوق'])
})
