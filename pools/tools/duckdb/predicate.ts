import { Problem } from '#kit'
import {
  type Comparison,
  type Condition,
  findCombiner,
  malformedCondition,
  OPS,
} from '../../../tasks/formats/tables/condition.ts'
import { countDecimalDigits, isNumberText } from '../../../tasks/formats/tables/number-text.ts'
import type { Predicate } from '../../../tasks/formats/tables/steps/rows.ts'
import { type Column, NUMERIC, toEngineType, toText } from './read/types.ts'
import { columnOf, type Relation } from './relation.ts'
import { literal, name } from './sql-text.ts'
import type { Work } from './work.ts'

const [MAX_CONDITIONS, MAX_DEPTH] = [1000, 20]

/** A predicate of the caller as SQL, which is never NULL. */
export async function compilePredicate(work: Work, where: Predicate, table: Relation, field: string): Promise<string> {
  if (typeof where === 'string') return `coalesce(${await work.expression(where, field)}, false)`
  let left = MAX_CONDITIONS
  return build(where, 0)

  async function build(part: unknown, depth: number): Promise<string> {
    const isCondition = typeof part === 'object' && part !== null && !Array.isArray(part)
    if (depth > MAX_DEPTH || --left < 0 || !isCondition) throw malformedCondition()
    const given = part as Record<string, unknown>
    const combiner = findCombiner(given)
    if (!combiner) return `coalesce(${await compileComparison(work, given as unknown as Comparison, table)}, false)`
    if (combiner === 'not') return `(NOT ${await build(given.not, depth + 1)})`
    return combine(combiner, given[combiner], depth + 1)
  }

  async function combine(combiner: 'all' | 'any', inner: unknown, depth: number): Promise<string> {
    if (!Array.isArray(inner)) throw malformedCondition()
    const parts: string[] = []
    for (const condition of inner as Condition[]) parts.push(await build(condition, depth))
    if (parts.length === 0) return String(combiner === 'all')
    return `(${parts.join(combiner === 'all' ? ' AND ' : ' OR ')})`
  }
}

const ORDER: Record<string, string> = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' }

async function compileComparison(work: Work, condition: Comparison, table: Relation): Promise<string> {
  const { column: wanted, op, value, valueColumn, caseInsensitive = false } = condition
  if (typeof wanted !== 'string' || !OPS.includes(op) || typeof caseInsensitive !== 'boolean')
    throw malformedCondition()
  const column = columnOf(table, wanted)
  const plainCheck = checkPresence(column, op)
  if (plainCheck) return plainCheck
  if (op === 'regex') return compilePattern(work, column, value, caseInsensitive)
  if (valueColumn !== undefined) return compareColumns(column, columnOf(table, valueColumn), condition)
  const values = [value].flat()
  if (value === undefined || !isExpectedCount(op, values.length)) throw malformedCondition()
  return compareValues(work, table, column, condition, values)
}

function checkPresence(column: Column, op: string): string | undefined {
  const from = name(column.name)
  if (op === 'isNull') return `${from} IS NULL`
  if (op === 'notNull') return `${from} IS NOT NULL`
  return op === 'isEmpty' ? `trim(coalesce(${toText(column)}, '')) = ''` : undefined
}

function isExpectedCount(op: string, count: number): boolean {
  if (op === 'in' || op === 'nin') return true
  return count === (op === 'between' ? 2 : 1)
}

async function compilePattern(work: Work, column: Column, value: unknown, isCaseless: boolean): Promise<string> {
  if (typeof value !== 'string') throw malformedCondition()
  const options = isCaseless ? ", 'i'" : ''
  const pattern = literal(value)
  try {
    await work.database.count(`SELECT regexp_matches('', ${pattern}${options})`)
  } catch (error) {
    throw new Problem('REGEX_INVALID', { detail: (error as Error).message.slice(0, 200) })
  }
  return `regexp_matches(${toText(column)}, ${pattern}${options})`
}

function compareColumns(one: Column, two: Column, { op, caseInsensitive = false }: Comparison): string {
  const isSame = one.type === two.type || (NUMERIC.test(one.type) && NUMERIC.test(two.type))
  if (ORDER[op] && isSame && !caseInsensitive) {
    const [left, right] = [name(one.name), name(two.name)]
    return `${left} ${ORDER[op]} ${right}`
  }
  return compareTexts(plain(toText(one), caseInsensitive), op, [plain(toText(two), caseInsensitive)])
}

async function compareValues(
  work: Work,
  table: Relation,
  column: Column,
  { op, caseInsensitive = false }: Comparison,
  values: unknown[],
): Promise<string> {
  const isText = ['contains', 'startsWith', 'endsWith'].includes(op)
  const isTyped = !isText && column.type !== 'string' && column.type !== 'json' && !caseInsensitive
  if (!isTyped) {
    const texts = values.map(value => plain(literal(String(value)), caseInsensitive))
    return orNull(compareTexts(plain(toText(column), caseInsensitive), op, texts), column, op)
  }
  const operands: string[] = []
  for (const value of values) operands.push(await toOperand(work, table, column, value))
  return orNull(compareTexts(name(column.name), op, operands), column, op)
}

function plain(text: string, isCaseless: boolean): string {
  return isCaseless ? `lower(${text})` : text
}

/** A missing value differs from every value. */
function orNull(sql: string, column: Column, op: string): string {
  return op === 'ne' || op === 'nin' ? `(${sql} OR ${name(column.name)} IS NULL)` : sql
}

function compareTexts(left: string, op: string, [first, ...rest]: string[]): string {
  if (op === 'in' || op === 'nin')
    return first === undefined
      ? String(op === 'nin')
      : `${left} ${op === 'nin' ? 'NOT ' : ''}IN (${[first, ...rest].join(', ')})`
  if (op === 'between') return `${left} BETWEEN ${first} AND ${rest[0]}`
  if (op === 'contains') return `contains(${left}, ${first})`
  if (op === 'startsWith') return `starts_with(${left}, ${first})`
  if (op === 'endsWith') return `ends_with(${left}, ${first})`
  return `${left} ${ORDER[op]} ${first}`
}

/** Every integer of fewer digits is one. */
const HUGEINT_DIGITS = 38

/** A value as the type of its column; a value that is none of that type is a mistake of the caller. */
async function toOperand(work: Work, table: Relation, { name: column, type }: Column, value: unknown): Promise<string> {
  const plain = String(value)
  const text = literal(plain)
  const target = NUMERIC.test(type) ? findNumberTarget(type, plain) : toComparedType(type, plain)
  const cast = `try_cast(${text} AS ${target})`
  const isSure = target === 'HUGEINT' && plain.length < HUGEINT_DIGITS
  const isWrong = value === null || (!isSure && (await work.database.count(`SELECT (${cast} IS NULL)::INTEGER`)) === 1)
  if (isWrong) throw new Problem('INVALID_PARAM', { field: 'where', column, type, value })
  return NUMERIC.test(type) && isRounded(value)
    ? findRounded(work, table, { name: column, type }, value)
    : `CAST(${text} AS ${target})`
}

/** What a number is compared as; with decimals exactly, if one has the digits of both. */
function findNumberTarget(type: string, text: string): string {
  if (/^[+-]?\d+$/.test(text)) return 'HUGEINT'
  if (!type.startsWith('decimal') || !isNumberText(text)) return 'DOUBLE'
  const { whole, scale } = countDecimalDigits(text)
  const [, precision, places] = /\((\d+),(\d+)\)/.exec(type)!.map(Number) as [number, number, number]
  const digits = Math.max(whole, precision - places) + Math.max(scale, places)
  return digits > HUGEINT_DIGITS ? 'DOUBLE' : `DECIMAL(${Math.max(1, whole + scale)},${scale})`
}

function toComparedType(type: string, text: string): string {
  return type === 'date' && text.length > 10 ? 'TIMESTAMP' : toEngineType(type)
}

/** Readers of JSON round integers of so many digits, so that the caller may have written another one. */
function isRounded(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** The only value of the column that is rounded to the same number, if there is one. */
async function findRounded(
  work: Work,
  { as }: Relation,
  { name: column, type }: Column,
  value: number,
): Promise<string> {
  const asDouble = `CAST(${literal(String(value))} AS DOUBLE)`
  if (type === 'number') return asDouble
  const cell = name(column)
  const { count, found } = await work.database.row<{ count: number; found: string | null }>(
    `SELECT count(DISTINCT ${cell})::INTEGER AS count, min(${cell})::VARCHAR AS found FROM ${as} WHERE CAST(${cell} AS DOUBLE) = ${asDouble}`,
  )
  if (count > 1) {
    const hint = 'give a number of more than 15 digits as a string, because it is rounded in JSON'
    throw new Problem('INVALID_PARAM', { field: 'where', column, type, value, hint })
  }
  return found === null ? asDouble : `CAST(${literal(found)} AS ${toEngineType(type)})`
}
