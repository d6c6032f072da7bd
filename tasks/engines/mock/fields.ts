import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import { KINDS, type Kind } from './kinds.ts'

const Moment = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d:\\d\\dZ?)?$',
      description,
    }),
  )

const FIELD = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  type: Type.String({ minLength: 1, maxLength: 40, description: `One of ${Object.keys(KINDS).join(', ')}.` }),
  null: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'The share of rows without a value, such as 0.1.' }),
  ),
  min: Type.Optional(
    Type.Number({
      minimum: -Number.MAX_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'For int, float and decimal; for lorem the number of words.',
    }),
  ),
  max: Type.Optional(Type.Number({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 10, description: 'For float and decimal; 2.' })),
  from: Moment('For date, datetime and timestamp. Left out: ten years before refDate.'),
  to: Moment('Left out: refDate.'),
  values: Type.Optional(
    Type.Array(Type.Union([Type.String({ maxLength: 1000 }), Type.Number(), Type.Boolean()]), {
      minItems: 1,
      maxItems: 1000,
      description: 'For enum: what to choose from.',
    }),
  ),
  weights: Type.Optional(
    Type.Array(Type.Number({ minimum: 0, maximum: 1e9 }), { minItems: 1, maxItems: 1000, description: 'For enum.' }),
  ),
  pattern: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'For regex: [A-Z]{3}-\\d{4}.' })),
  start: Type.Optional(Type.Integer({ minimum: -1e12, maximum: 1e12, description: 'For sequence; 1.' })),
  step: Type.Optional(Type.Integer({ minimum: -1e6, maximum: 1e6, description: 'For sequence; 1.' })),
  table: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'For ref: whose values to use. Left out: the first.' }),
  ),
  field: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'For ref.' })),
  template: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'For template: {{firstName}} is the field of that name in the same row, or else a type.',
    }),
  ),
}

export const MockField = Type.Object({
  ...FIELD,
  fields: Type.Optional(
    Type.Array(Type.Object(FIELD), { minItems: 1, maxItems: 50, description: 'For json: the fields of the object.' }),
  ),
})
export type MockField = Static<typeof MockField>

const RANGE = ['min', 'max'] as const
const SPAN = ['from', 'to'] as const

/** The options of each type beside `null`; those of other types are refused. */
const OPTIONS: Partial<Record<Kind, readonly (keyof MockField)[]>> = {
  int: RANGE,
  float: [...RANGE, 'decimals'],
  decimal: [...RANGE, 'decimals'],
  lorem: RANGE,
  date: SPAN,
  datetime: SPAN,
  timestamp: SPAN,
  enum: ['values', 'weights'],
  regex: ['pattern'],
  sequence: ['start', 'step'],
  ref: ['table', 'field'],
  template: ['template'],
  json: ['fields'],
}
const REQUIRED: Partial<Record<Kind, keyof MockField>> = {
  enum: 'values',
  regex: 'pattern',
  ref: 'field',
  template: 'template',
  json: 'fields',
}

export function checkOptions(field: MockField, kind: Kind, at: string): void {
  const allowed: readonly string[] = ['name', 'type', 'null', ...(OPTIONS[kind] ?? [])]
  const other = Object.keys(field).find(name => !allowed.includes(name))
  if (other) throw new Problem('CONFLICTING_OPTIONS', { fields: [`${at}.type`, `${at}.${other}`] })
  const required = REQUIRED[kind]
  if (required && field[required] === undefined) throw new Problem('MISSING_FIELD', { field: `${at}.${required}` })
  checkRanges(field, kind, at)
}

/** Decimals are whole numbers of their last digit, of which there are at most so many. */
const LARGEST = 1e15

function checkRanges({ min, max, from, to, values, weights, decimals = 2 }: MockField, kind: Kind, at: string): void {
  if (kind === 'decimal' && Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0) + 1000) * 10 ** decimals >= LARGEST)
    throw new Problem('INVALID_PARAM', { field: `${at}.max`, allowed: 'numbers of at most 15 digits' })
  if (min !== undefined && max !== undefined && min > max)
    throw new Problem('INVALID_PARAM', { field: `${at}.max`, min })
  if (from !== undefined && to !== undefined && from > to)
    throw new Problem('INVALID_PARAM', { field: `${at}.to`, min: from })
  const isUneven = weights && (weights.length !== values!.length || !weights.some(weight => weight > 0))
  if (isUneven) throw new Problem('INVALID_PARAM', { field: `${at}.weights`, allowed: 'a weight for each value' })
}
