import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const TEXT =
  'id,age,city,zip,day,big\n1,36,Rome,00100,2024-01-31,9007199254740993\n2,9,Oslo,0150,2024-02-29,2\n3,,rome,00100,2023-12-01,3\n'
const ids = async (where: unknown, options: object = {}) =>
  (await runTable('filter', { file: { text: TEXT }, where, outFormat: 'json', ...options })).preview
    .map(row => row.id)
    .join('')

test.each([
  [{ column: 'price', op: 'gt', value: 2 }, ['price']],
  [{ all: [{ not: { column: 'day', op: 'between', value: ['2025-01-01', '2025-12-31'] } }] }, ['day']],
  [{ column: 'id', op: 'gt', value: 2 }, []],
  [{ column: 'price', op: 'eq', value: 2 }, []],
  [{ column: 'price', op: 'gt', value: 'b' }, []],
])('says which texts %j compares letter by letter', async (where, columns) => {
  const file = { text: 'id;price;day\n1;10,5;31.12.2024\n2;9,75;01.02.2025\n' }
  const { warnings = [] } = await runTable('filter', { file, where })
  expect(warnings).toEqual(
    columns.map(column => ({ code: 'COMPARED_AS_TEXT', message: expect.stringContaining(`column ${column} `) })),
  )
})

test('finds a whole number by its digits where the column has decimals', async () => {
  const file = { text: 'id,size\n1,30\n2,12.5\n3,300\n' }
  expect(await ids({ column: 'size', op: 'regex', value: '^30$' }, { file })).toBe('1')
})

test.each([
  [{ column: 'age', op: 'gt', value: 10 }, '1'],
  [{ column: 'age', op: 'gt', value: '9.5' }, '1'],
  [{ column: 'age', op: 'ne', value: 9 }, '13'],
  [{ column: 'age', op: 'in', value: [9, 36] }, '12'],
  [{ column: 'age', op: 'nin', value: [9] }, '13'],
  [{ column: 'age', op: 'isNull' }, '3'],
  [{ not: { column: 'age', op: 'gt', value: 10 } }, '23'],
  [{ column: 'zip', op: 'eq', value: '00100' }, '13'],
  [{ column: 'zip', op: 'eq', value: 100 }, ''],
  [{ column: 'city', op: 'eq', value: 'rome', caseInsensitive: true }, '13'],
  [{ column: 'city', op: 'regex', value: '^[Rr]o' }, '13'],
  [{ column: 'city', op: 'endsWith', value: 'lo' }, '2'],
  [{ column: 'day', op: 'gte', value: '2024-02-01' }, '2'],
  [{ column: 'day', op: 'between', value: ['2023-12-01', '2024-01-31'] }, '13'],
  [{ column: 'big', op: 'eq', value: '9007199254740993' }, '1'],
  [{ column: 'id', op: 'lt', valueColumn: 'age' }, '12'],
  [
    {
      any: [
        { column: 'id', op: 'eq', value: 1 },
        {
          all: [
            { column: 'id', op: 'gt', value: 1 },
            { column: 'zip', op: 'contains', value: '15' },
          ],
        },
      ],
    },
    '12',
  ],
  ['age > 10 OR age IS NULL', '13'],
  ["regexp_matches(city, '(?i)^rome$') AND day < '2024-01-01'", '3'],
])('keeps the rows where %j', async (where, found) => {
  expect(await ids(where)).toBe(found)
})

test('inverts, and counts what matched', async () => {
  const answer = await runTable('filter', { file: { text: TEXT }, where: 'age > 10', invert: true })
  expect(answer).toMatchObject({ rowsIn: 3, rowsOut: 2, matched: 1 })
})

test('shows the rows that it has written although a condition is another one each time', async () => {
  const text = `id\n${Array.from({ length: 50 }, (_, id) => id).join('\n')}\n`
  const answer = await runTable('filter', { file: { text }, where: 'random() < 0.5', preview: 50 })
  expect(answer.written).toBe(['id', ...answer.preview.map(({ id }) => id), ''].join('\n'))
  expect(answer).toMatchObject({ rowsOut: answer.preview.length })
})

test.each([
  [{ column: 'x', op: 'eq', value: 1 }, 'COLUMN_NOT_FOUND'],
  [{ column: 'age', op: 'gt', value: 'old' }, 'INVALID_PARAM'],
  [{ column: 'day', op: 'gt', value: 'soon' }, 'INVALID_PARAM'],
  [{ column: 'city', op: 'regex', value: '(' }, 'REGEX_INVALID'],
  [{ column: 'age', op: 'gt', value: 1, caseInsensitve: true }, 'UNKNOWN_FIELD'],
  [{ all: [], any: [] }, 'CONFLICTING_OPTIONS'],
  [{}, 'INVALID_PARAM'],
  ['age >', 'EXPRESSION_INVALID'],
  ['agee > 1', 'COLUMN_NOT_FOUND'],
  ["city = getvariable('x')", 'EXPRESSION_FORBIDDEN'],
])('rejects %j', async (where, code) => {
  await expect(ids(where)).rejects.toMatchObject({ code })
})

const ODD =
  'id,x,n,f\n1,1e-05,1234567890123456789,0.1234567890123456789\n2,.5,12345678901234567890123,+5\n3,5.,-3,1e2\n4,+5,1234567890123456790,.5\n'

test.each([
  [{ column: 'x', op: 'lt', value: 0.4 }, '1'],
  [{ column: 'x', op: 'eq', value: 5 }, '34'],
  [{ column: 'x', op: 'eq', value: '1e-5' }, '1'],
  [{ column: 'n', op: 'eq', value: '1234567890123456789' }, '1'],
  [{ column: 'n', op: 'eq', value: 1.2345678901234568e22 }, '2'],
  [{ column: 'n', op: 'gt', value: 1e18 }, '124'],
  [{ column: 'n', op: 'in', value: ['1234567890123456790', -3] }, '34'],
  [{ column: 'f', op: 'eq', value: '0.1234567890123456789' }, '1'],
  [{ column: 'f', op: 'eq', value: 0.1234567890123456 }, ''],
  [{ column: 'f', op: 'gte', value: 0.5 }, '234'],
  ['x > 1 AND f < 50', '4'],
])('compares odd numbers by value: %j', async (where, found) => {
  const { preview, columns } = await runTable('filter', { file: { text: ODD }, where, outFormat: 'json' })
  expect(preview.map(({ id }) => id).join('')).toBe(found)
  expect(columns.map(({ type }) => type)).toEqual(['integer', 'number', 'bigint', 'decimal(22,19)'])
})

test('keeps all digits of numbers that 64 bits would round, and refuses one that JSON may have rounded', async () => {
  const all = await runTable('filter', { file: { text: ODD }, where: 'id > 0' })
  expect(all.written).toBe(ODD)
  const { preview } = await runTable('filter', { file: { text: ODD }, where: 'id = 2' })
  expect(preview).toEqual([{ id: 2, x: 0.5, n: '12345678901234567890123', f: '5.0000000000000000000' }])
  const rounded = { column: 'n', op: 'eq', value: Number('1234567890123456789') }
  await expect(runTable('filter', { file: { text: ODD }, where: rounded })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { hint: expect.stringContaining('as a string') },
  })
})

const CELLS = [
  ...[
    '0',
    '-0',
    '7',
    '+7',
    '-7',
    '1e5',
    '1E-7',
    '.5',
    '-.5',
    '5.',
    '0.1',
    '1.10',
    '9007199254740993',
    '',
    '123456789.125',
  ],
  ...['1234567890123456789', '-12345678901234567890', '0.12345678901234567890', '1e400', '1e-400', '5e-324', '1.5e300'],
]
const TEXTS = ['007', '+491701234567', 'x', '1e', '1_0', 'NaN', '2026-01-02', '-']

test('both readers of CSV give a column the same type and the same values, which are those of its cells', async () => {
  const pick = createPicker(7)
  for (let round = 0; round < 12; round++) {
    const columns = Array.from({ length: 12 }, (_, index) => {
      const cells = Array.from({ length: 1 + pick(3) }, () => CELLS[pick(CELLS.length)]!)
      return index % 4 === 0 ? [...cells, TEXTS[pick(TEXTS.length)]!] : cells
    })
    const rows = Array.from({ length: 4 }, (_, row) => columns.map(cells => cells[row % cells.length]).join(','))
    const text = `${columns.map((_, index) => `c${index}`).join(',')}\n${rows.join('\n')}\n`
    const read = (csv: object) =>
      runTable('filter', { file: { text, csv: { header: true, ...csv } }, where: 'true', preview: 9 })
    const plain = await read({})
    const own = await read({ nullValues: [''] })
    expect({ text, ...own, output: 0 }).toEqual({ text, ...plain, output: 0 })
    const types = plain.columns.map(({ type }) => type)
    for (const [row, values] of plain.preview.entries())
      columns.forEach((cells, index) => {
        expect(isSameValue(cells[row % cells.length]!, values[`c${index}`], types[index]!), text).toBe(true)
      })
  }
})

function isSameValue(cell: string, value: unknown, type: string): boolean {
  if (cell === '') return value === null
  return type === 'string' || type === 'date' ? value === cell : Number(value) === Number(cell)
}

/** The same numbers in every run. */
function createPicker(seed: number): (count: number) => number {
  let state = seed
  return count => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * count)
  }
}

test.each([
  ["amuont > 1 AND city = 'x'", { column: 'amuont', didYouMean: 'amount' }],
  ['nope > 1', { column: 'nope' }],
])('lists all columns of the table where %s names none of them', async (where, hints) => {
  const file = { text: 'id,city,amount,price\n1,Rome,2,3\n' }
  await expect(runTable('filter', { file, where })).rejects.toMatchObject({
    code: 'COLUMN_NOT_FOUND',
    hints: { ...hints, available: ['id', 'city', 'amount', 'price'] },
  })
})
