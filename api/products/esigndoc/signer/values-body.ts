import { Type } from 'typebox'

export const Values = Type.Unsafe<Record<string, unknown>>({
  type: 'object',

  additionalProperties: true,
  description: 'By the id of the field: a text, true or false, or null for none.',
})
