export type PineconeFilter = Record<string, unknown>

const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, index) => sum + value * other[index]!, 0)

export function score(metric: 'cosine' | 'dotproduct' | 'euclidean', one: number[], other: number[]): number {
  if (metric === 'euclidean') return one.reduce((sum, value, index) => sum + (value - other[index]!) ** 2, 0)
  return metric === 'dotproduct' ? dot(one, other) : dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
}

type Test = (found: unknown, operand: unknown) => boolean

const isNumber = (value: unknown): value is number => typeof value === 'number'
const compare =
  (test: (one: number, other: number) => boolean): Test =>
  (found, operand) =>
    isNumber(found) && isNumber(operand) && test(found, operand)
const equals: Test = (found, operand) => [found].flat().includes(operand)

/** What a vector lacks passes no test but `$exists`; of a list, one of its texts has to match. */
const TESTS: Record<string, Test> = {
  $eq: equals,
  $ne: (found, operand) => found !== undefined && !equals(found, operand),
  $in: (found, operand) => (operand as unknown[]).some(value => equals(found, value)),
  $nin: (found, operand) => found !== undefined && !(operand as unknown[]).some(value => equals(found, value)),
  $gt: compare((one, other) => one > other),
  $gte: compare((one, other) => one >= other),
  $lt: compare((one, other) => one < other),
  $lte: compare((one, other) => one <= other),
  $exists: (found, operand) => (found !== undefined) === operand,
}

export function holds(filter: PineconeFilter, metadata: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([name, value]) => {
    const parts = value as PineconeFilter[]
    if (name === '$and') return parts.every(part => holds(part, metadata))
    if (name === '$or') return parts.some(part => holds(part, metadata))
    return Object.entries(value as object).every(([test, operand]) => TESTS[test]!(metadata[name], operand))
  })
}

/** Whether it is in its language: an order is of numbers, and lists of values are of texts or of numbers. */
export function isFilter(filter: PineconeFilter): boolean {
  return Object.entries(filter).every(([name, value]) => {
    if (name === '$and' || name === '$or') return (value as PineconeFilter[]).every(isFilter)
    return !name.startsWith('$') && Object.entries(value as object).every(([test, operand]) => isTest(test, operand))
  })
}

function isTest(test: string, operand: unknown): boolean {
  if (test === '$exists') return typeof operand === 'boolean'
  if (test === '$in' || test === '$nin')
    return (
      Array.isArray(operand) &&
      new Set(operand.map(value => typeof value)).size === 1 &&
      typeof operand[0] !== 'boolean'
    )
  if (test === '$eq' || test === '$ne') return ['string', 'number', 'boolean'].includes(typeof operand)
  return test in TESTS && typeof operand === 'number'
}
