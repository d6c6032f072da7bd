import type { Database } from '../database.ts'
import type { Column } from '../read/types.ts'
import { literal, name } from '../sql-text.ts'

/** By column with values within objects and lists that JSON would spell in another way: the same as columns are written. */
export async function spellNested(
  database: Database,
  relation: string,
  columns: readonly Column[],
): Promise<ReadonlyMap<string, string>> {
  const nested = columns.filter(({ type }) => type === 'json').map(column => name(column.name))
  if (nested.length === 0) return new Map()
  const found = await database.rows<{ column_name: string; column_type: string }>(
    `DESCRIBE SELECT ${nested.join(', ')} FROM ${relation}`,
  )
  return new Map(
    found.flatMap(({ column_name, column_type }) => {
      const spelled = spell(column_type, name(column_name), 0)
      return spelled === undefined ? [] : [[column_name, spelled] as const]
    }),
  )
}

/** A value of a type of the engine; undefined if JSON spells it well. */
function spell(type: string, from: string, depth: number): string | undefined {
  if (type.endsWith(']')) return spellItems(type.replace(/\[\d*\]$/, ''), from, depth)
  if (type.startsWith('STRUCT(')) return spellFields(splitParts(type), from, depth)
  if (type.startsWith('MAP(')) return spellValues(splitParts(type), from, depth)
  if (type === 'TIMESTAMP WITH TIME ZONE') return `(replace((${from} AT TIME ZONE 'UTC')::VARCHAR, ' ', 'T') || 'Z')`
  if (/^TIMESTAMP(?:_S|_MS|_NS)?$/.test(type)) return `replace(${from}::VARCHAR, ' ', 'T')`
  if (type === 'DOUBLE' || type === 'FLOAT') return `CASE WHEN isfinite(${from}) THEN ${from} END`
  return type === 'BLOB' ? `to_base64(${from})` : undefined
}

function spellItems(type: string, from: string, depth: number): string | undefined {
  const item = `item${depth}`
  const spelled = spell(type, item, depth + 1)
  return spelled && `list_transform(${from}, lambda ${item}: ${spelled})`
}

function spellFields(parts: readonly string[], from: string, depth: number): string | undefined {
  const fields = parts.map(part => {
    const [, quoted, plain, type] = /^(?:"((?:[^"]|"")*)"|(\S+)) (.*)$/s.exec(part)!
    const field = quoted?.replaceAll('""', '"') ?? plain!
    const value = `struct_extract(${from}, ${literal(field)})`
    return { field, value, spelled: spell(type!, value, depth) }
  })
  if (fields.every(({ spelled }) => spelled === undefined)) return undefined
  const cells = fields.map(({ field, value, spelled }) => `${literal(field)}: ${spelled ?? value}`)
  return `CASE WHEN ${from} IS NOT NULL THEN {${cells.join(', ')}} END`
}

function spellValues([, type]: readonly string[], from: string, depth: number): string | undefined {
  const entry = `item${depth}`
  const spelled = spell(type!, `${entry}.value`, depth + 1)
  return (
    spelled &&
    `map_from_entries(list_transform(map_entries(${from}), lambda ${entry}: {'key': ${entry}.key, 'value': ${spelled}}))`
  )
}

const QUOTED_OR_MARK = /"(?:[^"]|"")*"|'(?:[^']|'')*'|[(),]/g

/** What a type has in its brackets, parted by commas. */
function splitParts(type: string): string[] {
  const inner = type.slice(type.indexOf('(') + 1, -1)
  const parts: string[] = []
  let [start, depth] = [0, 0]
  for (const { 0: mark, index } of inner.matchAll(QUOTED_OR_MARK)) {
    if (mark === '(') depth++
    else if (mark === ')') depth--
    else if (mark === ',' && depth === 0) {
      parts.push(inner.slice(start, index).trim())
      start = index + 1
    }
  }
  return [...parts, inner.slice(start).trim()]
}
