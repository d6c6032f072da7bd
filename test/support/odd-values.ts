import fc from 'fast-check'
import type { TSchema } from 'typebox'

type Words = TSchema & {
  type?: string
  enum?: unknown[]
  items?: TSchema
  properties?: Record<string, TSchema>
  oneOf?: TSchema[]
  anyOf?: TSchema[]
}

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

export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, {}, [], [[]], { a: { b: {} } }, ...ODD_TEXTS, ...ODD_NUMBERS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 4 }),
)

/** An object with some of the fields its schema names, their values odd or fitting. */
export function oddObject(schema: TSchema): fc.Arbitrary<unknown> {
  const { properties = {}, oneOf = [], anyOf = [] } = schema as Words
  const arms = [...oneOf, ...anyOf]
  if (arms.length > 0) return fc.oneof(...arms.map(oddValue))
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, oddValue(field)]))
  return fc.record(fields, { requiredKeys: [] })
}

/** Mostly what the declaration asks for, now and then anything at all. */
function oddValue(field: TSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: fitting(field as Words) }, { weight: 1, arbitrary: anything })
}

function fitting(field: Words): fc.Arbitrary<unknown> {
  if (field.enum && field.enum.length > 0) return fc.constantFrom(...field.enum)
  if (field.oneOf || field.anyOf) return oddObject(field)
  return BY_TYPE[field.type ?? '']?.(field) ?? fc.boolean()
}

const number = () => fc.oneof(fc.integer({ min: 0, max: 500 }), fc.constantFrom(...ODD_NUMBERS))

const BY_TYPE: Record<string, (field: Words) => fc.Arbitrary<unknown>> = {
  string: () => fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'grapheme', maxLength: 60 })),
  integer: number,
  number,
  array: ({ items = {} }) => fc.array(oddValue(items), { maxLength: 5 }),
  object: oddObject,
}
