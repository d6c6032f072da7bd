import { isAscii, isUtf8 } from 'node:buffer'
import { Problem } from '#kit'
import { isNestedDeeper } from '../../../tasks/formats/json/depth.ts'

const MAX_DEPTH = 64

/** Parses a body. Refuses invalid UTF-8, deep nesting, and keys that could pollute a prototype. */
export function parseJson(bytes: Buffer): unknown {
  if (isNestedDeeper(bytes, MAX_DEPTH))
    throw new Problem('INVALID_JSON', { reason: `It nests deeper than ${MAX_DEPTH}.` })
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

/** The parser's message quotes the body, which must not be logged; only the position is told. */
function placeOf(error: unknown): string {
  const place = /at position (\d+)/.exec(String(error))?.[1]
  return place === undefined ? 'It ends too early or is malformed.' : `It is malformed at byte ${place}.`
}

/** Keys may be written with escapes, so a body with escapes is checked too. */
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
