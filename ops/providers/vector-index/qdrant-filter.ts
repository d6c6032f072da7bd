/** Fields whose names need no quotes in a path of Qdrant's. */
const PLAIN_FIELD = /^[A-Za-z0-9_]{1,128}$/
const ORDER: Readonly<Record<string, string>> = { $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' }

type Condition = Record<string, unknown>

/**
 * A filter in the words of Qdrant, which then means exactly the same. Undefined if some of it cannot be said so: an order of
 * texts, parts of texts, the presence of an empty list, or a field whose name needs quotes.
 */
export function translateFilter(filter: Record<string, unknown>): Condition | undefined {
  return all(Object.entries(filter).map(([name, value]) => translateMember(name, value)))
}

function translateMember(name: string, value: unknown): Condition | undefined {
  if (name === '$not') return negate(translateFilter(value as Condition))
  if (name === '$and') return all((value as Condition[]).map(translateFilter))
  if (name === '$or') return any((value as Condition[]).map(translateFilter))
  if (!PLAIN_FIELD.test(name)) return undefined
  if (typeof value !== 'object') return translateTest(name, '$eq', value)
  return all(Object.entries(value as Condition).map(([test, operand]) => translateTest(name, test, operand)))
}

function translateTest(field: string, test: string, operand: unknown): Condition | undefined {
  const key = `metadata.${field}`
  if (test === '$eq') return equal(key, operand)
  if (test === '$ne') return negate(equal(key, operand))
  if (test === '$in') return any((operand as unknown[]).map(value => equal(key, value)))
  if (test === '$nin') return negate(any((operand as unknown[]).map(value => equal(key, value))))
  const bound = ORDER[test]
  return bound && typeof operand === 'number' ? { key, range: { [bound]: operand } } : undefined
}

/** Qdrant matches no fractions, so numbers are ranges of one. */
function equal(key: string, value: unknown): Condition {
  return typeof value === 'number' ? { key, range: { gte: value, lte: value } } : { key, match: { value } }
}

function negate(condition: Condition | undefined): Condition | undefined {
  return condition && { must_not: [condition] }
}

function all(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  return conditions.includes(undefined) ? undefined : { must: conditions }
}

function any(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  return conditions.includes(undefined) ? undefined : { should: conditions }
}
