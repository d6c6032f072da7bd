import fc from 'fast-check'
import type { TSchema } from 'typebox'
import type { SchemaNode } from '../../../tasks/kit/schema-walk.ts'

export const ODD_TEXTS = [
  '',
  '\0',
  '\ud800',
  '__proto__',
  'constructor',
  'true',
  '1e999',
  '\u202e',
  '../..',
  'a'.repeat(5_000),
]
const ODD_NUMBERS = [0, -0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e-320]

export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, {}, [], [[]], { a: { b: {} } }, ...ODD_TEXTS, ...ODD_NUMBERS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 4 }),
)

/** An object with some of the fields of its schema; their values are valid or odd. */
export function createOddObject(schema: TSchema): fc.Arbitrary<unknown> {
  const { properties = {}, oneOf = [], anyOf = [] } = schema as SchemaNode
  const alternatives = [...oneOf, ...anyOf]
  if (alternatives.length > 0) return fc.oneof(...alternatives.map(createOddValue))
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, createOddValue(field)]))
  return fc.record(fields, { requiredKeys: [] })
}

/** Mostly a valid value, sometimes any other. */
function createOddValue(field: TSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: createValidValue(field as SchemaNode) }, { weight: 1, arbitrary: anyValue })
}

function createValidValue(field: SchemaNode): fc.Arbitrary<unknown> {
  if (field.enum && field.enum.length > 0) return fc.constantFrom(...field.enum)
  if (field.oneOf || field.anyOf) return createOddObject(field)
  return GENERATORS_BY_TYPE[field.type ?? '']?.(field) ?? fc.boolean()
}

const createNumber = () => fc.oneof(fc.integer({ min: 0, max: 500 }), fc.constantFrom(...ODD_NUMBERS))

const GENERATORS_BY_TYPE: Record<string, (field: SchemaNode) => fc.Arbitrary<unknown>> = {
  string: () => fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'grapheme', maxLength: 60 })),
  integer: createNumber,
  number: createNumber,
  array: ({ items = {} }) => fc.array(createOddValue(items), { maxLength: 5 }),
  object: createOddObject,
}
