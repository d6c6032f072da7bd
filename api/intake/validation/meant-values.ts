import { FILE_RULE, requiredFromCaller, type SchemaNode } from '#kit'
import { isObjectKey } from '../../../ops/providers/storage/key.ts'
import { isNestedDeeper } from '../../../tasks/formats/json/depth.ts'
import { readSpan } from './spans.ts'

interface Wanted {
  types: readonly string[]
  schema: SchemaNode
}

/** The one value of the wanted type that a value of another type means; undefined if there is none. */
export function readMeantType(name: string, value: unknown, { types, schema }: Wanted): unknown {
  for (const type of types) {
    const meant = readAs(type, name, value, schema)
    if (meant !== undefined) return meant
  }
  return undefined
}

function readAs(type: string, name: string, value: unknown, schema: SchemaNode): unknown {
  switch (type) {
    case 'boolean':
      return BOOLEANS.get(String(value).toLowerCase())
    case 'integer':
    case 'number':
      return typeof value === 'string' ? readNumber(name, value, type) : undefined
    case 'string':
      return typeof value === 'number' ? readText(value, schema) : undefined
    case 'array':
      return readList(value, schema)
    case 'object':
      return typeof value === 'string' ? readObject(value, schema) : undefined
    default:
      return undefined
  }
}

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
])
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/

function readNumber(name: string, text: string, type: 'integer' | 'number'): number | undefined {
  const number = NUMBER.test(text.trim()) ? Number(text) : readSpan(name, text)
  return number === undefined || (type === 'integer' && !Number.isSafeInteger(number)) ? undefined : number
}

/** A number in place of a text is what it is written as: an amount, a page, a code to print. */
function readText(value: number, { enum: words }: SchemaNode): unknown {
  if (words) return readMeantWord(value, words)
  const text = String(value)
  return NUMBER.test(text) ? text : undefined
}

/** One value in place of a list of it, a list in JSON, or words and numbers with commas. */
function readList(value: unknown, { items }: SchemaNode): unknown {
  if (typeof value === 'string' && value.trim().startsWith('[')) {
    const list = readJson(value)
    if (Array.isArray(list)) return list
  }
  const isSplit = items?.enum !== undefined || items?.type === 'integer' || items?.type === 'number'
  if (typeof value === 'string' && isSplit) return value.split(',').map(part => part.trim())
  return Array.isArray(value) || typeof value === 'boolean' || !takes(items, value) ? undefined : [value]
}

/** A table is sent as a list of rows elsewhere, and an object is no list of them by itself. */
function takes(items: SchemaNode | undefined, value: unknown): boolean {
  const isObject = typeof value === 'object'
  const isForObjects = items?.type === 'object' || items?.properties !== undefined
  if (isForObjects && typeof value === 'string') return readOnlyField(value, items) !== undefined
  return isObject === isForObjects
}

function readObject(text: string, schema: SchemaNode): unknown {
  if (FILE_RULE in schema) return readSource(text.trim())
  if (!text.trim().startsWith('{')) return readOnlyField(text, schema)
  const object = readJson(text)
  return typeof object === 'object' && object !== null && !Array.isArray(object) ? object : undefined
}

/** An object that needs one text alone: a column to sort by, the operation of a step. */
function readOnlyField(text: string, schema: SchemaNode): object | undefined {
  const [name, ...others] = requiredFromCaller(schema)
  return name !== undefined && others.length === 0 && schema.properties?.[name]?.type === 'string'
    ? { [name]: text }
    : undefined
}

/** A file that is given by its key or its address alone. */
function readSource(text: string): object | undefined {
  if (/^https?:\/\/\S+$/i.test(text)) return { url: text }
  const [, inline] = /^data:[^,]{0,200};base64,(.+)$/s.exec(text) ?? []
  if (inline !== undefined) return { inline }
  if (text.startsWith('{')) return readJson(text) as object | undefined
  return isObjectKey(text) ? { inputKey: text } : undefined
}

const MAX_DEPTH = 32
/** Digits that a number of JavaScript would lose. */
const LONG_NUMBER = /\d{16}/
const UNSAFE = new Set(['__proto__', 'constructor', 'prototype'])

/** JSON within a text of the body, by the rules for the body itself; undefined for anything else. */
function readJson(text: string): unknown {
  if (LONG_NUMBER.test(text) || isNestedDeeper(Buffer.from(text), MAX_DEPTH)) return undefined
  try {
    return JSON.parse(text, (key: string, value: unknown) => {
      if (UNSAFE.has(key)) throw new SyntaxError('a key that changes what an object is')
      return value
    })
  } catch {
    return undefined
  }
}

/** Sides and corners, as most services call them. */
const SIDES = new Map<string, string>([
  ...([
    ['top', 'north'],
    ['bottom', 'south'],
    ['left', 'west'],
    ['right', 'east'],
    ['middle', 'center'],
    ['centre', 'center'],
  ] as const),
  ...([
    ['topleft', 'northwest'],
    ['topright', 'northeast'],
    ['bottomleft', 'southwest'],
    ['bottomright', 'southeast'],
    ['topcenter', 'north'],
    ['bottomcenter', 'south'],
  ] as const),
])

/** The one of the allowed words that differs by case, by signs between words, by a plural, or is another word for it. */
export function readMeantWord(value: unknown, allowed: readonly unknown[]): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const plain = plainWord(String(value))
  if (plain === '') return undefined
  const forms = [plain, SIDES.get(plain), `${plain}s`, plain.replace(/(?<=..)s$/, ''), plain.replace(/(?<=.)case$/, '')]
  for (const form of forms) {
    const found = allowed.filter(word => plainWord(String(word)) === form)
    if (found.length > 0) return found.length === 1 ? found[0] : undefined
  }
  return undefined
}

function plainWord(word: string): string {
  return word
    .toLowerCase()
    .replaceAll('colour', 'color')
    .replaceAll(/[\s_-]/g, '')
}
