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

type Value = { value: string } | null
interface Invoice {
  [field: string]: unknown
  customer: Record<string, Value>
  lines: Record<string, Value>[]
}

async function parse(lines: TypesetLine[]): Promise<Invoice> {
  const { result } = await runJob(pools, 'doc.parse-invoice', { file: typesetPages([lines]) }, { limitSeconds: 60 })
  return result as Invoice
}

const readValues = (invoice: Invoice, fields: readonly string[]) =>
  fields.map(field => (invoice[field] as Value)?.value ?? null)

const HEAD: TypesetLine[] = [
  [40, 40, 'Keel Consulting Ltd'],
  [40, 60, 'Invoice no: K-12'],
  [40, 74, 'Date: March 4, 2026'],
  [40, 100, 'Bill to'],
  [40, 114, 'Harbour Office'],
  [40, 128, 'Quay 7'],
]

test.each<[string, TypesetLine[]]>([
  ['a line', [[40, 142, 'Consulting 1,200.00']]],
  [
    'cells',
    [
      [40, 142, 'Consulting'],
      [300, 142, '1,200.00'],
    ],
  ],
  [
    'a table',
    [
      [40, 142, 'Description'],
      [300, 142, 'Amount'],
      [40, 156, 'Consulting'],
      [300, 156, '1,200.00'],
    ],
  ],
])('keeps %s of items out of the address above, and takes what is due for the total too', async (_, items) => {
  const sums: TypesetLine[] = [
    [40, 200, 'VAT 20%'],
    [300, 200, '240.00'],
    [40, 214, 'Total due'],
    [300, 214, '$1,440.00'],
  ]
  const invoice = await parse([...HEAD, ...items, ...sums])
  expect(invoice.customer).toMatchObject({ name: { value: 'Harbour Office' }, address: { value: 'Quay 7' } })
  expect(readValues(invoice, ['subtotal', 'total', 'amountDue'])).toEqual([null, '1440.00', '1440.00'])
  expect(invoice.lines).toMatchObject([{ description: { value: 'Consulting' }, amount: { value: '1200.00' } }])
  expect(invoice.checks).toMatchObject({ linesMatchSubtotal: null })
})

test('tells the total from what is left to be paid of it', async () => {
  const sums: TypesetLine[] = [
    [40, 200, 'Total'],
    [300, 200, '$1,440.00'],
    [40, 214, 'Paid'],
    [300, 214, '$400.00'],
    [40, 228, 'Total due'],
    [300, 228, '$1,040.00'],
  ]
  const invoice = await parse([...HEAD, ...sums])
  expect(readValues(invoice, ['total', 'amountPaid', 'amountDue'])).toEqual(['1440.00', '400.00', '1040.00'])
})
