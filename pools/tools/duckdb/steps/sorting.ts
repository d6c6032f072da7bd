import { Problem } from '#kit'
import type { SortKeys } from '../../../../tasks/formats/tables/steps/rows.ts'
import { toText } from '../read/types.ts'
import { columnOf, type Relation, ROW } from '../relation.ts'
import { name } from '../sql-text.ts'
import type { Work } from '../work.ts'

/** The terms of an ORDER BY. `isWhole` adds the number of the row, so that equal rows keep their order. */
export async function orderBy(work: Work, table: Relation, keys: SortKeys, isWhole: boolean): Promise<string> {
  const terms: string[] = []
  for (const key of keys) {
    const column = columnOf(table, key.column)
    const value = key.natural ? naturalKey(toText(column)) : name(column.name)
    const collation = key.collate === undefined ? '' : ` COLLATE ${await checkCollation(work, key.collate)}`
    const from = collation && !key.natural ? toText(column) : value
    terms.push(`${from}${collation} ${key.dir.toUpperCase()} NULLS ${key.nulls.toUpperCase()}`)
  }
  return [...terms, ...(isWhole ? [ROW] : [])].join(', ')
}

async function checkCollation(work: Work, collate: string): Promise<string> {
  try {
    await work.database.count(`SELECT ('a' COLLATE ${collate} < 'b')::INTEGER`)
  } catch {
    throw new Problem('INVALID_PARAM', {
      field: 'by.collate',
      value: collate,
      allowed: 'a language such as de, sv or fr_ca',
    })
  }
  return collate
}

const DIGITS = 40

/** A text in which every number has the same length, so that it is compared by value. */
function naturalKey(text: string): string {
  const padded = `lpad(ltrim(p, '0'), greatest(${DIGITS}, length(p))::INTEGER, '0')`
  const part = `lambda p: CASE WHEN regexp_full_match(p, '\\d+') THEN ${padded} ELSE p END`
  return `array_to_string(list_transform(regexp_extract_all(lower(${text}), '\\d+|\\D+'), ${part}), '')`
}
