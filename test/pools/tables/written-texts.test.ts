import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const ROWS =
  '1,19.90,+5,2024-05-01 10:00:00,2024-05-01T10:00:00+02:00\n2,1e5,34,,2024-05-01T10:00:00Z\n3,-0.50,7,2024-05-02T10:00:00.50,\n'
const TEXT = `id,price,change,at,zoned\n${ROWS}`

test.each([
  ['filter', { where: { column: 'price', op: 'gt', value: -1 } }, TEXT],
  ['filter', { where: 'price > -1', outCsv: { header: false } }, ROWS],
  ['slice', { limit: 9 }, TEXT],
  ['slice', { from: 1, to: 3, step: 1, outFormat: 'tsv' }, TEXT.replaceAll(',', '\t')],
  ['sort', { by: [{ column: 'id' }] }, TEXT],
  ['sample', { n: 3, method: 'random', seed: 1 }, TEXT],
  ['dropna', { axis: 'rows', how: 'all' }, TEXT],
  ['rename', { map: { price: 'cost' } }, TEXT.replace('price', 'cost')],
  ['derive', { columns: [{ name: 'CHANGE', expr: 'change + 1' }], replace: true }, /^1,19\.90,6,2024-05-01 10:00:00,/m],
  ['cast', { types: { id: 'string', change: 'integer' } }, TEXT.replace('+5', '5')],
  ['fillna', { values: { change: 0 } }, TEXT.replace('+5', '5')],
])('%s %j leaves cells as they are written', async (operation, options, expected) => {
  const { written } = await runTable(operation, { file: { text: TEXT }, ...options })
  if (typeof expected === 'string') expect(written).toBe(expected)
  else expect(written).toMatch(expected)
})

test('drops a column of numbers and leaves the others as they are written', async () => {
  const file = { text: 'a,b,c\n1.50,,2.50\n2.00,,\n' }
  expect((await runTable('dropna', { file, axis: 'columns', how: 'all' })).written).toBe('a,c\n1.50,2.50\n2.00,\n')
})

test('sorts numbers by value and still leaves them as they are written', async () => {
  const file = { text: 'n\n34E2\n5.0\n+100\n""\n7.50\n' }
  const { written, preview } = await runTable('sort', { file, by: [{ column: 'n' }] })
  expect(written).toBe('n\n5.0\n7.50\n+100\n34E2\n""\n')
  expect(preview).toEqual([{ n: 5 }, { n: 7.5 }, { n: 100 }, { n: 3400 }, { n: null }])
})

test('appends tables whose cells stay as they are written', async () => {
  const files = [{ text: 'n,m\n1.50,1\n+2,1\n' }, { text: 'n,m\n3,x\n1.5,+1\n' }]
  const { written } = await runTable('union', { files, outFormat: 'csv' })
  expect(written).toBe('n,m\n1.50,1\n+2,1\n3,x\n1.5,+1\n')
  const { written: distinct } = await runTable('union', { files: [files[0], { text: 'n,m\n1.5,1\n' }], distinct: true })
  expect(distinct).toBe('n,m\n1.50,1\n+2,1\n')
})

test('leaves numbers with a decimal comma as they are written', async () => {
  const file = { text: 'id;price;n\n1;1.234,50;1.000\n2;0,10;2\n', csv: { decimal: ',' } }
  const { written } = await runTable('filter', { file, where: { column: 'price', op: 'gt', value: 1 } })
  expect(written).toBe('id;price;n\n1;1.234,50;1.000\n')
})

test.each(['csv', 'tsv'])(
  'writes a missing cell of the only column so that its row is read again from %s',
  async outFormat => {
    const file = { rows: [{ a: 1 }, { a: null }, { a: 2.5 }] }
    const { written } = await runTable('slice', { file, limit: 5, outFormat })
    expect(written).toBe('a\n1\n""\n2.5\n')
    expect((await runTable('slice', { file: { text: written }, limit: 5 })).preview).toEqual([...file.rows])
    const named = await runTable('slice', { file, limit: 5, outFormat, outCsv: { nullAs: 'NA' } })
    expect(named.written).toBe('a\n1\nNA\n2.5\n')
  },
)

test('shows all digits of whole numbers within objects and lists', async () => {
  const text = '[{"o":{"n":9007199254740993,"m":1.5},"l":[-9007199254740993,-7]}]'
  const { preview } = await runTable('slice', { file: { text }, limit: 1 })
  expect(preview).toEqual([{ o: { n: '9007199254740993', m: 1.5 }, l: ['-9007199254740993', -7] }])
})

test.each(['json', 'csv'])('keeps all digits of decimals within objects and lists, in %s', async outFormat => {
  const text =
    '[{"o":{"n":12345678901234567.25,"s":"12345678901234567.25 \\" 1e999","m":1.5},"l":[-0.1234567890123456789,1e999]}]'
  const { preview, written } = await runTable('slice', { file: { text }, limit: 1, outFormat })
  const expected = {
    o: { n: '12345678901234567.25', s: '12345678901234567.25 " 1e999', m: 1.5 },
    l: ['-0.1234567890123456789', '1e999'],
  }
  expect(preview).toEqual([expected])
  if (outFormat === 'json') expect(JSON.parse(written)).toEqual([expected])
  else expect(written).toContain('-0.1234567890123456789')
})

test('leaves decimals of many digits as they are written', async () => {
  const file = { text: 'n\n12345678901234567.10\n1.50\n' }
  expect((await runTable('slice', { file, limit: 5 })).written).toBe(file.text)
})

test.each([
  ['json', '[{"n":19.9}]'],
  ['ndjson', '{"n":19.9}'],
])('writes numbers as %s in their shortest form', async (outFormat, expected) => {
  const { written } = await runTable('slice', { file: { text: 'n\n19.90\n' }, limit: 5, outFormat })
  expect(JSON.parse(written)).toEqual(JSON.parse(expected))
})

test('writes the values of types that the caller gives', async () => {
  const file = { text: 'n,m\n19.9,1.50\n', types: { n: 'decimal(6,3)' } }
  expect((await runTable('slice', { file, limit: 5 })).written).toBe('n,m\n19.900,1.50\n')
})

test('shows an expression that reads a whole row nothing but its columns', async () => {
  const columns = [{ name: 'row', expr: 'to_json(input)' }]
  const { preview } = await runTable('derive', { file: { text: 'n\n19.90\n' }, columns })
  expect(preview).toEqual([{ n: 19.9, row: { n: 19.9 } }])
})

test.each([
  ['inner', 'id,price,cost,at\n1,19.90,7.50,2024-05-01 10:00:00\n2,1e5,+8.0,\n'],
  ['left', 'id,price,cost,at\n1,19.90,7.50,2024-05-01 10:00:00\n2,1e5,+8.0,\n3,-0.50,,\n'],
  ['right', 'id,price,cost,at\n1,19.90,7.50,2024-05-01 10:00:00\n2,1e5,+8.0,\n4,,9.10,\n'],
  ['full', 'id,price,cost,at\n1,19.90,7.50,2024-05-01 10:00:00\n2,1e5,+8.0,\n3,-0.50,,\n4,,9.10,\n'],
  ['semi', 'id,price\n1,19.90\n2,1e5\n'],
  ['anti', 'id,price\n3,-0.50\n'],
])('a %s join leaves cells as they are written', async (how, expected) => {
  const left = { text: 'id,price\n1,19.90\n2,1e5\n3,-0.50\n' }
  const right = { text: 'id,cost,at\n1,7.50,2024-05-01 10:00:00\n2,+8.0,\n4,9.10,\n' }
  expect((await runTable('join', { left, right, on: ['id'], how, outFormat: 'csv' })).written).toBe(expected)
})

test('joins keys of different texts by value, and leaves each as it is written', async () => {
  const [left, right] = [{ text: 'k,v\n1.50,1.0\n2.0,2.0\n' }, { text: 'k,v\n1.5,3.10\n7.70,4.0\n' }]
  const { written } = await runTable('join', { left, right, on: ['k'], how: 'full', outFormat: 'csv' })
  expect(written).toBe('k,v_l,v_r\n1.50,1.0,3.10\n2.0,2.0,\n7.70,,4.0\n')
})

test('explodes a list beside cells that stay as they are written', async () => {
  const file = { text: 'price,tags\n19.90,a;b\n1e5,c\n' }
  const { written } = await runTable('explode', { file, column: 'tags', separator: ';' })
  expect(written).toBe('price,tags\n19.90,a\n19.90,b\n1e5,c\n')
})

test('shows a large number with a fraction as the number that it is', async () => {
  const file = { text: 'n\n9223372036854775807\n9223372036854775807\n' }
  const { preview } = await runTable('groupby', { file, aggs: [{ fn: 'mean', column: 'n', as: 'm' }], by: [] })
  expect(preview).toEqual([{ m: 2 ** 63 }])
})
