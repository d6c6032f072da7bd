import type { Database } from '../database.ts'
import type { Column } from '../read/types.ts'
import { literal, name } from '../sql-text.ts'

/** By column with values, or values within objects and lists, that JSON would spell in another way: the same as columns are written. */
export async function spellNested(
  database: Database,
  relation: string,
  columns: readonly Column[],
): Promise<ReadonlyMap<string, string>> {
  const types = await describeTypes(database, relation, columns, ['json', 'number'])
  return mapDefined(types, (type, from) => spell(type, from, 0))
}

/** By column with objects and lists that may hold Infinity or NaN: whether those of a row do. */
export async function findNestedLosses(
  database: Database,
  relation: string,
  columns: readonly Column[],
): Promise<ReadonlyMap<string, string>> {
  const types = await describeTypes(database, relation, columns, ['json'])
  return mapDefined(types, (type, from) => findLoss(type, from, 0))
}

/** By column of these types of ours: the type of the engine. */
async function describeTypes(
  database: Database,
  relation: string,
  columns: readonly Column[],
  wanted: readonly string[],
): Promise<[string, string][]> {
  const listed = columns.filter(({ type }) => wanted.includes(type)).map(column => name(column.name))
  if (listed.length === 0) return []
  const found = await database.rows<{ column_name: string; column_type: string }>(
    `DESCRIBE SELECT ${listed.join(', ')} FROM ${relation}`,
  )
  return found.map(({ column_name, column_type }) => [column_name, column_type])
}

function mapDefined(
  types: readonly [string, string][],
  describe: (type: string, from: string) => string | undefined,
): ReadonlyMap<string, string> {
  return new Map(
    types.flatMap(([column, type]) => {
      const described = describe(type, name(column))
      return described === undefined ? [] : [[column, described] as const]
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
  if (type === 'DOUBLE') return `CASE WHEN isfinite(${from}) THEN ${from} END`
  // As a number of 64 bits, 0.1 of 32 bits would be 0.10000000149011612.
  if (type === 'FLOAT') return `CASE WHEN isfinite(${from}) THEN ${from}::VARCHAR::DOUBLE END`
  return type === 'BLOB' ? `to_base64(${from})` : undefined
}

function spellItems(type: string, from: string, depth: number): string | undefined {
  const item = `item${depth}`
  const spelled = spell(type, item, depth + 1)
  return spelled && `list_transform(${from}, lambda ${item}: ${spelled})`
}

function spellFields(parts: readonly string[], from: string, depth: number): string | undefined {
  const fields = readFields(parts, from).map(field => ({ ...field, spelled: spell(field.type, field.value, depth) }))
  if (fields.every(({ spelled }) => spelled === undefined)) return undefined
  const cells = fields.map(({ field, value, spelled }) => `${literal(field)}: ${spelled ?? value}`)
  return `CASE WHEN ${from} IS NOT NULL THEN {${cells.join(', ')}} END`
}

function readFields(parts: readonly string[], from: string) {
  return parts.map(part => {
    const [, quoted, plain, type] = /^(?:"((?:[^"]|"")*)"|(\S+)) (.*)$/s.exec(part)!
    const field = quoted?.replaceAll('""', '"') ?? plain!
    return { field, value: `struct_extract(${from}, ${literal(field)})`, type: type! }
  })
}

function spellValues([, type]: readonly string[], from: string, depth: number): string | undefined {
  const entry = `item${depth}`
  const spelled = spell(type!, `${entry}.value`, depth + 1)
  return (
    spelled &&
    `map_from_entries(list_transform(map_entries(${from}), lambda ${entry}: {'key': ${entry}.key, 'value': ${spelled}}))`
  )
}

/** Whether a value of a type of the engine holds a number that JSON lacks; undefined if it cannot. */
function findLoss(type: string, from: string, depth: number): string | undefined {
  if (type === 'DOUBLE' || type === 'FLOAT') return `coalesce(NOT isfinite(${from}), false)`
  if (type.endsWith(']')) return findLossOfItems(type.replace(/\[\d*\]$/, ''), from, depth)
  if (type.startsWith('MAP(')) return findLossOfItems(splitParts(type)[1]!, `map_values(${from})`, depth)
  if (!type.startsWith('STRUCT(')) return undefined
  const losses = readFields(splitParts(type), from).flatMap(field => findLoss(field.type, field.value, depth) ?? [])
  return losses.length === 0 ? undefined : `(${losses.join(' OR ')})`
}

function findLossOfItems(type: string, from: string, depth: number): string | undefined {
  const item = `item${depth}`
  const loss = findLoss(type, item, depth + 1)
  return loss && `coalesce(len(list_filter(${from}, lambda ${item}: ${loss})) > 0, false)`
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
