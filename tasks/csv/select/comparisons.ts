import type { Warning } from '#kit'
import type { Op } from '../../formats/tables/condition.ts'

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
const ISO_DAY = /^\d{4}-\d{2}-\d{2}/
const ORDERING: ReadonlySet<Op> = new Set<Op>(['gt', 'gte', 'lt', 'lte', 'between'])

function compareValues(one: string, two: string): number {
  if (NUMBER.test(one.trim()) && NUMBER.test(two.trim())) return Number(one) - Number(two)
  return one < two ? -1 : one > two ? 1 : 0
}

export const COMPARISONS: Record<
  Exclude<Op, 'regex' | 'isNull' | 'notNull' | 'isEmpty'>,
  (text: string, values: string[]) => boolean
> = {
  eq: (text, [value]) => text === value,
  ne: (text, [value]) => text !== value,
  gt: (text, [value]) => compareValues(text, value!) > 0,
  gte: (text, [value]) => compareValues(text, value!) >= 0,
  lt: (text, [value]) => compareValues(text, value!) < 0,
  lte: (text, [value]) => compareValues(text, value!) <= 0,
  in: (text, values) => values.includes(text),
  nin: (text, values) => !values.includes(text),
  between: (text, [low, high]) => compareValues(text, low!) >= 0 && compareValues(text, high!) <= 0,
  contains: (text, [value]) => text.includes(value!),
  startsWith: (text, [value]) => text.startsWith(value!),
  endsWith: (text, [value]) => text.endsWith(value!),
}

/**
 * Whether the order of a cell and of what it is compared with is that of their letters, though a number or a day is meant:
 * 1.234,56 or 31.12.2025.
 */
export function findTextOrder(op: Op, value: unknown): ((text: string) => boolean) | undefined {
  if (!ORDERING.has(op)) return undefined
  const values = [value].flat()
  const [isDay, isNumber] = [ISO_DAY, NUMBER].map(form => values.some(item => form.test(String(item))))
  if (isDay) return text => text.trim() !== '' && !ISO_DAY.test(text)
  return isNumber ? text => text.trim() !== '' && !NUMBER.test(text.trim()) : undefined
}

export function warnOfTextOrder(columns: ReadonlySet<string>): Warning[] {
  return [...columns].map(column => ({
    code: 'COMPARED_AS_TEXT',
    message: `Cells of the column ${column} are no numbers or days as the value is, and were compared letter by letter; data.cast makes numbers or dates of them.`,
  }))
}
