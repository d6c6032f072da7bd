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
