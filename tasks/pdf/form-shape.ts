import { Type } from 'typebox'
import { Choice, exactlyOne, Problem } from '#kit'
import { lettersOf } from './stamp-shape.ts'

type Value = string | number | boolean | string[] | null

const MOST_TEXT = 100_000

export const FieldValues = Type.Unsafe<Record<string, Value>>({
  type: 'object',
  maxProperties: 5000,
  additionalProperties: {
    anyOf: [
      { type: 'string', maxLength: MOST_TEXT },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'array', items: { type: 'string', maxLength: MOST_TEXT }, maxItems: 1000 },
      { type: 'null' },
    ],
  },
  description: 'Values by the full names of their fields; null clears one.',
})

const Value = Type.Unsafe<Value>({
  anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
})

export const FormField = Type.Object({
  name: Type.String(),
  type: Choice(['text', 'checkbox', 'radio', 'select', 'multiselect', 'button', 'signature']),
  value: Value,
  defaultValue: Value,
  options: Type.Optional(Type.Array(Type.Object({ value: Type.String(), label: Type.String() }))),
  required: Type.Boolean(),
  readOnly: Type.Boolean(),
  maxLength: Type.Optional(Type.Integer()),
  multiline: Type.Optional(Type.Boolean()),
  tooltip: Type.Optional(Type.String()),
  page: Type.Unsafe<number | null>({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }),
  rect: Type.Unsafe<number[] | null>({
    anyOf: [{ type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 }, { type: 'null' }],
    description: 'Left, top, right, bottom in points from the top left corner of the page as it is seen.',
  }),
})

export interface FormInput {
  action: string
  values?: Record<string, Value>
  records?: Record<string, Value>[]
  font?: string
  fontSize?: number
}

/** What is to be filled in goes with filling and with nothing else. */
export function checkAction({ action, values, records }: FormInput): void {
  const given = Object.entries({ values, records }).filter(([, value]) => value !== undefined)
  if (action === 'fill') exactlyOne({ values, records }, ['values', 'records'])
  else if (given.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', given[0]![0]] })
}

export function looksWish({ font, fontSize }: FormInput) {
  return { ...lettersOf(font), isForced: font !== undefined && font !== 'auto', fontSize }
}
