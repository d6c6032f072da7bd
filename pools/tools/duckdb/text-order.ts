import type { Warning } from '#kit'
import type { Predicate, SortKeys } from '../../../tasks/formats/tables/steps/rows.ts'
import { columnOf, type Relation } from './relation.ts'
import { literal, name } from './sql-text.ts'
import type { Work } from './work.ts'

// Amounts such as 1.234,56 and days such as 31.12.2025 are texts. Their order by letters is seldom the one that is meant.

const ORDERING = new Set(['gt', 'gte', 'lt', 'lte', 'between'])
const ISO_DAY = /^\d{4}-\d{2}-\d{2}/

/** Says which columns of text a condition compares with numbers or days. */
export function warnOfTextComparisons(where: Predicate, table: Relation): Warning[] {
  const columns = new Set(listComparisons(where).filter(wanted => columnOf(table, wanted).type === 'string'))
  return [...columns].map(column => describe(column, 'compared with the value'))
}

function listComparisons(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(listComparisons)
  if (typeof part !== 'object' || part === null) return []
  const { column, op, value, all, any, not } = part as Record<string, unknown>
  if (typeof column !== 'string') return [all, any, not].flatMap(listComparisons)
  const isOrdered = ORDERING.has(String(op)) && [value].flat().some(isNumberOrDay)
  return isOrdered ? [column] : []
}

function isNumberOrDay(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && ISO_DAY.test(value))
}

const AMOUNT = `[-+(]?[€$£¥]? ?(\\d+|\\d{1,3}([.'  ]\\d{3})+|\\d{1,3}(,\\d{3})+)([.,]\\d+)? ?[%€$£¥]?\\)?`
const DAY = `\\d{1,2}[./-]\\d{1,2}[./-]\\d{4}`

/** Of a long table the first rows tell. */
const ROWS = 10_000

/** Says which columns were sorted as texts though all of their values are amounts or days. */
export async function warnOfTextOrder(work: Work, table: Relation, keys: SortKeys): Promise<Warning[]> {
  const texts = keys
    .filter(({ natural, collate }) => !natural && collate === undefined)
    .map(({ column }) => columnOf(table, column))
    .filter(({ type }) => type === 'string')
  const warnings: Warning[] = []
  for (const { name: column } of texts) {
    const value = `trim(${name(column)})`
    const misfits = `count(*) FILTER (${value} <> '' AND NOT regexp_full_match(${value}, ${literal(`${AMOUNT}|${DAY}`)}))`
    const written = `count(*) FILTER (regexp_matches(${value}, '\\d\\D') OR regexp_matches(${value}, '\\D\\d'))`
    const first = `(SELECT ${name(column)} FROM ${table.as} LIMIT ${ROWS})`
    const isOdd = `SELECT (${misfits} = 0 AND ${written} > 0)::INTEGER FROM ${first}`
    if ((await work.database.count(isOdd)) === 1) warnings.push(describe(column, 'sorted'))
  }
  return warnings
}

function describe(column: string, done: string): Warning {
  const message = `The column ${column} holds texts and was ${done} letter by letter; data.cast makes numbers or dates of them.`
  return { code: 'COMPARED_AS_TEXT', message }
}
