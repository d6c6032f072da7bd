import type { Warning } from '#kit'
import { isRecord, isSameJson } from '../../formats/diff/json.ts'
import { normalizeNumber } from '../../formats/json/numbers.ts'

interface PatchStep {
  op: 'add' | 'remove' | 'replace'
  path: string
  value?: unknown
}

/** Creates an RFC 6902 patch that turns `left` into `right`. */
export function createJsonPatch(left: unknown, right: unknown, path = ''): PatchStep[] {
  if (left === right) return []
  if (isRecord(left) && isRecord(right)) return patchObjects(left, right, path)
  if (Array.isArray(left) && Array.isArray(right)) return patchLists(left, right, path)
  return isSameJson(left, right) ? [] : [{ op: 'replace', path, value: right }]
}

function patchObjects(left: Record<string, unknown>, right: Record<string, unknown>, path: string): PatchStep[] {
  const place = (key: string) => `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const gone = Object.keys(left).filter(key => !Object.hasOwn(right, key))
  return [
    ...gone.map((key): PatchStep => ({ op: 'remove', path: place(key) })),
    ...Object.keys(right).flatMap((key): PatchStep[] =>
      Object.hasOwn(left, key)
        ? createJsonPatch(left[key], right[key], place(key))
        : [{ op: 'add', path: place(key), value: right[key] }],
    ),
  ]
}

/** Equal items at both ends are kept; the rest is patched item by item, and surplus items are added or removed. */
function patchLists(left: unknown[], right: unknown[], path: string): PatchStep[] {
  const shorter = Math.min(left.length, right.length)
  let head = 0
  while (head < shorter && isSameJson(left[head], right[head])) head++
  let tail = 0
  while (tail < shorter - head && isSameJson(left.at(-1 - tail), right.at(-1 - tail))) tail++
  const [from, to] = [left.slice(head, left.length - tail), right.slice(head, right.length - tail)]
  const both = Math.min(from.length, to.length)
  return [
    ...from.slice(0, both).flatMap((item, index) => createJsonPatch(item, to[index], `${path}/${head + index}`)),
    ...from.slice(both).map((): PatchStep => ({ op: 'remove', path: `${path}/${head + both}` })),
    ...to.slice(both).map((value, index): PatchStep => ({ op: 'add', path: `${path}/${head + both + index}`, value })),
  ]
}

interface PatchAnswer {
  jsonPatch: object[]
  jsonPatchText?: string
  warnings: Warning[]
}

const ROUNDED: Warning = {
  code: 'NUMBER_ROUNDED',
  message: 'Numbers of jsonPatch are rounded to doubles; jsonPatchText has every digit.',
}

/** Numbers that a double cannot hold are exact only in a text: most readers of JSON would round them anyway. */
export function answerJsonPatch(left: unknown, right: unknown): PatchAnswer {
  const patch = createJsonPatch(left, right)
  const text = JSON.stringify(patch)
  const jsonPatch = JSON.parse(text, keepFinite) as object[]
  return isSameJson(jsonPatch, patch)
    ? { jsonPatch, warnings: [] }
    : { jsonPatch, jsonPatchText: text, warnings: [ROUNDED] }
}

/** JSON has no infinity, which a larger number would become. */
function keepFinite(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value)) : value
}

const NUMBER_LINE = /^(\s*(?:"(?:[^"\\]|\\.)*": )?)(-?\d[\d.eE+-]*)(?=,?\n$)/

/** What a line of sorted, indented JSON is compared by: its number by value. */
export function normalizeJsonLine(line: string): string {
  return line.replace(NUMBER_LINE, (_, start: string, number: string) => `${start}${normalizeNumber(number)}`)
}
