import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const TEXT = 'id,mail,age,day,country\n1,a@x.de,36,2024-01-01,DE\n2,nobody,-5,2030-01-01,XX\n2,,41,2024-05-05,DE\n'
const validate = (options: object) => runTable('validate', { file: { text: TEXT }, ...options })

test.each([
  [{ column: 'mail', required: true }, { 'mail:required': 1 }],
  [{ column: 'id', unique: true }, { 'id:unique': 2 }],
  [{ column: 'mail', pattern: '@' }, { 'mail:pattern': 1 }],
  [
    { column: 'age', min: 0, max: 40 },
    { 'age:min': 1, 'age:max': 1 },
  ],
  [{ column: 'day', max: '2025-01-01' }, { 'day:max': 1 }],
  [{ column: 'mail', type: 'integer' }, { 'mail:type': 2 }],
  [{ column: 'country', enum: ['DE', 'FR'] }, { 'country:enum': 1 }],
  [{ column: 'mail', maxLength: 5 }, { 'mail:maxLength': 2 }],
  [{ column: 'country', foreign: { file: { text: 'code\nDE\n' }, column: 'code' } }, { 'country:foreign': 1 }],
])('checks the rule %j', async (rule, byRule) => {
  expect(await validate({ rules: [rule] })).toMatchObject({ valid: false, rows: 3, byRule })
})

// A single decimal or word makes the whole column another type.
const MIXED = `age,size,note,big
30,12.50,7,9007199254740993
130,30.00,old,99999999999999999999999999999999999999
12.5,0.25,,99999999999999999999
-1,7.00,200,9007199254740992
`

test.each([
  [{ column: 'age', type: 'integer' }, { 'age:type': 1 }],
  [
    { column: 'age', type: 'integer', min: 0, max: 120 },
    { 'age:type': 1, 'age:min': 1, 'age:max': 1 },
  ],
  [{ column: 'age', pattern: '^\\d+$' }, { 'age:pattern': 2 }],
  [{ column: 'age', enum: [30, 130, '-1'] }, { 'age:enum': 1 }],
  [{ column: 'age', foreign: { file: { text: 'id\n30\n130\n' }, column: 'id' } }, { 'age:foreign': 2 }],
  [{ column: 'age', foreign: { file: { text: 'id\n30\nnone\n' }, column: 'id' } }, { 'age:foreign': 3 }],
  [{ column: 'size', type: 'integer' }, { 'size:type': 2 }],
  [{ column: 'size', enum: [12.5, 30] }, { 'size:enum': 2 }],
  [{ column: 'size', enum: ['12.5', 30.001, 0.25] }, { 'size:enum': 2 }],
  [{ column: 'size', foreign: { file: { text: 'id\n12.5\n7\n' }, column: 'id' } }, { 'size:foreign': 2 }],
  [{ column: 'big', type: 'integer' }, { 'big:type': 2 }],
  [
    { column: 'big', type: 'bigint', enum: ['9007199254740993', '99999999999999999999999999999999999999', 1.5] },
    { 'big:enum': 2 },
  ],
  [{ column: 'big', foreign: { file: { text: 'id\n0.5\n9007199254740993\n' }, column: 'id' } }, { 'big:foreign': 3 }],
  [
    { column: 'note', min: 10, max: 120 },
    { 'note:min': 2, 'note:max': 2 },
  ],
])('checks the rule %j of a column with whole numbers among others', async (rule, byRule) => {
  const types = { size: 'decimal(6,2)' }
  expect(await validate({ file: { text: MIXED, types }, rules: [rule] })).toMatchObject({ valid: false, byRule })
})

test('tells a whole number as it was written', async () => {
  const { errors } = await validate({ file: { text: MIXED }, rules: [{ column: 'age', max: 120 }] })
  expect(errors).toEqual([
    { row: 2, column: 'age', rule: 'max', value: '130', message: 'The value is greater than 120.' },
  ])
})

test('checks a JSON Schema, with patterns in linear time', async () => {
  const schema = {
    properties: { age: { minimum: 0 }, mail: { pattern: '^(a+)+@', format: 'email' } },
    required: ['mail'],
  }
  const answer = await validate({ schema, maxErrors: 2 })
  expect(answer).toMatchObject({
    valid: false,
    errorCount: 4,
    byRule: { 'age:minimum': 1, 'mail:pattern': 1, 'mail:format': 1, 'mail:required': 1 },
  })
  expect(answer.errors).toHaveLength(2)
  expect(await validate({ schema: { type: 'object' } })).toMatchObject({ valid: true, errorCount: 0, errors: [] })
})

test.each([
  ['date', 'day\n2024-02-29\n2023-02-28\n2023-02-29\n2023-04-31\n', 2],
  ['date-time', 'day\n2024-02-29T10:00:00Z\n2023-02-29T10:00:00Z\n2023-02-29T23:30:00-05:00\n', 2],
])('knows which days there are, as the format %s', async (format, text, errorCount) => {
  const schema = { properties: { day: { type: 'string', format } } }
  expect(await validate({ file: { text }, schema })).toMatchObject({ errorCount, byRule: { 'day:format': errorCount } })
})

test('takes each cell of a text for what the schema asks for', async () => {
  const check = (text: string, type: unknown) => validate({ file: { text }, schema: { properties: { a: { type } } } })
  const bad = await check('a\n1\n2\nx\n', 'integer')
  expect([bad.errorCount, bad.errors]).toMatchObject([1, [{ row: 3, column: 'a', value: 'x' }]])
  expect(await check('a\ntrue\n1.5\nfalse\n', 'boolean')).toMatchObject({ errorCount: 1 })
  expect(await check('a\n1.5\n007\n2\n', ['number', 'null'])).toMatchObject({ errorCount: 1 })
  expect(await check('a\n1\n2\n', 'string')).toMatchObject({ valid: true })
  expect(await check('a\n2024-01-01\n1.50\n', ['string', 'null'])).toMatchObject({ valid: true })
  const long = await validate({
    file: { text: 'a\n1.50\n2.5\n' },
    schema: { properties: { a: { type: 'string', minLength: 4 } } },
  })
  expect(long.errors).toMatchObject([{ row: 2, value: '2.5' }])
})

test('leaves the types of JSON as they are', async () => {
  const check = (text: string, type: string) =>
    validate({ file: { text, format: 'json' }, schema: { properties: { a: { type } } } })
  expect(await check('[{"a":1},{"a":2}]', 'string')).toMatchObject({ errorCount: 2 })
  expect(await check('[{"a":"1"},{"a":"2"}]', 'integer')).toMatchObject({ errorCount: 2 })
})

test('tells numbers, truth values and texts of one column of JSON apart', async () => {
  const check = (text: string, type: string) => validate({ file: { text }, schema: { properties: { a: { type } } } })
  const numbers = await check('[{"a":1},{"a":"x"},{"a":"2"},{"a":3.5},{"a":null}]', 'integer')
  expect([numbers.errorCount, numbers.errors]).toMatchObject([
    3,
    [
      { row: 2, column: 'a', value: 'x' },
      { row: 3, column: 'a', value: '2' },
      { row: 4, column: 'a', value: 3.5 },
    ],
  ])
  expect(await check('{"a":1}\n{"a":true}\n', 'integer')).toMatchObject({ errorCount: 1, errors: [{ row: 2 }] })
  expect(await check('[{"a":1},{"a":"x"}]', 'string')).toMatchObject({ errorCount: 1, errors: [{ row: 1, value: 1 }] })
})

test('writes a text of a column of mixed JSON without quotes', async () => {
  const { invalid } = await validate({
    file: { text: '[{"a":1},{"a":"x y"}]' },
    schema: { properties: { a: { type: 'integer' } } },
    ...{ outputInvalid: true, outFormat: 'csv' },
  })
  expect(Buffer.from((invalid as { bytes: Uint8Array }).bytes).toString()).toBe('a\nx y\n')
})

test('returns the rows that are not valid', async () => {
  const answer = await validate({ rules: [{ column: 'age', min: 0 }], outputInvalid: true })
  expect(Buffer.from((answer.invalid as { bytes: Uint8Array }).bytes).toString()).toBe(
    'id,mail,age,day,country\n2,nobody,-5,2030-01-01,XX\n',
  )
})

const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) })

test.each([
  [{}, 'MISSING_FIELD'],
  [{ schema: {}, rules: [{ column: 'id', unique: true }] }, 'CONFLICTING_OPTIONS'],
  [{ schema: { type: 'nonsense' } }, 'SCHEMA_INVALID'],
  [{ schema: { $ref: 'http://127.0.0.1/x.json' } }, 'SCHEMA_INVALID'],
  [{ schema: deep(100) }, 'SCHEMA_INVALID'],
  [{ schema: { $ref: '#' } }, 'SCHEMA_INVALID'],
  [{ rules: [{ column: 'id' }] }, 'SCHEMA_INVALID'],
  [{ rules: [{ column: 'mail', pattern: '(' }] }, 'SCHEMA_INVALID'],
  [{ rules: [{ column: 'nope', unique: true }] }, 'COLUMN_NOT_FOUND'],
])('rejects %j', async (options, code) => {
  await expect(validate(options)).rejects.toMatchObject({ code })
})
