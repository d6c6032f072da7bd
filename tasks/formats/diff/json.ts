import { Problem } from '#kit'
import { isNestedDeeper, MAX_JSON_DEPTH } from '../json/depth.ts'
import { normalizeNumber } from '../json/numbers.ts'

/** JSON.rawJSON keeps the text of a number; TypeScript's library does not declare it yet. */
interface RawJson {
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}
const rawJson = JSON as unknown as RawJson

/** Parses JSON so that its numbers are written again exactly as they were. */
export function parseJson(text: string, hints: object = {}): unknown {
  if (isNestedDeeper(Buffer.from(text)))
    throw new Problem('JSON_PARSE_FAILED', { ...hints, detail: `nested deeper than ${MAX_JSON_DEPTH}` })
  try {
    return JSON.parse(text, keepNumberText as (this: unknown, key: string, value: unknown) => unknown)
  } catch (error) {
    throw new Problem('JSON_PARSE_FAILED', { ...hints, detail: (error as Error).message.slice(0, 200) })
  }
}

function keepNumberText(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined || String(value) === context.source) return value
  return rawJson.rawJSON(context.source)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !rawJson.isRawJSON(value)
}

/** Sorts the keys of every object, so that equal content gives equal text. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isRecord(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map(key => [key, sortKeys(value[key])]))
}

/** Compares by content: members in any order, and numbers by their exact value, as RFC 6902 says. */
export function isSameJson(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(normalizeJson(left)) === JSON.stringify(normalizeJson(right))
}

function normalizeJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeJson)
  if (Number.isFinite(value) || rawJson.isRawJSON(value)) return rawJson.rawJSON(normalizeNumber(JSON.stringify(value)))
  if (!isRecord(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map(key => [key, normalizeJson(value[key])]))
}

/** Writes JSON with the indentation and the final line end of the text `like`. */
export function formatJsonLike(value: unknown, like: string): string {
  const indent = /^[[{]\r?\n([ \t]+)/.exec(like.trimStart())?.[1] ?? ''
  return `${JSON.stringify(value, null, indent)}${/\n\s*$/.test(like) ? '\n' : ''}`
}
