import { Type } from 'typebox'
import { Problem } from '#kit'
import { columnIndex } from './columns-shape.ts'
import { type Rows, textAt } from './rows-shape.ts'

const OPS = [
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
type Op = (typeof OPS)[number]

export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { column: string; op: Op; value?: unknown; valueColumn?: string; caseInsensitive?: boolean }

export const Where = Type.Unsafe<Condition>({
  type: 'object',
  additionalProperties: true,
  description: `{all|any: [...]}, {not: ...} or {column, op, value|valueColumn, caseInsensitive}; op is one of ${OPS.join(', ')}.`,
})

type Check = (rows: Rows) => boolean

/** Runs a pattern over texts; see the tool. */
export type MatchTexts = (texts: readonly string[], pattern: string, isCaseless: boolean) => Promise<boolean[]>

const MOST_CONDITIONS = 1000

/** Compares as text; larger and smaller by number where both are numbers. */
export async function checkFor(condition: Condition, rows: Rows, matches: MatchTexts): Promise<Check> {
  let left = MOST_CONDITIONS
  return build(condition, 0)

  async function build(part: unknown, depth: number): Promise<Check> {
    if (depth > 20 || --left < 0 || typeof part !== 'object' || part === null) throw malformed()
    const { all, any, not } = part as { all?: unknown; any?: unknown; not?: unknown }
    if (Array.isArray(all)) return every(await Promise.all(all.map(inner => build(inner, depth + 1))))
    if (Array.isArray(any)) return some(await Promise.all(any.map(inner => build(inner, depth + 1))))
    if (not !== undefined) return negated(await build(not, depth + 1))
    return single(part as Single, rows, matches)
  }
}

function malformed(): Problem {
  return new Problem('INVALID_PARAM', { field: 'where', allowed: OPS })
}

function every(checks: Check[]): Check {
  return rows => checks.every(check => check(rows))
}

function some(checks: Check[]): Check {
  return rows => checks.some(check => check(rows))
}

function negated(check: Check): Check {
  return rows => !check(rows)
}

interface Single {
  column: string
  op: Op
  value?: unknown
  valueColumn?: string
  caseInsensitive?: boolean
}

async function single(condition: Single, rows: Rows, matches: MatchTexts): Promise<Check> {
  const { column, op, value, valueColumn, caseInsensitive = false } = condition
  if (typeof column !== 'string' || !OPS.includes(op)) throw malformed()
  const index = columnIndex(rows.columns, column)
  if (op === 'isNull' || op === 'notNull') return row => (textAt(row, index) === undefined) === (op === 'isNull')
  if (op === 'isEmpty') return row => (textAt(row, index) ?? '').trim() === ''
  if (op === 'regex') return patternCheck(rows, index, String(value), caseInsensitive, matches)
  const plain = (text: string) => (caseInsensitive ? text.toLowerCase() : text)
  const compare = COMPARES[op]
  if (valueColumn !== undefined) {
    const other = columnIndex(rows.columns, valueColumn)
    return row => {
      const [one, two] = [textAt(row, index), textAt(row, other)]
      return one !== undefined && two !== undefined && compare(plain(one), [plain(two)])
    }
  }
  const values = [value].flat().map(item => plain(String(item)))
  if (value === undefined || (op === 'between' && values.length !== 2)) throw malformed()
  return row => {
    const text = textAt(row, index)
    return text === undefined ? op === 'ne' || op === 'nin' : compare(plain(text), values)
  }
}

/** Every different text is tried once beforehand, since the engine of patterns works elsewhere. */
async function patternCheck(
  rows: Rows,
  index: number,
  pattern: string,
  isCaseless: boolean,
  matches: MatchTexts,
): Promise<Check> {
  const texts = new Set<string>()
  while (rows.next()) {
    const text = textAt(rows, index)
    if (text !== undefined) texts.add(text)
  }
  rows.rewind()
  const list = [...texts]
  const fits = await matches(list, pattern, isCaseless)
  const fitting = new Set(list.filter((_, at) => fits[at]))
  return row => {
    const text = textAt(row, index)
    return text !== undefined && fitting.has(text)
  }
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

function order(one: string, two: string): number {
  if (NUMBER.test(one.trim()) && NUMBER.test(two.trim())) return Number(one) - Number(two)
  return one < two ? -1 : one > two ? 1 : 0
}

const COMPARES: Record<
  Exclude<Op, 'regex' | 'isNull' | 'notNull' | 'isEmpty'>,
  (text: string, values: string[]) => boolean
> = {
  eq: (text, [value]) => text === value,
  ne: (text, [value]) => text !== value,
  gt: (text, [value]) => order(text, value!) > 0,
  gte: (text, [value]) => order(text, value!) >= 0,
  lt: (text, [value]) => order(text, value!) < 0,
  lte: (text, [value]) => order(text, value!) <= 0,
  in: (text, values) => values.includes(text),
  nin: (text, values) => !values.includes(text),
  between: (text, [low, high]) => order(text, low!) >= 0 && order(text, high!) <= 0,
  contains: (text, [value]) => text.includes(value!),
  startsWith: (text, [value]) => text.startsWith(value!),
  endsWith: (text, [value]) => text.endsWith(value!),
}
