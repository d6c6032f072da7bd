import type { Conflict, Merged, MergeManner } from './merge-shape.ts'
import { isRecord, parseJson, sameJson, writeJson } from './tokens-shape.ts'

const GONE = Symbol('gone')
type Value = unknown | typeof GONE

interface Sides {
  base: Value
  ours: Value
  theirs: Value
}

/** Member by member; lists and plain values are taken whole. A conflict in the text is an object with its sides. */
export function mergeJson(texts: Record<'base' | 'ours' | 'theirs', string>, manner: MergeManner): Merged {
  const conflicts: Conflict[] = []
  const [base, ours, theirs] = (['base', 'ours', 'theirs'] as const).map(field => parseJson(texts[field], { field }))
  const merged = merge({ base, ours, theirs }, '', { manner, conflicts })
  return { text: merged === GONE ? '' : writeJson(merged, texts.ours), conflicts }
}

interface Work {
  manner: MergeManner
  conflicts: Conflict[]
}

function merge({ base, ours, theirs }: Sides, path: string, work: Work): Value {
  if (same(ours, theirs) || same(base, theirs)) return ours
  if (same(base, ours)) return theirs
  if (isRecord(ours) && isRecord(theirs)) return mergeObjects(isRecord(base) ? base : {}, ours, theirs, path, work)
  work.conflicts.push({ start: 0, end: 0, path, base: written(base), ours: written(ours), theirs: written(theirs) })
  return resolved({ base, ours, theirs }, work.manner)
}

function mergeObjects(
  base: Record<string, unknown>,
  ours: Record<string, unknown>,
  theirs: Record<string, unknown>,
  path: string,
  work: Work,
): Record<string, unknown> {
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs), ...Object.keys(base)])
  const entries: [string, unknown][] = []
  for (const key of keys) {
    const sides = { base: member(base, key), ours: member(ours, key), theirs: member(theirs, key) }
    const value = merge(sides, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, work)
    if (value !== GONE) entries.push([key, value])
  }
  return Object.fromEntries(entries)
}

function member(object: Record<string, unknown>, key: string): Value {
  return Object.hasOwn(object, key) ? object[key] : GONE
}

function same(left: Value, right: Value): boolean {
  return left === right || (left !== GONE && right !== GONE && sameJson(left, right))
}

function written(value: Value): string {
  return value === GONE ? '' : JSON.stringify(value)
}

function resolved({ base, ours, theirs }: Sides, { onConflict, labels, diff3Style }: MergeManner): Value {
  if (onConflict === 'ours' || onConflict === 'error') return ours
  if (onConflict === 'theirs') return theirs
  if (onConflict === 'union') return [ours, theirs].flat().filter(value => value !== GONE)
  const marks: [string, Value][] = [[`<<<<<<< ${labels.ours}`, ours]]
  if (diff3Style) marks.push([`||||||| ${labels.base}`, base])
  marks.push([`>>>>>>> ${labels.theirs}`, theirs])
  return Object.fromEntries(marks.map(([mark, value]) => [mark, value === GONE ? null : value]))
}
