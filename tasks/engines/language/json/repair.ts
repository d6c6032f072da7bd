import { Cursor, type Repair, Unrepairable } from './cursor.ts'
import { NOTHING, type ReadOptions, readValue } from './values.ts'

interface RepairOptions extends ReadOptions {
  expect: 'object' | 'array' | 'any'
  /** What becomes of several values. */
  multiple: 'first' | 'array' | 'error'
  stripFences: boolean
}

interface Repaired {
  json: unknown
  /** Whether the text was no JSON, or no JSON of the kind that is expected. */
  changed: boolean
  repairs: Repair[]
}

/**
 * Makes JSON of a text that is nearly JSON. Nothing is added that is not in the text: what was cut off is left out, and
 * what can only be guessed is refused.
 */
export function repairJson(text: string, options: RepairOptions): Repaired {
  const valid = parseValid(text)
  if (valid && fits(valid.json, options.expect) && !holdsLongNumber(text, options)) {
    return { json: valid.json, changed: false, repairs: [] }
  }
  const region = findRegion(text, options)
  const unescaped = readEscaped(text, region)
  if (unescaped !== undefined) {
    const { json, repairs } = repairJson(unescaped, options)
    const removed = { position: region.start, kind: 'escapes removed' }
    return { json, changed: true, repairs: [...region.repairs, removed, ...repairs] }
  }
  const cursor = new Cursor(text, region.start, region.end)
  const values = readValues(cursor, options)
  const json = choose(values, options)
  if (values.length > 1) cursor.note('values put in a list', region.start)
  if (!fits(json, options.expect)) throw new Unrepairable(region.start, `it is no ${options.expect}`)
  const repairs = [...region.repairs, ...cursor.repairs]
  refuseProse(json, repairs)
  return { json, changed: true, repairs: repairs.sort((a, b) => a.position - b.position) }
}

/** JSON that was written into a text and cut out of it, as `{\\"a\\":1}`; it is taken only if it is whole. */
function readEscaped(text: string, { start, end }: Region): string | undefined {
  const escaped = text.slice(start, end)
  if (!/^[{[]\s*(?:\\n\s*)?\\"/.test(escaped)) return undefined
  const inner = parseValid(`"${escaped.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`)?.json
  if (typeof inner !== 'string' || !parseValid(inner)) throw new Unrepairable(start, 'it is escaped, and not whole')
  return inner
}

/** The values of the text: one, or all of them if they are wanted. */
function readValues(cursor: Cursor, options: RepairOptions): unknown[] {
  const values: unknown[] = []
  for (;;) {
    const value = readValue(cursor, options)
    if (value !== NOTHING) values.push(value)
    skipBetween(cursor)
    if (cursor.isAtEnd) return values
    if (value === NOTHING || !startsValue(cursor)) {
      cursor.note('text after the value removed')
      return values
    }
    if (options.multiple === 'error') throw new Unrepairable(cursor.at, 'there are several values')
    if (options.multiple === 'array') continue
    cursor.note('further values removed')
    return values
  }
}

/** Words in brackets within a text are no JSON. */
function refuseProse(json: unknown, repairs: readonly Repair[]): void {
  const has = (...kinds: string[]): boolean => repairs.some(({ kind }) => kinds.includes(kind))
  const isEmpty = typeof json === 'object' && json !== null && Object.keys(json).length === 0
  const isProse =
    has('text before the value removed', 'text after the value removed') &&
    has('text put in quotes', 'key put in quotes')
  if (isProse || (isEmpty && has('key without a value removed', 'cut value removed')))
    throw new Unrepairable(repairs[0]!.position, 'it is a text, not JSON')
}

function parseValid(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** Digits that JavaScript would lose are found only by reading them. */
function holdsLongNumber(text: string, { keepNumbersAsText }: ReadOptions): boolean {
  return keepNumbersAsText && /\d{16}|\d[eE][+-]?\d{3}/.test(text.replaceAll('.', ''))
}

function choose(values: readonly unknown[], { multiple }: RepairOptions): unknown {
  if (values.length === 0) throw new Unrepairable(0, 'there is no value')
  return multiple === 'array' && values.length > 1 ? values : values[0]
}

function fits(value: unknown, expect: RepairOptions['expect']): boolean {
  if (expect === 'array') return Array.isArray(value)
  return expect === 'any' || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

function skipBetween(cursor: Cursor): void {
  cursor.skipSpace()
  while (cursor.current === ',' || cursor.current === ';') {
    cursor.note('comma removed')
    cursor.at += 1
    cursor.skipSpace()
  }
}

function startsValue(cursor: Cursor): boolean {
  return /[[{]/.test(cursor.current)
}

interface Region {
  start: number
  end: number
  repairs: Repair[]
}

const FENCE = /```[\w-]*[ \t]*\n?/

/** Where the JSON is: in a fence, or from its first bracket on. Words around it are no part of it. */
function findRegion(text: string, { stripFences }: RepairOptions): Region {
  const repairs: Repair[] = []
  let [start, end] = [0, text.length]
  const fence = stripFences ? FENCE.exec(text) : null
  const bracket = text.search(/[{[]/)
  if (fence && (bracket < 0 || fence.index < bracket)) {
    start = fence.index + fence[0].length
    end = findFenceEnd(text, start)
    repairs.push({ position: fence.index, kind: 'fence removed' })
  }
  end = start + text.slice(start, end).trimEnd().length
  const inner = text.slice(start, end)
  const first = inner.search(/\S/)
  if (first < 0) throw new Unrepairable(start, 'there is no value')
  const isScalar = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[-+.\d]+(?:[eE][+-]?\d+)?|true|false|null|True|False|None)\s*$/s.test(
    inner.trim(),
  )
  if (/[{["'“]/.test(inner[first]!) || isScalar) return { start: start + first, end, repairs }
  const opening = inner.search(/[{[]/)
  if (opening < 0) throw new Unrepairable(start + first, 'it is a text, not JSON')
  repairs.push({ position: start, kind: 'text before the value removed' })
  return { start: start + opening, end: cutTail(text, start + opening, end), repairs }
}

const MAX_FENCES = 100

/** A text inside the JSON may hold fences too: the right one ends what is valid, or stands in a line of its own. */
function findFenceEnd(text: string, start: number): number {
  const fences = [...text.slice(start).matchAll(/```/g)].slice(0, MAX_FENCES).map(({ index }) => start + index)
  const valid = fences.find(end => parseValid(text.slice(start, end)))
  const alone = fences.find(
    end => /(?:^|\n)[ \t]*$/.test(text.slice(start, end).slice(-200)) && /^```\s*(?:\n|$)/.test(text.slice(end)),
  )
  return valid ?? alone ?? fences[0] ?? text.length
}

/** What follows the last bracket, such as the end of a call, is no part of it; unless the brackets were cut off. */
function cutTail(text: string, start: number, end: number): number {
  const last = Math.max(text.lastIndexOf('}', end - 1), text.lastIndexOf(']', end - 1))
  return last > start && /^[\s);,]*$/.test(text.slice(last + 1, end)) ? last + 1 : end
}
