import { type Cursor, Unrepairable } from './cursor.ts'
import { isQuote, readString } from './strings.ts'

const MAX_DEPTH = 256
const LITERALS: Record<string, unknown> = {
  ...{
    true: true,
    false: false,
    null: null,
    True: true,
    False: false,
    None: null,
    TRUE: true,
    FALSE: false,
    NULL: null,
  },
  ...{ undefined: null, nil: null, NaN: null, Infinity: null, '-Infinity': null },
}
const PLAIN_LITERALS = ['true', 'false', 'null']
const NUMBER = /^[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\p{L}\p{N}_$])/u
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const WORD = /^[\p{L}_$@.-][\p{L}\p{N}_$@.-]*/u

export interface ReadOptions {
  /** Numbers that JSON cannot hold as they are written stay text. */
  keepNumbersAsText: boolean
}

/** Stands for what is not there: a value that was cut off before it began. */
export const NOTHING = Symbol('nothing')

/** A value, however it is written; NOTHING if there is none. */
export function readValue(cursor: Cursor, options: ReadOptions, depth = 0): unknown {
  cursor.skipSpace()
  if (depth > MAX_DEPTH) throw new Unrepairable(cursor.at, `nested deeper than ${MAX_DEPTH}`)
  const character = cursor.current
  if (character === '') return NOTHING
  if (character === '{') return readObject(cursor, options, depth)
  if (character === '[' || character === '(') return readList(cursor, options, depth)
  if (isQuote(character)) return readString(cursor)
  return readScalar(cursor, options, depth > 0)
}

function readObject(cursor: Cursor, options: ReadOptions, depth: number): unknown {
  const start = cursor.at
  const object: Record<string, unknown> = {}
  cursor.at += 1
  for (let count = 0; ; count++) {
    // Of an object that was cut off within its first key, nothing is known.
    const isCut = cursor.isAtEnd && depth > 0 && count > 0 && Object.keys(object).length === 0
    if (closesHere(cursor, '}', count, start)) return isCut ? NOTHING : object
    addMember(cursor, object, options, depth)
  }
}

function addMember(cursor: Cursor, object: Record<string, unknown>, options: ReadOptions, depth: number): void {
  const start = cursor.at
  const key = readKey(cursor)
  const hasValue = key !== undefined && findColon(cursor, key, start)
  const value = hasValue ? readMember(cursor, options, depth) : NOTHING
  if (key === undefined || value === NOTHING) {
    cursor.note('key without a value removed', start)
    return
  }
  if (Object.hasOwn(object, key)) cursor.note('repeated key: the last value is kept', start)
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Whether a value may follow a key. What stands there alone may be a part of the value before it: `1,234`. */
function findColon(cursor: Cursor, key: string, start: number): boolean {
  cursor.skipSpace()
  if (cursor.current === ':') cursor.at += 1
  else if (cursor.startsWith('=>')) skipAs(cursor, 2, 'colon added')
  else if (cursor.current === '=') skipAs(cursor, 1, 'colon added')
  else if (cursor.isAtEnd) return false
  else if (!/[,}\]]/.test(cursor.current)) cursor.note('colon added')
  else if (/^(?:\.{2,}|…)$/.test(key)) return false
  else throw new Unrepairable(start, 'a key without a value, or a part of the value before it')
  return true
}

function readMember(cursor: Cursor, options: ReadOptions, depth: number): unknown {
  cursor.skipSpace()
  if (/[,}\]]/.test(cursor.current)) return NOTHING
  return readValue(cursor, options, depth + 1)
}

function skipAs(cursor: Cursor, length: number, kind: string): void {
  cursor.note(kind)
  cursor.at += length
}

/** Undefined if the text ends within it, so that it may be a part of another key. */
function readKey(cursor: Cursor): string | undefined {
  if (isQuote(cursor.current)) return readString(cursor)
  const [word] = /^[^\s:=,{}[\]"'`]+/u.exec(cursor.text.slice(cursor.at, Math.min(cursor.end, cursor.at + 1_000))) ?? []
  if (word === undefined) throw new Unrepairable(cursor.at, 'a key is expected')
  cursor.note('key put in quotes')
  cursor.at += word.length
  return cursor.isAtEnd ? undefined : word
}

function readList(cursor: Cursor, options: ReadOptions, depth: number): unknown[] {
  const start = cursor.at
  const isTuple = cursor.current === '('
  if (isTuple) cursor.note('parentheses replaced')
  const list: unknown[] = []
  cursor.at += 1
  for (let count = 0; ; count++) {
    if (closesHere(cursor, isTuple ? ')' : ']', count, start)) return list
    const value = readValue(cursor, options, depth + 1)
    if (value !== NOTHING) list.push(value)
  }
}

/** Whether the object or the list ends here; else goes on to the next member, past its comma. */
function closesHere(cursor: Cursor, closing: string, count: number, start: number): boolean {
  cursor.skipSpace()
  const comma = cursor.at
  const commas = skipCommas(cursor)
  if (cursor.current === closing) {
    if (commas > 0) cursor.note('comma removed', comma)
    cursor.at += 1
    return true
  }
  // Another bracket closes what is around this one, so this one was never closed.
  if (cursor.isAtEnd || /[}\])]/.test(cursor.current)) {
    cursor.note('unclosed bracket closed', start)
    return true
  }
  const wanted = count > 0 ? 1 : 0
  if (commas !== wanted) cursor.note(commas < wanted ? 'comma added' : 'comma removed', comma)
  return false
}

const SEPARATORS: [string, string | undefined][] = [
  [',', undefined],
  [';', 'comma added'],
  ['...', 'ellipsis removed'],
  ['…', 'ellipsis removed'],
]

/** How many commas stand here; an ellipsis is none. */
function skipCommas(cursor: Cursor): number {
  let commas = 0
  for (;;) {
    const separator = SEPARATORS.find(([mark]) => cursor.startsWith(mark))
    if (!separator) return commas
    const [mark, kind] = separator
    if (kind !== undefined) cursor.note(kind)
    if (mark.length === 1 && mark !== '…') commas += 1
    cursor.at += mark.length
    cursor.skipSpace()
  }
}

function readScalar(cursor: Cursor, { keepNumbersAsText }: ReadOptions, isInside: boolean): unknown {
  const rest = cursor.text.slice(cursor.at, Math.min(cursor.end, cursor.at + 400))
  const number = NUMBER.exec(rest)?.[0]
  if (number !== undefined) return readNumber(cursor, number, keepNumbersAsText, isInside)
  const word = WORD.exec(rest)?.[0] ?? ''
  if (word in LITERALS && Object.hasOwn(LITERALS, word)) {
    if (!PLAIN_LITERALS.includes(word)) cursor.note('value rewritten')
    cursor.at += word.length
    return LITERALS[word]
  }
  const call = /^[A-Za-z_$][\w$.]*\(\s*/.exec(rest)?.[0]
  if (call !== undefined) return readCall(cursor, call, { keepNumbersAsText })
  return readBareText(cursor)
}

/** `ObjectId("a")` and `Decimal('1')` stand for what is in them. */
function readCall(cursor: Cursor, call: string, options: ReadOptions): unknown {
  cursor.note('call replaced by its argument')
  cursor.at += call.length
  const value = readValue(cursor, options, 1)
  cursor.skipSpace()
  if (cursor.current !== ')') throw new Unrepairable(cursor.at, 'a value is expected')
  cursor.at += 1
  return value
}

function readNumber(cursor: Cursor, text: string, keepAsText: boolean, isInside: boolean): unknown {
  const start = cursor.at
  cursor.at += text.length
  // More digits may have followed, unless a line or a fence ends there.
  if (isInside && cursor.isAtEnd && !/[\n\r`]/.test(cursor.text[cursor.end] ?? '')) {
    cursor.note('cut value removed', start)
    return NOTHING
  }
  const isLong = JSON_NUMBER.test(text) && !isExact(text)
  if (JSON_NUMBER.test(text) && !(keepAsText && isLong)) return Number(text)
  cursor.note(isLong ? 'number kept as text' : 'number rewritten', start)
  const plain = text.replaceAll('_', '').replace(/^\+/, '')
  const hasLeadingZero = /^-?0\d/.test(plain)
  if (keepAsText && (hasLeadingZero || isLong)) return text
  return plain.startsWith('-0x') ? -Number(plain.slice(1)) : Number(plain)
}

/** Whether a number of JavaScript has all of its digits. */
function isExact(text: string): boolean {
  const value = Number(text)
  const digits = listDigits(text)
  const isHeld = Number.isFinite(value) && (value !== 0 || digits === '')
  return isHeld && (digits.length <= 15 || digits === listDigits(String(value)))
}

function listDigits(number: string): string {
  return number
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replaceAll(/^0+|0+$/g, '')
}

/** A word without quotes, up to where it must end. */
function readBareText(cursor: Cursor): unknown {
  const start = cursor.at
  while (!cursor.isAtEnd && !/[,}\]\n"{[]/.test(cursor.current)) cursor.at += 1
  const text = cursor.text.slice(start, cursor.at).trim()
  if (text === '') throw new Unrepairable(start, 'a value is expected')
  // A word that the text cut off may have been true, a number or the beginning of anything.
  if (cursor.isAtEnd && /^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\+)$/.test(text)) {
    cursor.note('cut value removed', start)
    return NOTHING
  }
  cursor.note('text put in quotes', start)
  return text
}
