import { Problem, type ProblemCode } from '#kit'
import type { StepCall } from '../../plan.ts'

/** Whether the columns of a result depend on the rows that the step works on. */
export function needsRows({ op, params }: Pick<StepCall, 'op' | 'params'>): boolean {
  const { direction, separator, onError, method } = params as Partial<Record<string, string>>
  if (op === 'pivot') return direction === 'wide'
  if (op === 'explode') return separator === undefined
  // Integers stay integers where none is missing.
  if (op === 'fillna') return method === 'mean' || method === 'median' || method === 'interpolate'
  return op === 'cast' && onError === 'keep'
}

/** What any run over such columns would answer. Other problems may come of there being no rows. */
const SCHEMA_FAULTS = new Set<ProblemCode>([
  'AGG_TYPE',
  'COLUMN_EXISTS',
  'COLUMN_NOT_FOUND',
  'CONFLICTING_OPTIONS',
  'EXPRESSION_FORBIDDEN',
  'EXPRESSION_INVALID',
  'INVALID_PARAM',
  'MISSING_FIELD',
  'REGEX_INVALID',
  'SCHEMA_MISMATCH',
  'SQL_FORBIDDEN',
  'SQL_SYNTAX',
])

export function requireSchemaFault(error: unknown): undefined {
  if (error instanceof Problem && !SCHEMA_FAULTS.has(error.code)) return undefined
  throw error
}
