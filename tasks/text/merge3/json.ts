import { formatJsonLike, isRecord, isSameJson, parseJson } from '../../formats/diff/json.ts'
import type { Conflict, Merged, MergeOptions } from './merge.ts'

const MISSING = Symbol('gone')
type Value = unknown | typeof MISSING

interface Sides {
  base: Value
  ours: Value
  theirs: Value
}

/** Merges JSON member by member; lists and scalars are taken as a whole. A conflict becomes an object with both sides. */
export function mergeJson(texts: Record<'base' | 'ours' | 'theirs', string>, options: MergeOptions): Merged {
  const conflicts: Conflict[] = []
  const [base, ours, theirs] = (['base', 'ours', 'theirs'] as const).map(field => parseJson(texts[field], { field }))
  const merged = merge({ base, ours, theirs }, '', { options, conflicts })
  return { text: merged === MISSING ? '' : formatJsonLike(merged, texts.ours), conflicts }
}

interface MergeContext {
  options: MergeOptions
  conflicts: Conflict[]
}

function merge({ base, ours, theirs }: Sides, path: string, context: MergeContext): Value {
  if (isSame(ours, theirs) || isSame(base, theirs)) return ours
  if (isSame(base, ours)) return theirs
  if (isRecord(ours) && isRecord(theirs)) return mergeObjects(isRecord(base) ? base : {}, ours, theirs, path, context)
  context.conflicts.push({
    start: 0,
    end: 0,
    path,
    base: formatValue(base),
    ours: formatValue(ours),
    theirs: formatValue(theirs),
  })
  return resolveConflict({ base, ours, theirs }, context.options)
}

function mergeObjects(
  base: Record<string, unknown>,
  ours: Record<string, unknown>,
  theirs: Record<string, unknown>,
  path: string,
  work: MergeContext,
): Record<string, unknown> {
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs), ...Object.keys(base)])
  const entries: [string, unknown][] = []
  for (const key of keys) {
    const sides = { base: getMember(base, key), ours: getMember(ours, key), theirs: getMember(theirs, key) }
    const value = merge(sides, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, work)
    if (value !== MISSING) entries.push([key, value])
  }
  return Object.fromEntries(entries)
}

function getMember(object: Record<string, unknown>, key: string): Value {
  return Object.hasOwn(object, key) ? object[key] : MISSING
}

function isSame(left: Value, right: Value): boolean {
  return left === right || (left !== MISSING && right !== MISSING && isSameJson(left, right))
}

function formatValue(value: Value): string {
  return value === MISSING ? '' : JSON.stringify(value)
}

function resolveConflict({ base, ours, theirs }: Sides, { onConflict, labels, diff3Style }: MergeOptions): Value {
  if (onConflict === 'ours' || onConflict === 'error') return ours
  if (onConflict === 'theirs') return theirs
  if (onConflict === 'union') return [ours, theirs].flat().filter(value => value !== MISSING)
  const marks: [string, Value][] = [[`<<<<<<< ${labels.ours}`, ours]]
  if (diff3Style) marks.push([`||||||| ${labels.base}`, base])
  marks.push([`>>>>>>> ${labels.theirs}`, theirs])
  return Object.fromEntries(marks.map(([mark, value]) => [mark, value === MISSING ? null : value]))
}
