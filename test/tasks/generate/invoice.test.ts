import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { PYTHON } from '../../support/machine/programs.ts'
import { hasTool, runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
const hasBrowser = await hasTool(pools, 'chromium')
afterAll(() => pools[Symbol.asyncDispose]())

type Body = Record<string, unknown>

const SELLER = {
  name: 'Muster & Söhne GmbH',
  address: ['Hauptstr. 1', 'Hof 2', '3. OG', 'links'],
  ...{ city: 'Berlin', postcode: '10115', country: 'DE', taxId: 'DE123456789', email: 'a@example.com' },
}
const BUYER = { name: 'Exemple SARL', city: 'Paris', postcode: '75001', country: 'FR', taxId: 'FR12345678901' }
const BASE = {
  seller: SELLER,
  buyer: BUYER,
  number: 'R/7',
  issueDate: '2026-02-01',
  dueDate: '2026-03-01',
  currency: 'EUR',
}
const MIXED = [
  { description: 'Beratung\nvor Ort <&>', quantity: '2.5', unit: 'h', unitPrice: '99.99', taxRate: '19' },
  { description: 'Buch', quantity: '3', unitPrice: '12.345', taxRate: '7', discount: { percent: '12.5' } },
  { description: 'Rückgabe', quantity: '1', unitPrice: '-20', taxRate: '19' },
  { description: 'Porto', quantity: '1', unitPrice: '5', taxRate: '0', discount: { amount: '0.50' } },
]
const item = (options: Body) => ({ description: 'x', quantity: '1', unitPrice: '100', ...options })
const make = (body: Body) => runJob(pools, 'generate.invoice', { ...BASE, ...body })

test.each([
  ['what is taxed alone', { items: [item({ taxRate: '19' })] }, ['Net', 'Tax 19 %', 'Total']],
  ['nothing taxed', { items: [item({})] }, ['Total']],
  [
    'a discount',
    { items: [item({ taxRate: '19' })], discount: { amount: '10' } },
    ['Subtotal', 'Discount', 'Net', 'Tax 19 %', 'Total'],
  ],
  [
    'what cancels out',
    { items: [item({})], discount: { amount: '10' }, shipping: '10' },
    ['Subtotal', 'Discount', 'Shipping', 'Total'],
  ],
  [
    'prices with tax',
    { items: [item({ taxRate: '25' })], taxInclusive: true },
    ['Subtotal', 'Net', 'Tax 25 %', 'Total'],
  ],
])('no line of the totals repeats the one before: %s', async (_name, body, names) => {
  const { bytes } = await make({ ...body, format: 'html' })
  const [totals] = /<table class="totals">.*?<\/table>/s.exec(Buffer.from(bytes).toString())!
  expect([...totals.matchAll(/<th>(.*?)<\/th>/g)].map(([, name]) => name!.replaceAll('\u00a0', ' '))).toEqual(names)
})

test.each([
  [{ items: MIXED, discount: { percent: '3' }, shipping: '7.77', paid: '10' }, '266.65', '312.58', '302.58'],
  [{ items: [item({ unitPrice: '0.1', quantity: '3' })] }, '0.30', '0.30', '0.30'],
  [
    { items: [item({ unitPrice: 19.99, quantity: 3, discount: { amount: 0.1 } })], shipping: 4.9, paid: 0.77 },
    '64.77',
    '64.77',
    '64.00',
  ],
  [
    { items: [item({ unitPrice: '10', quantity: 0.3, taxRate: 19, discount: { percent: 50 } })] },
    '1.50',
    '1.79',
    '1.79',
  ],
  [
    { items: Array.from({ length: 3 }, () => item({ unitPrice: '0.99', taxRate: '20' })), taxInclusive: true },
    '2.48',
    '2.97',
    '2.97',
  ],
  [{ items: [item({ unitPrice: '100.5', quantity: '3', taxRate: '10' })], currency: 'JPY' }, '302', '332', '332'],
  [{ items: [item({ unitPrice: '1.0005', taxRate: '5' })], currency: 'KWD' }, '1.001', '1.051', '1.051'],
  [
    { items: Array.from({ length: 2 }, () => item({ unitPrice: '0.02', taxRate: '20' })), rounding: 'line' },
    '0.04',
    '0.04',
    '0.04',
  ],
  [{ items: Array.from({ length: 2 }, () => item({ unitPrice: '0.02', taxRate: '20' })) }, '0.04', '0.05', '0.05'],
  [
    { items: [item({ unitPrice: '999999999999.999999', quantity: '999999' })] },
    '999998999999999999.00',
    '999998999999999999.00',
    '999998999999999999.00',
  ],
])('computes %j', async (body, net, gross, due) => {
  const { result, bytes } = await make({ ...body, format: 'json' })
  expect(result.totals).toMatchObject({ net, gross, due })
  expect(JSON.parse(bytes.toString())).toMatchObject({ number: 'R/7', totals: result.totals })
})

/** The sums of EN 16931, computed again with another kind of decimals from what the XML states. */
const RULES = `
import sys, xml.etree.ElementTree as tree
from decimal import Decimal, ROUND_HALF_UP
root = tree.fromstring(sys.stdin.buffer.read())
strip = lambda e: e.tag.split('}')[1]
def all(e, *path):
    found = [e]
    for step in path: found = [c for f in found for c in f if strip(c) == step]
    return found
num = lambda e, *path: sum((Decimal(c.text) for c in all(e, *path)), Decimal(0))
cents = lambda d: d.quantize(Decimal('0.01'), ROUND_HALF_UP)
def check(name, a, b):
    if a != b: print(name, a, b)
if strip(root) == 'CrossIndustryInvoice':
    t, = all(root, 'SupplyChainTradeTransaction')
    s, = all(t, 'ApplicableHeaderTradeSettlement')
    m, = all(s, 'SpecifiedTradeSettlementHeaderMonetarySummation')
    lines = num(t, 'IncludedSupplyChainTradeLineItem', 'SpecifiedLineTradeSettlement', 'SpecifiedTradeSettlementLineMonetarySummation', 'LineTotalAmount')
    names = ['LineTotalAmount', 'AllowanceTotalAmount', 'ChargeTotalAmount', 'TaxBasisTotalAmount', 'TaxTotalAmount', 'GrandTotalAmount', 'TotalPrepaidAmount', 'RoundingAmount', 'DuePayableAmount']
    groups = [(num(g, 'BasisAmount'), num(g, 'RateApplicablePercent'), num(g, 'CalculatedAmount')) for g in all(s, 'ApplicableTradeTax')]
    adjustments = [(all(a, 'ChargeIndicator', 'Indicator')[0].text == 'true', num(a, 'ActualAmount')) for a in all(s, 'SpecifiedTradeAllowanceCharge')]
else:
    m, = all(root, 'LegalMonetaryTotal')
    lines = num(root, 'InvoiceLine', 'LineExtensionAmount') + num(root, 'CreditNoteLine', 'LineExtensionAmount')
    names = ['LineExtensionAmount', 'AllowanceTotalAmount', 'ChargeTotalAmount', 'TaxExclusiveAmount', None, 'TaxInclusiveAmount', 'PrepaidAmount', 'PayableRoundingAmount', 'PayableAmount']
    groups = [(num(g, 'TaxableAmount'), num(g, 'TaxCategory', 'Percent'), num(g, 'TaxAmount')) for g in all(root, 'TaxTotal', 'TaxSubtotal')]
    adjustments = [(all(a, 'ChargeIndicator')[0].text == 'true', num(a, 'Amount')) for a in all(root, 'AllowanceCharge')]
total, off, on, net, tax, gross, paid, rounding, due = [num(m, n) if n else num(root, 'TaxTotal', 'TaxAmount') for n in names]
check('BR-CO-10', total, lines)
check('BR-CO-11', off, sum((a for c, a in adjustments if not c), Decimal(0)))
check('BR-CO-12', on, sum((a for c, a in adjustments if c), Decimal(0)))
check('BR-CO-13', net, total - off + on)
check('BR-CO-14', tax, sum(g[2] for g in groups))
check('BR-CO-15', gross, net + tax)
check('BR-CO-16', due, gross - paid + rounding)
check('bases', net, sum(g[0] for g in groups))
for base, rate, amount in groups: check('BR-CO-17', amount, cents(base * rate / 100))
print('checked', strip(root), len(groups))`

const NO_VAT = { seller: { ...SELLER, taxId: undefined, registration: 'HRB 1' }, buyer: { ...BUYER, taxId: undefined } }

test.each([
  [{ items: MIXED, discount: { percent: '3' }, shipping: '7.77', paid: '10' }, 3],
  [{ items: MIXED, type: 'credit-note', correctedInvoice: 'R/6', taxInclusive: true, discount: { amount: '1.01' } }, 3],
  [{ items: Array.from({ length: 7 }, () => item({ unitPrice: '0.99', taxRate: '20' })), taxInclusive: true }, 1],
  [{ items: [item({ taxCategory: 'AE' })], bank: { iban: 'DE89 3704 0044 0532 0130 00' } }, 1],
  [{ items: [item({ taxCategory: 'K' })], deliveryDate: '2026-01-20', taxNote: 'innergemeinschaftlich' }, 1],
  [{ items: [item({ taxCategory: 'O' })], ...NO_VAT }, 1],
])('writes an electronic invoice whose sums hold for %j', async (body, groups) => {
  const root = (body as Body).type === 'credit-note' ? 'CreditNote' : 'Invoice'
  for (const [einvoice, name] of [
    ['ubl', root],
    ['cii', 'CrossIndustryInvoice'],
  ] as const) {
    const { bytes } = await make({ ...body, einvoice })
    expect((await execa(PYTHON, ['-c', RULES], { input: bytes })).stdout).toBe(`checked ${name} ${groups}`)
  }
})

/** An invoice of several pages, with letters of every script and codes. */
function buildLongInvoice(): Body {
  const items = Array.from({ length: 40 }, (_, index) => ({
    description: `Position ${index} 東京 العربية ไทย\n${'lange Beschreibung '.repeat(9)}`,
    ...{ quantity: '2', unitPrice: `${index}.15`, taxRate: '19' },
  }))
  const bank = { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }
  const paymentLinks = [{ label: 'Zahlen', url: 'https://pay.example/7', qr: true }]
  return { items, bank, epcQr: true, paymentLinks, locale: 'de-DE', language: 'de', template: 'modern' }
}

test('writes a long invoice as a page with codes', async () => {
  const html = (await make({ ...buildLongInvoice(), format: 'html' })).bytes.toString()
  expect([html.match(/<svg/g)?.length, html.includes('<script')]).toEqual([2, false])
})

test.skipIf(!hasBrowser)('prints a long invoice on several pages', async () => {
  const { bytes, result } = await make(buildLongInvoice())
  const { stdout: text } = await execa('pdftotext', ['-layout', '-', '-'], { input: bytes })
  const gross = new Intl.NumberFormat('de-DE', { minimumFractionDigits: 2 }).format(
    Number((result.totals as Body).gross),
  )
  for (const part of ['東京', 'Rechnung', 'Position 39', gross, 'Seite', 'DE89 3704']) expect(text).toContain(part)
  expect(text.match(/Beschreibung\s+Menge/g)!.length).toBeGreaterThan(1)
})

test.skipIf(!hasBrowser)('puts the electronic invoice into a PDF/A-3', async () => {
  const { bytes } = await make({ items: MIXED, einvoice: 'factur-x' })
  const folder = await mkdtemp(join(tmpdir(), 'coinop-facturx-'))
  try {
    const file = join(folder, 'in.pdf')
    await writeFile(file, bytes)
    await execa('pdfdetach', ['-save', '1', '-o', join(folder, 'out.xml'), file])
    const xml = await readFile(join(folder, 'out.xml'))
    expect((await execa(PYTHON, ['-c', RULES], { input: xml })).stdout).toBe('checked CrossIndustryInvoice 3')
    expect((await execa('pdfdetach', ['-list', file])).stdout).toContain('factur-x.xml')
    const { stdout: xmp } = await execa('pdfinfo', ['-meta', file])
    for (const part of ['<pdfaid:part>3<', '<fx:ConformanceLevel>EN 16931<', 'pdfaSchema:prefix>fx<'])
      expect(xmp).toContain(part)
    const { stdout: json } = await execa('qpdf', ['--json', '--json-key=qpdf', file])
    expect(json).toMatch(/"\/AF": /)
    expect(json).toContain('"/AFRelationship": "/Alternative"')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each([
  [{ items: [item({})], currency: 'XQQ' }, 'CURRENCY_UNKNOWN'],
  [{ items: [item({})], dueDate: '2026-01-01' }, 'INVOICE_INVALID'],
  [{ items: [item({ taxRate: '19' })], taxNote: 'shown nowhere' }, 'INVOICE_INVALID'],
  [{ items: [item({})], issueDate: '2026-13-01' }, 'INVOICE_INVALID'],
  [{ items: [item({})], issueDate: '2026-02-30' }, 'INVOICE_INVALID'],
  [{ items: [item({})], bank: { iban: 'DE89370400440532013001' } }, 'INVOICE_INVALID'],
  [{ items: [item({ taxRate: '19', taxCategory: 'AE' })] }, 'INVOICE_INVALID'],
  [{ items: [item({ discount: { amount: '101' } })] }, 'INVOICE_INVALID'],
  [{ items: [item({ discount: {} })] }, 'MISSING_FIELD'],
  [{ items: [item({})], epcQr: true }, 'MISSING_FIELD'],
  [{ items: [item({})], epcQr: true, currency: 'USD' }, 'CONFLICTING_OPTIONS'],
  [{ items: [item({})], einvoice: 'ubl', format: 'pdf' }, 'CONFLICTING_OPTIONS'],
  [{ items: [item({})], einvoice: 'ubl', type: 'quote' }, 'CONFLICTING_OPTIONS'],
  [{ items: [item({})], einvoice: 'ubl' }, 'INVOICE_INVALID'],
  [{ items: [item({ taxRate: '19', unit: 'bushel' })], einvoice: 'cii' }, 'INVOICE_INVALID'],
  [{ items: [item({ taxRate: '19' })], einvoice: 'cii', buyer: { name: 'x' } }, 'INVOICE_INVALID'],
  [{ items: [item({ taxRate: '19' })], einvoice: 'cii', dueDate: undefined }, 'INVOICE_INVALID'],
  [{ items: [item({ taxCategory: 'K' })], einvoice: 'cii' }, 'INVOICE_INVALID'],
  [{ items: [item({ taxRate: '5' })], einvoice: 'cii', currency: 'KWD' }, 'INVOICE_INVALID'],
  [{ items: [item({})], color: 'nope', format: 'html' }, 'COLOR_INVALID'],
])('refuses %j', async (body, code) => {
  await expect(make(body)).rejects.toMatchObject({ code })
})
