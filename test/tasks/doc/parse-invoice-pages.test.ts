import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { type TypesetLine, typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
})

type Values = Record<string, { value: string; page?: number } | null>
interface Invoice {
  [field: string]: unknown
  vendor: Values
  customer: Values
  lines: Values[]
  checks: object
}

async function parse(body: Record<string, unknown>) {
  const { result, ...rest } = await runJob(pools, 'doc.parse-invoice', body, { limitSeconds: 60 })
  return { invoice: result as unknown as Invoice, ...rest }
}

const plain = (fields: Values) =>
  Object.fromEntries(Object.entries(fields).map(([name, found]) => [name, found?.value ?? null]))
const readValue = (invoice: Invoice, field: string) => (invoice[field] as Values[string])?.value

const FOOTER = 'Harbour Supplies Ltd, registered in England 1234567'
const columns = (top: number): TypesetLine[] => [
  [40, top, 'Description'],
  [200, top, 'Qty'],
  [250, top, 'Unit price'],
  [330, top, 'Amount'],
]
const item = (top: number, name: string, quantity: string, price: string, amount: string): TypesetLine[] => [
  [40, top, name],
  [200, top, quantity],
  [250, top, price],
  [330, top, amount],
]
const foot = (number: number): TypesetLine[] => [
  [40, 560, FOOTER],
  [330, 560, `Page ${number} of 2`],
]
const FIRST_PAGE: TypesetLine[] = [
  [40, 40, 'Account number: 4711-22'],
  [40, 56, 'Harbour Supplies Ltd'],
  [40, 69, 'Quay 7'],
  [40, 82, 'Customer number: 88123'],
  [40, 120, 'Bill to:'],
  [40, 133, 'Lighthouse Office'],
  [250, 120, 'Invoice number: INV-77'],
  [250, 133, 'Date: 5 March 2026'],
  ...columns(220),
  ...item(236, 'Lamp oil', '400', '2.50', '1,000.00'),
  ...item(252, 'Rope', '2', '12.00', '24.00'),
  [40, 268, 'Carried forward'],
  [330, 268, '1,024.00'],
  ...foot(1),
]
const CARRIED: TypesetLine[] = [
  [40, 86, 'Subtotal brought forward'],
  [330, 86, '1,024.00'],
]
const PAGE_SUM: TypesetLine[] = [
  [40, 86, 'Subtotal'],
  [330, 86, '1,024.00'],
]
const SECOND_PAGE: TypesetLine[] = [
  [40, 40, 'Harbour Supplies Ltd'],
  [250, 40, 'Invoice number: INV-77'],
  ...item(102, 'Paint', '3', '10.00', '30.00'),
  ...item(118, 'Brushes', '1', '6.00', '6.00'),
  [250, 140, 'Subtotal'],
  [330, 140, '1,060.00'],
  [250, 155, 'VAT 20%'],
  [330, 155, '212.00'],
  [250, 170, 'Total'],
  [330, 170, '1,272.00 GBP'],
  [40, 300, 'IBAN GB29 NWBK 6016 1331 9268 19'],
  ...foot(2),
]

test.each([
  ['without its headings', []],
  ['after its headings again', columns(70)],
  ['after a sum that is carried over', CARRIED],
  ['after a sum of the page before', [...columns(70), ...PAGE_SUM]],
  ['after both', [...columns(70), ...CARRIED]],
])('reads an invoice whose table goes on over the page, %s', async (_, head) => {
  const { invoice, chargedMicros } = await parse({ file: typesetPages([FIRST_PAGE, [...head, ...SECOND_PAGE]]) })
  expect(invoice.lines.map(plain)).toEqual([
    { description: 'Lamp oil', quantity: '400', unitPrice: '2.50', amount: '1000.00' },
    { description: 'Rope', quantity: '2', unitPrice: '12.00', amount: '24.00' },
    { description: 'Paint', quantity: '3', unitPrice: '10.00', amount: '30.00' },
    { description: 'Brushes', quantity: '1', unitPrice: '6.00', amount: '6.00' },
  ])
  expect(invoice.lines.map(({ amount }) => amount?.page)).toEqual([1, 1, 2, 2])
  expect(['number', 'issueDate', 'subtotal', 'total', 'currency'].map(field => readValue(invoice, field))).toEqual([
    ...['INV-77', '2026-03-05', '1060.00', '1272.00', 'GBP'],
  ])
  expect(invoice.total).toMatchObject({ page: 2, box: { y: expect.closeTo(0.27, 1) } })
  expect(plain(invoice.vendor)).toMatchObject({ name: 'Harbour Supplies Ltd', address: 'Quay 7' })
  expect(invoice.vendor.iban).toMatchObject({ value: 'GB29NWBK60161331926819', page: 2 })
  expect(plain(invoice.customer)).toEqual({ name: 'Lighthouse Office' })
  expect(invoice.checks).toEqual({ linesMatchSubtotal: true, taxesMatch: true, totalMatches: true })
  expect([invoice.pages, chargedMicros]).toEqual([[1, 2], 40_000n])
})

test('reads the items of one page of several without its footer', async () => {
  const { invoice, chargedMicros } = await parse({ file: typesetPages([FIRST_PAGE, SECOND_PAGE]), page: 1 })
  expect(invoice.lines.map(line => line.description?.value)).toEqual(['Lamp oil', 'Rope'])
  expect([invoice.pages, chargedMicros]).toEqual([[1], 20_000n])
})

test.each([
  ['Account number: 4711-22'],
  ['Account no. 4711'],
  ['Customer ID: 88 123'],
  ['Kundennummer: 4711'],
  ['N° de compte 4711'],
])('takes %s for no name', async label => {
  const lines: TypesetLine[] = [
    [40, 40, label],
    [40, 56, 'Ropes Ltd'],
    [40, 90, 'Invoice no: 7'],
    [40, 120, 'Total'],
    [200, 120, '5.00 EUR'],
  ]
  const { invoice } = await parse({ file: typesetPages([lines]) })
  expect([invoice.vendor.name?.value, invoice.customer]).toEqual(['Ropes Ltd', {}])
})
