import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { findMalformation } from '../../../../tasks/engines/language/extract/schema-form.ts'
import { findSchemaFaults } from '../../../../tasks/engines/language/extract/validate.ts'

const testPattern = async (pattern: string, texts: readonly string[]) =>
  texts.map(text => new RegExp(pattern).test(text))
const find = (schema: object, value: unknown) => findSchemaFaults(schema, value, testPattern)

test('says where a value does not fit', async () => {
  const schema = {
    ...{ type: 'object', required: ['a'], additionalProperties: false, $defs: { n: { type: 'integer', minimum: 2 } } },
    properties: {
      a: { $ref: '#/$defs/n' },
      b: { type: 'array', items: { enum: ['x', 'y'] }, maxItems: 1 },
      c: { anyOf: [{ type: 'null' }, { const: 1 }] },
    },
  }
  expect(await find(schema, { a: 2, b: ['x'], c: null })).toEqual([])
  const faults = await find(schema, { a: 1.5, b: ['z', 'x'], c: 2, d: 0 })
  expect(new Set(faults.map(({ path }) => path))).toEqual(new Set(['/a', '/b', '/b/0', '/c', '/d']))
  expect(await find(schema, {})).toEqual([{ path: '/a', message: 'is missing' }])
})

const SCHEMAS: Record<string, unknown>[] = [
  { type: ['string', 'null'], minLength: 2, pattern: '^a+$' },
  { type: 'integer', multipleOf: 3, exclusiveMaximum: 9 },
  { minProperties: 1, maxProperties: 2, propertyNames: { pattern: '^[ab]' } },
  { patternProperties: { '^a': { type: 'number' }, b$: { minimum: 3 } }, additionalProperties: false },
  { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
  { uniqueItems: true, contains: { const: 1 }, maxContains: 1 },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
  { if: { properties: { a: { const: 1 } }, required: ['a'] }, then: { required: ['b'] }, else: { maxProperties: 0 } },
  { dependentRequired: { a: ['b'] }, dependentSchemas: { b: { properties: { b: { type: 'number' } } } } },
  { oneOf: [{ type: 'number' }, { minimum: 2 }, { pattern: 'a' }] },
  { not: { anyOf: [{ pattern: '^a' }, { type: 'array' }] } },
  { allOf: [{ $ref: '#/$defs/a~1b' }, { minimum: 1 }], $defs: { 'a/b': { maximum: 3 } } },
  { $defs: { tree: { properties: { a: { $ref: '#/$defs/tree' }, b: { type: 'number' } } } }, $ref: '#/$defs/tree' },
  { enum: [{ a: 1, b: 2 }, 3, 'a'] },
  { const: { b: 2, a: 1 } },
]
const VALUES: unknown[] = [
  ...[null, true, 0, 1, 2, 3, 6, 9, 0.3, 0.35, 1.5, '', 'a', 'aa', 'b', [], [1], [1, 1], ['a', 1], ['a', 1, 2]],
  ...[{}, { a: 1 }, { a: 1, b: 2 }, { b: 2, a: 1 }, { a: 'x' }, { ab: 1 }, { ab: 4 }, { b: 'x' }, { c: 1 }],
  ...[
    { a: { b: 'x' } },
    { a: { a: { b: 1 } } },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  ],
]

test.each(SCHEMAS.map(schema => ({ schema, text: JSON.stringify(schema) })))(
  'judges as Ajv does: $text',
  async ({ schema }) => {
    expect(findMalformation(schema)).toBeUndefined()
    const isValid = new Ajv2020({ strict: false }).compile(schema)
    const ours = await Promise.all(VALUES.map(async value => (await find(schema, value)).length === 0))
    expect(VALUES.filter((_, index) => ours[index])).toEqual(VALUES.filter(value => isValid(value)))
  },
)

test.each([
  ['email', 'a@b.de', 'a at b.de'],
  ['date', '2026-02-28', '2026-02-30'],
  ['date-time', '2026-02-28T10:00:00Z', '2026-02-28 10:00'],
  ['uuid', '01a218c4-db0e-792e-be03-d5357719de5c', '01a218c4'],
  ['ipv4', '10.0.0.1', '10.0.0.256'],
  ['uri', 'mailto:a@b.de', 'no address'],
  ['iban', 'DE89370400440532013000', 'DE88370400440532013000'],
])('the format %s takes %s and not %s', async (format, good, bad) => {
  expect(await find({ format }, good)).toEqual([])
  expect(await find({ format }, bad)).toEqual([{ path: '', message: `must be of the format ${format}` }])
  expect(await find({ format: 'unheard-of' }, bad)).toEqual([])
})

test.each([
  [{ required: 5 }, '/required'],
  [{ required: 'a' }, '/required'],
  [{ anyOf: { a: 1 } }, '/anyOf'],
  [{ properties: null }, '/properties'],
  [{ properties: { a: null } }, '/properties/a'],
  [{ properties: { 'a/b': { type: 'bogus' } } }, '/properties/a~1b/type'],
  [{ items: [{ type: 'string' }] }, '/items'],
  [{ $ref: 'http://169.254.169.254/x' }, '/$ref'],
  [{ $ref: '#/$defs/none' }, '/$ref'],
  [{ minLength: -1 }, '/minLength'],
  [JSON.parse(`${'{"not":'.repeat(100)}{}${'}'.repeat(100)}`), '/not'],
])('finds what is malformed in %j', (schema, path) => {
  expect(findMalformation(schema)?.path.startsWith(path)).toBe(true)
})

test('0.3 is a multiple of 0.1', async () => {
  expect(await find({ multipleOf: 0.1 }, 0.3)).toEqual([])
  expect(await find({ multipleOf: 0.1 }, 0.35)).not.toEqual([])
})

test('references that lead back to themselves end', async () => {
  const twice = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] }
  expect(await find({ $defs: { a: twice }, $ref: '#/$defs/a' }, 1)).not.toEqual([])
  expect(await find({ $ref: '#' }, 1)).toEqual([])
})
