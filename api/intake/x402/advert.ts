import type { TSchema } from 'typebox'
import { FILE_RULE, type Operation } from '#kit'

export type Advert = Record<string, unknown>
type Fields = Record<string, unknown>

const SOURCE = { type: 'object', description: 'One of { inline: base64 }, { text } or { inputKey }.' }

/** What discovery services read of a call, the fullest first: with its whole input, or with the names of its fields. */
export function advertOf({ input, examples }: Operation): readonly Advert[] {
  const body = exampleOf(examples[0]?.input ?? {})
  const whole = terse(input)
  return [whole, outline(whole)].map(schema => ({
    info: {
      input: { type: 'http', method: 'POST', bodyType: 'json', body },
      output: { type: 'json', example: examples[0]?.answer ?? {} },
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: { type: { const: 'http' }, method: { const: 'POST' }, bodyType: { const: 'json' }, body: schema },
          required: ['type', 'method', 'body'],
        },
        output: { type: 'object' },
      },
      required: ['input'],
    },
  }))
}

/** Samples are ours; a reader is shown where bytes of his own belong. */
function exampleOf(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('sample:')) return { inline: '<base64>' }
  if (Array.isArray(value)) return value.map(exampleOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, exampleOf(field)]))
}

const KEPT = ['type', 'enum', 'const', 'minimum', 'maximum', 'default', 'minItems', 'maxItems']

/** A schema's bones: no prose, no marks of the house. */
function terse(schema: TSchema | Fields): Fields {
  const given = schema as Fields
  if (FILE_RULE in given) return SOURCE
  const bones = Object.fromEntries(KEPT.flatMap(word => (word in given ? [[word, given[word]]] : [])))
  if (given.properties) {
    bones.properties = mapped(given.properties as Fields, field => terse(field as Fields))
    const required = requiredOf(given)
    if (required.length > 0) bones.required = required
  }
  if (given.items) bones.items = terse(given.items as Fields)
  for (const word of ['oneOf', 'anyOf']) {
    if (Array.isArray(given[word])) bones[word] = (given[word] as Fields[]).map(terse)
  }
  return bones
}

/** What has a default may be left out. */
function requiredOf({ properties = {}, required = [] }: Fields): string[] {
  const fields = properties as Record<string, Fields>
  return (required as string[]).filter(name => !('default' in (fields[name] ?? {})))
}

function outline({ properties, required }: Fields): Fields {
  const names = mapped((properties ?? {}) as Fields, field => ({ type: (field as Fields).type ?? 'object' }))
  return { type: 'object', properties: names, ...(required ? { required } : {}) }
}

function mapped(fields: Fields, change: (field: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]))
}
