import { type TSchema, Type } from 'typebox'
import { type Entry, FILE_RULE, fieldEntries, mapChildSchemas, requiredFromCaller, type SchemaNode } from '#kit'
import { withoutNumberTwins } from '../../surfaces/openapi/plain-schema.ts'

export type BazaarExtension = Record<string, unknown>

const SOURCE = { type: 'object', description: 'One of { inline: base64 }, { text }, { inputKey } or { batonId }.' }

/** The discovery extension of a paid call in two lengths: with its whole input schema, and with field names only. */
export function bazaarExtensions({
  body: input = NO_FIELDS,
  headers,
  examples,
}: Pick<Entry, 'body' | 'headers' | 'examples'>): readonly BazaarExtension[] {
  const body = replaceSamples(examples[0]?.input ?? {})
  const short = shorten(input)
  const inHeaders = headers && describeHeaders(headers)
  return [short, outlineFields(short)].map(schema => ({
    info: {
      input: { type: 'http', method: 'POST', bodyType: 'json', body, ...(inHeaders && { headers: inHeaders.example }) },
      output: { type: 'json', example: examples[0]?.answer ?? {} },
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            ...{ type: { const: 'http' }, method: { const: 'POST' }, bodyType: { const: 'json' }, body: schema },
            ...(inHeaders && { headers: inHeaders.schema }),
          },
          required: ['type', 'method', 'body'],
        },
        output: { type: 'object' },
      },
      required: ['input'],
    },
  }))
}

const NO_FIELDS = Type.Object({})

/** Headers are text, and only those without which the call is refused are part of the example. */
function describeHeaders(headers: TSchema) {
  const required = requiredFromCaller(headers)
  const fields = fieldEntries(headers) as [string, { examples?: string[] }][]
  const shown = fields
    .filter(([name]) => required.includes(name))
    .map(([name, { examples }]) => [name, examples?.[0] ?? ''])
  return {
    example: Object.fromEntries(shown) as Record<string, string>,
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name]) => [name, { type: 'string' }])),
      ...(required.length > 0 && { required }),
    },
  }
}

/** Replaces our sample files by a placeholder for the reader's own bytes. */
function replaceSamples(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('sample:')) return { inline: '<base64>' }
  if (Array.isArray(value)) return value.map(replaceSamples)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, replaceSamples(field)]))
}

const KEPT_KEYWORDS = [
  ...['type', 'enum', 'const', 'minimum', 'maximum', 'default', 'minItems', 'maxItems'],
  ...['properties', 'required', 'items', 'oneOf', 'anyOf'],
]

/** A schema reduced to what a discovery service needs: without descriptions and without our own keywords. */
function shorten(schema: SchemaNode): SchemaNode {
  if (FILE_RULE in schema) return SOURCE
  const given = schema as SchemaNode & Record<string, unknown>
  const plain = withoutNumberTwins(given)
  const kept = KEPT_KEYWORDS.flatMap(keyword => (keyword in plain ? [[keyword, plain[keyword]]] : []))
  const short: SchemaNode = mapChildSchemas(Object.fromEntries(kept), shorten)
  const required = schema.properties ? requiredFromCaller(schema) : []
  if (required.length > 0) short.required = required
  else delete short.required
  return short
}

/** Only the names and types of the fields. */
function outlineFields({ properties, required }: SchemaNode): SchemaNode {
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, outlineField(field)])
  return { type: 'object', properties: Object.fromEntries(fields), ...(required && { required }) }
}

/** Of a choice the types of all alternatives; a field that may be anything has none. */
function outlineField({ type, anyOf, oneOf }: SchemaNode): { type?: unknown } {
  const alternatives = (anyOf ?? oneOf ?? []) as SchemaNode[]
  const types = [...new Set(type === undefined ? alternatives.flatMap(({ type = 'object' }) => type) : [type])]
  if (types.length === 0) return {}
  return { type: types.length > 1 ? types : types[0] }
}
