/** Names that no reading of a filter takes for a path or an operator. Others are not indexed, and then not asked for. */
const PLAIN_FIELD = /^[A-Za-z0-9_]{1,128}$/
const ORDER: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte'])

type Condition = Record<string, unknown>

/**
 * A filter in the words of Pinecone, which then lets pass whatever ours does. Undefined if some of it cannot be said so: `$not`,
 * an order of texts, parts of texts, the presence of a field, or a field whose name is not plain.
 */
export function translateFilter(filter: Record<string, unknown>): Condition | undefined {
  return join(
    '$and',
    Object.entries(filter).map(([name, value]) => translateMember(name, value)),
  )
}

function translateMember(name: string, value: unknown): Condition | undefined {
  if (name === '$and' || name === '$or') return join(name, (value as Condition[]).map(translateFilter))
  if (!PLAIN_FIELD.test(name)) return undefined
  if (typeof value !== 'object') return translateTest(name, '$eq', value)
  return join(
    '$and',
    Object.entries(value as Condition).map(([test, operand]) => translateTest(name, test, operand)),
  )
}

function translateTest(field: string, test: string, operand: unknown): Condition | undefined {
  if (test === '$eq') return { [field]: { $eq: operand } }
  if (test === '$ne') return orMissing(field, { [field]: { $ne: operand } })
  if (test === '$in') return equalAny(field, operand as unknown[])
  if (test === '$nin')
    return orMissing(field, { $and: (operand as unknown[]).map(value => ({ [field]: { $ne: value } })) })
  return ORDER.has(test) && typeof operand === 'number' ? { [field]: { [test]: operand } } : undefined
}

/** Its own lists of values have no booleans. */
function equalAny(field: string, values: readonly unknown[]): Condition {
  const isPlain = values.every(value => typeof value === 'string') || values.every(value => typeof value === 'number')
  return isPlain ? { [field]: { $in: values } } : { $or: values.map(value => ({ [field]: { $eq: value } })) }
}

/** To us, what a vector does not have is unlike any value. */
function orMissing(field: string, condition: Condition): Condition {
  return { $or: [{ [field]: { $exists: false } }, condition] }
}

function join(operator: '$and' | '$or', conditions: readonly (Condition | undefined)[]): Condition | undefined {
  if (conditions.includes(undefined)) return undefined
  return conditions.length === 1 ? conditions[0] : { [operator]: conditions }
}

/** The metadata that it takes. An empty list passes no test that is translated, as if it were missing. */
export function selectMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).filter(([name, value]) => PLAIN_FIELD.test(name) && isIndexable(value)),
  )
}

function isIndexable(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(part => typeof part === 'string')
  return ['string', 'number', 'boolean'].includes(typeof value)
}
