import { Problem } from '#kit'

export const OPS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'between',
  'contains',
  'startsWith',
  'endsWith',
  'regex',
  'isNull',
  'notNull',
  'isEmpty',
] as const
export type Op = (typeof OPS)[number]

export interface Comparison {
  column: string
  op: Op
  value?: unknown
  valueColumn?: string
  caseInsensitive?: boolean
}

export type Condition = { all: Condition[] } | { any: Condition[] } | { not: Condition } | Comparison

const COMBINERS = ['all', 'any', 'not'] as const
const COMPARISON_KEYS = ['column', 'op', 'value', 'valueColumn', 'caseInsensitive']

/** Rejects keys that would have no effect, so that a slip never selects other rows than were meant. */
export function findCombiner(part: Record<string, unknown>): (typeof COMBINERS)[number] | undefined {
  const keys = Object.keys(part)
  const allowed = [...COMBINERS, ...COMPARISON_KEYS]
  const unknown = keys.find(key => !allowed.includes(key))
  if (unknown !== undefined) throw new Problem('UNKNOWN_FIELD', { field: `where.${unknown.slice(0, 100)}`, allowed })
  const combiner = COMBINERS.find(name => name in part)
  if (combiner && keys.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: keys.map(key => `where.${key}`) })
  const values = keys.filter(key => key === 'value' || key === 'valueColumn')
  if (values.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: values.map(key => `where.${key}`) })
  return combiner
}

export function malformedCondition(): Problem {
  return new Problem('INVALID_PARAM', { field: 'where', allowed: OPS })
}
