import { findColumn } from '../../formats/tables/column-names.ts'
import {
  type Comparison,
  type Condition,
  findCombiner,
  malformedCondition,
  OPS,
} from '../../formats/tables/condition.ts'
import { type Rows, readCell } from '../../formats/tables/rows.ts'
import { COMPARISONS, findTextOrder } from './comparisons.ts'

type Check = (rows: Rows) => boolean

/** Tests texts against a pattern. */
type MatchTexts = (texts: readonly string[], pattern: string, isCaseless: boolean) => Promise<boolean[]>

interface Reading {
  matches: MatchTexts
  /** Gets the columns whose cells are compared by their letters where a number or a day is meant. */
  comparedAsText: Set<string>
}

const MAX_CONDITIONS = 1000

/** Compiles a condition. Values are compared as text, except that order is numeric if both are numbers. */
export async function compileCondition(condition: Condition, rows: Rows, reading: Reading): Promise<Check> {
  let left = MAX_CONDITIONS
  return build(condition, 0)

  async function build(part: unknown, depth: number): Promise<Check> {
    if (depth > 20 || --left < 0 || typeof part !== 'object' || part === null) throw malformedCondition()
    const given = part as Record<string, unknown>
    const combiner = findCombiner(given)
    if (!combiner) return compileComparison(given as unknown as Comparison, rows, reading)
    const inner = given[combiner]
    if (combiner === 'not') return checkNot(await build(inner, depth + 1))
    if (!Array.isArray(inner)) throw malformedCondition()
    const checks = await Promise.all(inner.map(condition => build(condition, depth + 1)))
    return combiner === 'all' ? checkAll(checks) : checkAny(checks)
  }
}

function checkAll(checks: Check[]): Check {
  return rows => checks.every(check => check(rows))
}

function checkAny(checks: Check[]): Check {
  return rows => checks.some(check => check(rows))
}

function checkNot(check: Check): Check {
  return rows => !check(rows)
}

async function compileComparison(condition: Comparison, rows: Rows, reading: Reading): Promise<Check> {
  const { column, op, value, valueColumn, caseInsensitive = false } = condition
  if (typeof column !== 'string' || !OPS.includes(op) || typeof caseInsensitive !== 'boolean')
    throw malformedCondition()
  const index = findColumn(rows.columns, column)
  if (op === 'isNull' || op === 'notNull') return row => (readCell(row, index) === undefined) === (op === 'isNull')
  if (op === 'isEmpty') return row => (readCell(row, index) ?? '').trim() === ''
  if (op === 'regex') return compilePattern(rows, index, String(value), caseInsensitive, reading.matches)
  const plain = (text: string) => (caseInsensitive ? text.toLowerCase() : text)
  const compare = COMPARISONS[op]
  if (valueColumn !== undefined) {
    const other = findColumn(rows.columns, valueColumn)
    return row => {
      const [one, two] = [readCell(row, index), readCell(row, other)]
      return one !== undefined && two !== undefined && compare(plain(one), [plain(two)])
    }
  }
  const values = [value].flat().map(item => plain(String(item)))
  if (value === undefined || (op === 'between' && values.length !== 2)) throw malformedCondition()
  const isTextOrder = findTextOrder(op, value)
  return row => {
    const text = readCell(row, index)
    if (text === undefined) return op === 'ne' || op === 'nin'
    if (isTextOrder?.(text)) reading.comparedAsText.add(rows.columns[index]!)
    return compare(plain(text), values)
  }
}

/** Tests every distinct text in advance, because the pattern engine is asynchronous. */
async function compilePattern(
  rows: Rows,
  index: number,
  pattern: string,
  isCaseless: boolean,
  matches: MatchTexts,
): Promise<Check> {
  const texts = new Set<string>()
  while (rows.next()) {
    const text = readCell(rows, index)
    if (text !== undefined) texts.add(text)
  }
  rows.rewind()
  const list = [...texts]
  const fits = await matches(list, pattern, isCaseless)
  const fitting = new Set(list.filter((_, at) => fits[at]))
  return row => {
    const text = readCell(row, index)
    return text !== undefined && fitting.has(text)
  }
}
