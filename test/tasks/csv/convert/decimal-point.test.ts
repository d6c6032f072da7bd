import { expect, test } from 'vitest'
import { runOperation } from '../../../support/operations/run.ts'

async function convert(text: string, options = {}): Promise<string> {
  const { output } = await runOperation('csv.convert', { file: { text }, csv: { decimal: ',' }, ...options })
  return Buffer.from(output!.bytes!).toString()
}

const TABLE = 'item;amount;id\nA;1.234,50;007\nB;10,25;008\nC;;009\n'

test.each(['csv', 'tsv'])('numbers with a decimal comma have a point in %s where types are asked for', async to => {
  const mark = to === 'csv' ? ',' : '\t'
  const expected = 'item,amount,id\nA,1234.50,007\nB,10.25,008\nC,,009\n'.replaceAll(',', mark)
  expect(await convert(TABLE, { to, types: 'infer' })).toBe(expected)
  expect(await convert(TABLE, { to, types: { amount: 'number' } })).toBe(expected)
})

test('without types cells keep their text', async () => {
  expect(await convert(TABLE, { to: 'csv' })).toBe('item,amount,id\nA,"1.234,50",007\nB,"10,25",008\nC,,009\n')
})

test('a cell that is no number of the type that is asked for is named', async () => {
  await expect(convert(TABLE, { to: 'csv', types: { item: 'number' } })).rejects.toMatchObject({
    code: 'TYPE_MISMATCH',
    hints: { column: 'item', value: 'A' },
  })
})

test('integers that JSON would round keep all digits', async () => {
  expect(await convert('n;p\n12345678901234567890;1,5\n', { to: 'csv', types: 'infer' })).toBe(
    'n,p\n12345678901234567890,1.5\n',
  )
})
