import type { TSchema } from 'typebox'
import { alternativesOf, type SchemaNode } from '#kit'
import { parseJson } from './json.ts'

/** Query parameters and form fields: one text, or several under one name. */
export type Texts = Record<string, string | string[] | undefined>

/** Converts options from text to the schema's types. What does not convert stays text and fails validation. */
export function optionsFrom(texts: Texts, schema: TSchema): Record<string, unknown> {
  const given = Object.entries(texts).filter((pair): pair is [string, string | string[]] => pair[1] !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, fromText(value, fieldOf(schema, name, texts))]))
}

/** In a union, the alternative whose constants match decides a field's type; otherwise the first that has the field. */
function fieldOf(schema: SchemaNode, name: string, texts: Texts): SchemaNode | undefined {
  const own = schema.properties?.[name]
  if (own) return own
  const candidates = alternativesOf(schema).filter(alternative => alternative.properties?.[name])
  const matching = candidates.find(alternative =>
    Object.entries(alternative.properties!).every(([key, field]) => matchesText(field, texts[key])),
  )
  return (matching ?? candidates[0])?.properties?.[name]
}

function matchesText(field: SchemaNode, text: string | string[] | undefined): boolean {
  if (text === undefined) return true
  if ('const' in field) return String(field.const) === text
  return !field.enum || field.enum.some(word => String(word) === text)
}

function fromText(value: string | string[], field: SchemaNode | undefined): unknown {
  if (!field) return value
  const alternatives = alternativesOf(field)
  if (alternatives.length > 0) return fromAlternatives(value, alternatives)
  if (field.type === 'array') return listFrom(value, field.items)
  return Array.isArray(value) ? value : scalarFrom(value, field)
}

/** In a union of constants and numbers, the first alternative that can read the text is used. */
function fromAlternatives(value: string | string[], alternatives: readonly SchemaNode[]): unknown {
  for (const alternative of alternatives) {
    const parsed = fromText(value, alternative)
    if (parsed !== value || accepts(alternative, value)) return parsed
  }
  return value
}

function accepts(alternative: SchemaNode, value: unknown): boolean {
  if ('const' in alternative) return alternative.const === value
  if (alternative.enum) return alternative.enum.includes(value)
  return alternative.type === 'string' && typeof value === 'string'
}

function listFrom(value: string | string[], items: SchemaNode | undefined): unknown {
  const inside = items?.type ?? (items && alternativesOf(items).length > 0 ? 'object' : 'string')
  if (typeof value === 'string' && value.startsWith('[')) return jsonOr(value)
  const parts = Array.isArray(value) ? value : inside === 'object' ? [value] : value.split(',')
  return parts.map(part => (items ? fromText(part, items) : part))
}

const NUMBER = /^-?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
])

function scalarFrom(text: string, field: SchemaNode): unknown {
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
