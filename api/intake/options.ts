import type { TSchema } from 'typebox'
import { parseJson } from './json.ts'

type Words = TSchema & {
  type?: string
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Words>
  items?: Words
  oneOf?: Words[]
  anyOf?: Words[]
}

/** Query parameters and form fields as they arrive: one text, or several under one name. */
export type Texts = Record<string, string | string[] | undefined>

/** Turns options that came as text into what the schema says they are; what does not fit stays text and is refused. */
export function optionsFrom(texts: Texts, schema: TSchema): Record<string, unknown> {
  const given = Object.entries(texts).filter((pair): pair is [string, string | string[]] => pair[1] !== undefined)
  return Object.fromEntries(
    given.map(([name, value]) => [name, fromText(value, fieldOf(schema as Words, name, texts))]),
  )
}

/** In a union the arm whose fixed words were asked for says what a field is; short of that, the first that knows it. */
function fieldOf(schema: Words, name: string, texts: Texts): Words | undefined {
  const own = schema.properties?.[name]
  if (own) return own
  const knowing = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].filter(arm => arm.properties?.[name])
  const asked = knowing.find(arm => Object.entries(arm.properties!).every(([key, field]) => isAsked(field, texts[key])))
  return (asked ?? knowing[0])?.properties?.[name]
}

function isAsked(field: Words, text: string | string[] | undefined): boolean {
  if (text === undefined) return true
  if ('const' in field) return String(field.const) === text
  return !field.enum || field.enum.some(word => String(word) === text)
}

function fromText(value: string | string[], field: Words | undefined): unknown {
  if (!field) return value
  const arms = field.oneOf ?? field.anyOf
  if (arms) return fromArms(value, arms)
  if (field.type === 'array') return listFrom(value, field.items)
  return Array.isArray(value) ? value : scalarFrom(value, field)
}

/** A union of words and numbers: the first arm that makes something of the text has it. */
function fromArms(value: string | string[], arms: Words[]): unknown {
  for (const arm of arms) {
    const made = fromText(value, arm)
    if (made !== value || accepts(arm, value)) return made
  }
  return value
}

function accepts(arm: Words, value: unknown): boolean {
  if ('const' in arm) return arm.const === value
  if (arm.enum) return arm.enum.includes(value)
  return arm.type === 'string' && typeof value === 'string'
}

function listFrom(value: string | string[], items: Words | undefined): unknown {
  const inside = items?.type ?? (items?.oneOf || items?.anyOf ? 'object' : 'string')
  if (typeof value === 'string' && value.startsWith('[')) return jsonOr(value)
  const parts = Array.isArray(value) ? value : inside === 'object' ? [value] : value.split(',')
  return parts.map(part => (items ? fromText(part, items) : part))
}

const NUMBER = /^-?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
])

function scalarFrom(text: string, field: Words): unknown {
  const words = field.enum ?? ('const' in field ? [field.const] : undefined)
  if (words) return words.find(word => String(word) === text) ?? text
  switch (field.type) {
    case 'integer':
    case 'number':
      return NUMBER.test(text) ? Number(text) : text
    case 'boolean':
      return BOOLEANS.get(text) ?? text
    case 'object':
      return jsonOr(text)
    default:
      return text
  }
}

function jsonOr(text: string): unknown {
  try {
    return parseJson(Buffer.from(text))
  } catch {
    return text
  }
}
