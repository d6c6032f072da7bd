import { Type } from 'typebox'
import { type Condition, OPS } from './condition.ts'

export const Where = Type.Unsafe<Condition>({
  type: 'object',
  additionalProperties: true,
  description: `{all|any: [...]}, {not: ...} or {column, op, value|valueColumn, caseInsensitive}; op is one of ${OPS.join(', ')}.`,
})
