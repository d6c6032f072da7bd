import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const TEXT =
  'id,age,city,zip,day,big\n1,36,Rome,00100,2024-01-31,9007199254740993\n2,9,Oslo,0150,2024-02-29,2\n3,,rome,00100,2023-12-01,3\n'
const ids = async (where: unknown, options: object = {}) =>
  (await runTable('filter', { file: { text: TEXT }, where, outFormat: 'json', ...options })).preview
    .map(row => row.id)
    .join('')

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
