import type { Cursor } from './cursor.ts'

const CLOSING: Record<string, string> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“',
  '‘': '’',
  '«': '»',
  '´': '´',
}
const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '/': '/',
  '\\': '\\',
  '`': '`',
}
const CONTROL: Record<string, true> = { '\n': true, '\r': true, '\t': true }

export function isQuote(character: string): boolean {
  return character in CLOSING
}

/** A string in any quotes. One that is never closed ends with the text; what is in it stays as it is. */
export function readString(cursor: Cursor): string {
  const opening = cursor.current
  const start = cursor.at
  if (opening !== '"') cursor.note('quotes replaced')
  cursor.at += 1
  const value = readContent(cursor, opening, start)
  return joinParts(cursor, value)
}

function readContent(cursor: Cursor, opening: string, start: number): string {
  let value = ''
  for (;;) {
    if (cursor.isAtEnd) {
      cursor.note('unclosed string closed', start)
      return value
    }
    const character = cursor.current
    if (character === '\\') value += readEscape(cursor)
    else if (closes(cursor, character, opening)) {
      cursor.at += 1
      return value
    } else value += readPlain(cursor, opening)
  }
}

function readPlain(cursor: Cursor, opening: string): string {
  const character = cursor.current
  if (CONTROL[character]) cursor.note('line break in a string escaped')
  if (character === opening) cursor.note('quote in a string escaped')
  cursor.at += 1
  return character
}

/** A quote ends a string if what follows can follow a string. */
function closes(cursor: Cursor, character: string, opening: string): boolean {
  const closing = CLOSING[opening]!
  if (character !== closing && !(opening === '“' && character === '"')) return false
  const next = cursor.peekFrom(cursor.at + 1)
  if (next === '' || next === '}' || next === ']' || next === ':' || next === ')') return true
  if (next === ',') return isAfterComma(cursor)
  if (next === '/' || next === '#' || next === '+' || next === '=' || next === ';') return true
  // Two strings in a row lack a comma, if the second is one.
  const between = cursor.text.slice(cursor.at + 1, cursor.text.indexOf(next, cursor.at + 1))
  return between.includes('\n') || (between !== '' && isQuote(next))
}

/** `"a", "b"` ends at the comma; `"he said "yes", then left"` does not. */
function isAfterComma(cursor: Cursor): boolean {
  const comma = cursor.text.indexOf(',', cursor.at + 1)
  const after = cursor.text.slice(comma + 1, comma + 81).trimStart()
  const isLast = cursor.text.indexOf(cursor.current, cursor.at + 1) < 0
  if (isLast || after === '' || /^(?:\.\.\.|…)/.test(after) || /^[\]}[{"'“‘`\d\-/#]/.test(after)) return true
  if (/^(?:true|false|null|True|False|None|NaN|undefined|Infinity)\b/.test(after)) return true
  return /^[\p{L}_$][\p{L}\p{N}_$-]*\s*(?::|=)/u.test(after)
}

function readEscape(cursor: Cursor): string {
  const start = cursor.at
  const next = cursor.text[start + 1]
  const isCut = start + 1 >= cursor.end || (next === 'u' && start + 6 > cursor.end)
  if (next === undefined || isCut) {
    cursor.note('cut escape removed')
    cursor.at = cursor.end
    return ''
  }
  const code = readCode(cursor)
  if (code !== undefined) return code
  cursor.at += 2
  if (next === '\n') {
    cursor.note('continued line joined', start)
    return ''
  }
  const value = ESCAPES[next]
  if (value === undefined) cursor.note('backslash escaped', start)
  else if (next === "'" || next === '`') cursor.note('escape rewritten', start)
  return value ?? `\\${next}`
}

/** `\\u00e9`, and `\\xe9` of programs. */
function readCode(cursor: Cursor): string | undefined {
  const rest = cursor.text.slice(cursor.at + 1, cursor.at + 6)
  const [found, unicode, byte] = /^(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(rest) ?? []
  if (found === undefined) return undefined
  if (byte !== undefined) cursor.note('escape rewritten')
  cursor.at += 1 + found.length
  return String.fromCharCode(Number.parseInt(unicode ?? byte!, 16))
}

/** `"a" + "b"` of programs is one string. */
function joinParts(cursor: Cursor, first: string): string {
  let value = first
  for (;;) {
    const start = cursor.at
    const [plus] = /^\s*\+\s*/.exec(cursor.text.slice(cursor.at, Math.min(cursor.end, cursor.at + 200))) ?? []
    if (plus === undefined || !isQuote(cursor.text[cursor.at + plus.length] ?? '')) return value
    cursor.at += plus.length
    cursor.note('strings joined', start)
    const opening = cursor.current
    const from = cursor.at
    cursor.at += 1
    value += readContent(cursor, opening, from)
  }
}
