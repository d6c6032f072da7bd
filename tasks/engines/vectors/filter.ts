import { Problem } from '#kit'

const MAX_DEPTH = 5
const MAX_LEAVES = 50
const MAX_LIST = 100
const MAX_TEXT = 1_000

/** What a filter compares with. */
type Scalar = string | number | boolean

interface Walk {
  leaves: number
}

/**
 * The JSON path predicate that is true of the metadata that a filter lets pass, for Postgres. Every part of it is true or
 * false and never unknown, so that `$ne` and `$not` are the opposites of what they deny. Throws FILTER_INVALID.
 */
export function compileFilter(filter: unknown): string {
  return compileObject(filter, 'filter', 1, { leaves: 0 })
}

function compileObject(filter: unknown, path: string, depth: number, walk: Walk): string {
  if (!isRecord(filter)) throw invalid(path, 'An object is expected.')
  if (depth > MAX_DEPTH) throw invalid(path, `At most ${MAX_DEPTH} levels.`)
  const entries = Object.entries(filter)
  if (entries.length === 0) throw invalid(path, 'It is empty.')
  return join(
    entries.map(([name, value]) => compileMember(name, value, `${path}.${name}`, depth, walk)),
    '&&',
  )
}

function compileMember(name: string, value: unknown, path: string, depth: number, walk: Walk): string {
  if (name === '$not') return `!(${compileObject(value, path, depth + 1, walk)})`
  if (name === '$and' || name === '$or') {
    if (!Array.isArray(value) || value.length === 0) throw invalid(path, 'A list of filters is expected.')
    const parts = value.map((part, index) => compileObject(part, `${path}.${index}`, depth + 1, walk))
    return join(parts, name === '$and' ? '&&' : '||')
  }
  if (name.startsWith('$')) throw invalid(path, 'Only $and, $or and $not stand where a field does.')
  if (!isRecord(value)) return compileTest(name, '$eq', value, path, walk)
  const tests = Object.entries(value)
  if (tests.length === 0) throw invalid(path, 'It is empty.')
  return join(
    tests.map(([test, operand]) => compileTest(name, test, operand, `${path}.${test}`, walk)),
    '&&',
  )
}

const ORDER = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' } as const

function compileTest(field: string, test: string, operand: unknown, path: string, walk: Walk): string {
  walk.leaves += 1
  if (walk.leaves > MAX_LEAVES) throw invalid(path, `At most ${MAX_LEAVES} conditions.`)
  const place = `$.${quote(field, path)}`
  const some = (condition: string) => `exists(${place} ? (${condition}))`
  if (test === '$eq') return some(compare('==', operand, path))
  if (test === '$ne') return `!(${some(compare('==', operand, path))})`
  if (test === '$in') return some(compareWithAny(operand, path))
  if (test === '$nin') return `!(${some(compareWithAny(operand, path))})`
  if (Object.hasOwn(ORDER, test)) return some(compareInOrder(test as keyof typeof ORDER, operand, path))
  if (test === '$contains') return compileContains(place, operand, path)
  if (test !== '$exists') throw invalid(path, 'There is no such condition.')
  if (typeof operand !== 'boolean') throw invalid(path, 'true or false is expected.')
  return operand ? `exists(${place})` : `!(exists(${place}))`
}

function compare(operator: string, operand: unknown, path: string): string {
  return `@ ${operator} ${literal(operand, path)}`
}

function compareWithAny(operand: unknown, path: string): string {
  if (!Array.isArray(operand) || operand.length === 0 || operand.length > MAX_LIST)
    throw invalid(path, `A list of 1 to ${MAX_LIST} values is expected.`)
  return operand.map(value => compare('==', value, path)).join(' || ')
}

function compareInOrder(test: keyof typeof ORDER, operand: unknown, path: string): string {
  if (typeof operand === 'boolean') throw invalid(path, 'A number or a text is expected.')
  return compare(ORDER[test], operand, path)
}

/** A list that has the value, or a text that has the text in it. */
function compileContains(place: string, operand: unknown, path: string): string {
  if (typeof operand !== 'string') throw invalid(path, 'A text is expected.')
  const value = literal(operand, path)
  const inText = operand === '' ? '@.type() == "string"' : `@ like_regex ${value} flag "q"`
  const isList = `${place}.type() == "array"`
  return `((${isList} && exists(${place}[*] ? (@ == ${value}))) || (!(${isList}) && exists(${place} ? (${inText}))))`
}

function literal(value: unknown, path: string): string {
  if (typeof value === 'string') return quote(value, path)
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return spell(value)
  throw invalid(path, 'A text, a number or true or false is expected.')
}

/** A path has no literal of a number with a sign before an exponent's point, so negative ones stand in parentheses. */
function spell(value: Exclude<Scalar, string>): string {
  return typeof value === 'number' && (value < 0 || Object.is(value, -0)) ? `(${value})` : String(value)
}

function quote(text: string, path: string): string {
  if (text.length > MAX_TEXT) throw invalid(path, `At most ${MAX_TEXT} characters.`)
  if (text.includes('\0') || !text.isWellFormed()) throw invalid(path, 'It has characters that no text has.')
  return JSON.stringify(text)
}

function join(parts: readonly string[], operator: '&&' | '||'): string {
  return parts.length === 1 ? parts[0]! : `(${parts.join(` ${operator} `)})`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(path: string, reason: string): Problem {
  return new Problem('FILTER_INVALID', { path, reason })
}
