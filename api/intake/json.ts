import { isAscii, isUtf8 } from 'node:buffer'
import { Problem } from '#kit'

const MAX_DEPTH = 64
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Below this, even the deepest nesting is parsed in no time; what reads the value later bounds its own depth. */
const UNSCANNED_BYTES = 64 * 1024

/** Parses a body, refusing what is not UTF-8, nests too deep, or carries a key that could poison an object. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length > UNSCANNED_BYTES) checkDepth(bytes)
  const text = textOf(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem('INVALID_JSON', { reason: placeOf(error) })
  }
  if (isSuspect(text)) checkKeys(value)
  return value
}

function textOf(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) throw new Problem('INVALID_JSON', { reason: 'It is not UTF-8.' })
  return bytes.toString('utf8')
}

/** The parser's own words hold pieces of the body, which belongs into no log; only the place is told. */
function placeOf(error: unknown): string {
  const place = /at position (\d+)/.exec(String(error))?.[1]
  return place === undefined ? 'It ends too early or is malformed.' : `It is malformed at byte ${place}.`
}

function checkDepth(bytes: Buffer): void {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === 0x7b || byte === 0x5b) depth++
    else if (byte === 0x7d || byte === 0x5d) depth--
    if (depth > MAX_DEPTH) throw new Problem('INVALID_JSON', { reason: `It nests deeper than ${MAX_DEPTH}.` })
  }
}

/** Leaps from quote to quote, so that long strings cost nothing. */
function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(QUOTE, start + 1)
  while (end > 0 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1)
  return end < 0 ? bytes.length : end
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let slashes = 0
  while (bytes[at - 1 - slashes] === BACKSLASH) slashes++
  return slashes % 2 === 1
}

/** Keys may be written in escapes, so a body with any is looked at as well. */
function isSuspect(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes('\\u')
}

function checkKeys(value: unknown): void {
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    if (Object.hasOwn(next, '__proto__') || isPoisonedConstructor(next)) {
      throw new Problem('INVALID_JSON', { reason: 'It has a key that is not allowed.' })
    }
    for (const part of Object.values(next)) waiting.push(part)
  }
}

function isPoisonedConstructor(object: object): boolean {
  if (!Object.hasOwn(object, 'constructor')) return false
  const value: unknown = object.constructor
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
