import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const TABLE = 'id,first-name,age,city,zip\n1,Ada,36,Rome,00100\n2,Bob,9,Oslo,0150\n3,Cy,41,rome,00100\n'
const select = async (options: object, text = TABLE) => {
  const answer = await runOperation('csv.select', { file: { text }, ...options })
  return Buffer.from(answer.output!.bytes!).toString()
}
const ids = async (where: object) => (await select({ columns: ['id'], where })).trim().split('\n').slice(1).join('')

test.each([
  [['age', 'id'], 'age,id'],
  [[3, 1], 'age,id'],
  [['first-name-city'], 'first-name,age,city'],
  [['/^.i/'], 'first-name,city,zip'],
  [[{ name: 'zip', as: 'post code' }], 'post code'],
])('selects the columns %j', async (columns, header) => {
  expect((await select({ columns })).split('\n')[0]).toBe(header)
})

test('excludes columns', async () => {
  expect(await select({ exclude: ['id', 'first-name', 4] })).toBe('age,zip\n36,00100\n9,0150\n41,00100\n')
})

test('selects rows by offset and limit, and distinct rows', async () => {
  expect(await select({ columns: ['id'], rows: { offset: 1, limit: 1 } })).toBe('id\n2\n')
  expect(await select({ columns: ['zip'], distinct: true })).toBe('zip\n00100\n0150\n')
})

test.each([
  [{ column: 'age', op: 'gt', value: 10 }, '13'],
  [{ column: 'age', op: 'between', value: [9, 36] }, '12'],
  [{ column: 'city', op: 'eq', value: 'rome' }, '3'],
  [{ column: 'city', op: 'eq', value: 'rome', caseInsensitive: true }, '13'],
  [{ column: 'city', op: 'in', value: ['Rome', 'Oslo'] }, '12'],
  [{ column: 'city', op: 'nin', value: ['Rome', 'Oslo'] }, '3'],
  [{ column: 'zip', op: 'eq', value: '0150' }, '2'],
  [{ column: 'zip', op: 'eq', value: 150 }, ''],
  [{ column: 'first-name', op: 'contains', value: 'd' }, '1'],
  [{ column: 'first-name', op: 'regex', value: '^[AB]' }, '12'],
  [{ not: { column: 'first-name', op: 'regex', value: '^a', caseInsensitive: true } }, '23'],
  [
    {
      any: [
        { column: 'id', op: 'eq', value: '1' },
        {
          all: [
            { column: 'age', op: 'lt', value: 10 },
            { column: 'city', op: 'startsWith', value: 'O' },
          ],
        },
      ],
    },
    '12',
  ],
  [{ column: 'id', op: 'lt', valueColumn: 'age' }, '123'],
  [{ column: 'city', op: 'isNull' }, ''],
])('selects rows where %j', async (where, found) => {
  expect(await ids(where)).toBe(found)
})

test('distinguishes null from empty in JSON', async () => {
  const text = '[{"a":null,"i":1},{"a":"","i":2},{"i":3},{"a":"x","i":4}]'
  expect(await select({ columns: ['i'], where: { column: 'a', op: 'isNull' }, outFormat: 'csv' }, text)).toBe(
    'i\n1\n3\n',
  )
  expect(await select({ columns: ['i'], where: { column: 'a', op: 'isEmpty' }, outFormat: 'csv' }, text)).toBe(
    'i\n1\n2\n3\n',
  )
})

test.each([
  [{ columns: ['nam'] }, 'COLUMN_NOT_FOUND'],
  [{ columns: [9] }, 'BAD_RANGE'],
  [{ columns: ['city-age'] }, 'BAD_RANGE'],
  [{ columns: ['/(/'] }, 'REGEX_INVALID'],
  [{}, 'MISSING_FIELD'],
  [{ columns: ['id'], exclude: ['age'] }, 'CONFLICTING_OPTIONS'],
  [{ columns: ['id'], where: {} }, 'INVALID_PARAM'],
  [{ columns: ['id'], where: { column: 'id', op: 'like', value: 1 } }, 'INVALID_PARAM'],
  [{ columns: ['id'], where: { column: 'x', op: 'eq', value: 1 } }, 'COLUMN_NOT_FOUND'],
])('rejects %j', async (options, code) => {
  await expect(select(options)).rejects.toMatchObject({ code })
})

test.each([
  [{ column: 'age', op: 'gt', value: 10, caseInsensitve: true }, 'UNKNOWN_FIELD', 'where.caseInsensitve'],
  [{ not: { columns: 'age', op: 'gt', value: 10 } }, 'UNKNOWN_FIELD', 'where.columns'],
  [{ constructor: 1 }, 'UNKNOWN_FIELD', 'where.constructor'],
])('rejects keys that a condition does not know: %j', async (where, code, field) => {
  await expect(ids(where)).rejects.toMatchObject({ code, hints: { field } })
})

const ADA = { column: 'id', op: 'eq', value: '1' }

test.each([
  { all: [ADA], any: [ADA] },
  { not: ADA, all: [ADA] },
  { any: [ADA], ...ADA },
  { column: 'id', op: 'lt', value: '1', valueColumn: 'age' },
])('rejects a condition of which a part would be ignored: %j', async where => {
  await expect(ids(where)).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
})

test.each([
  [{ column: 'amount', op: 'gt', value: 100 }, ['amount']],
  [{ not: { column: 'day', op: 'lt', value: '2024-06-01' } }, ['day']],
  [{ column: 'day', op: 'between', value: ['2024-01-01', '2024-12-31'] }, ['day']],
  [{ column: 'iso', op: 'gte', value: '2024-06-01' }, []],
  [{ column: 'plain', op: 'gt', value: 2 }, []],
  [{ column: 'amount', op: 'eq', value: 100 }, []],
  [{ column: 'name', op: 'gt', value: 'B' }, []],
])('%j: says whether letters were compared where a number or a day is meant', async (where, columns) => {
  const text = 'name;amount;day;iso;plain\nAda;1.234,56;31.12.2024;2024-12-31;1.5\nBob;;01.02.2024;;\n'
  const { warnings = [] } = await runOperation('csv.select', { file: { text }, columns: ['name'], where })
  expect(warnings).toEqual(
    columns.map(column => ({ code: 'COMPARED_AS_TEXT', message: expect.stringContaining(`column ${column} `) })),
  )
})
