import { Type } from 'typebox'
import { Choice, exactlyOne, Problem } from '#kit'
import type { FieldValue } from '../../formats/pdf/document.ts'
import { chooseTextStyle } from '../../formats/pdf/fonts.ts'

const MAX_TEXT_LENGTH = 100_000

export const FieldValues = Type.Unsafe<Record<string, FieldValue>>({
  type: 'object',
  maxProperties: 5000,
  additionalProperties: {
    anyOf: [
      { type: 'string', maxLength: MAX_TEXT_LENGTH },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'array', items: { type: 'string', maxLength: MAX_TEXT_LENGTH }, maxItems: 1000 },
      { type: 'null' },
    ],
  },
  description: 'Values by full field name; null clears a field.',
})

const CurrentValue = Type.Unsafe<FieldValue>({
  anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
})

export const FormField = Type.Object({
  name: Type.String(),
  type: Choice(['text', 'checkbox', 'radio', 'select', 'multiselect', 'button', 'signature']),
  value: CurrentValue,
  defaultValue: CurrentValue,
  options: Type.Optional(Type.Array(Type.Object({ value: Type.String(), label: Type.String() }))),
  required: Type.Boolean(),
  readOnly: Type.Boolean(),
  maxLength: Type.Optional(Type.Integer()),
  multiline: Type.Optional(Type.Boolean()),
  tooltip: Type.Optional(Type.String()),
  page: Type.Unsafe<number | null>({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }),
  rect: Type.Unsafe<number[] | null>({
    anyOf: [{ type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 }, { type: 'null' }],
    description: 'Left, top, right, bottom in points from the top left corner of the page as displayed.',
  }),
})

export interface FormInput {
  action: string
  values?: Record<string, FieldValue>
  records?: Record<string, FieldValue>[]
  font?: string
  fontSize?: number
}

/** Values and records are only valid for `fill`, which needs exactly one of them. */
export function checkAction({ action, values, records }: FormInput): void {
  const given = Object.entries({ values, records }).filter(([, value]) => value !== undefined)
  if (action === 'fill') exactlyOne({ values, records }, ['values', 'records'])
  else if (given.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', given[0]![0]] })
}

export function chooseFieldTextStyle({ font, fontSize }: FormInput) {
  return { ...chooseTextStyle(font), isEmbeddedOnly: font !== undefined && font !== 'auto', fontSize }
}
