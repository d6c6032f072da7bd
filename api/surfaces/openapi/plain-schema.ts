import type { TSchema } from 'typebox'
import {
  CALL_OPTIONS,
  Delivered,
  FILE_RULE,
  FileInput,
  FileOutput,
  type FileRule,
  fieldEntries,
  mapChildSchemas,
  OUTPUT_RULE,
  requiredFromCaller,
  type SchemaNode,
  SECRET_RULE,
  SHARED_RULE,
} from '#kit'

/** A JSON Schema as the documents print it. */
export type Plain = Record<string, unknown>

export const BINARY: Plain = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }

/** Schemas that occur too often to be printed each time. `url` is offered only where files are fetched from the web. */
export function sharedSchemas({ canFetch = false }: { canFetch?: boolean }): Record<string, Plain> {
  const printSource = (schema: TSchema) => {
    const { properties, ...plain } = withoutMarkers(mapChildSchemas(schema, toPlainSchema) as unknown as Plain)
    const { url, ...others } = properties as Record<string, Plain>
    return { ...plain, properties: canFetch ? { ...others, url } : others }
  }
  return {
    Source: printSource(FileInput()),
    SourceOrRows: printSource(FileInput({ rows: true })),
    NamedSource: printSource(FileInput({ named: true })),
    Output: withoutMarkers(FileOutput('*/*') as unknown as Plain),
    Deliver: printShared(CALL_OPTIONS.deliver),
    Delivered: printShared(Delivered),
  }
}

/**
 * A schema without our own keywords: files become references, secrets become write-only strings, and a field with a
 * default is not required, because the caller may leave it out.
 */
export function toPlainSchema(schema: TSchema | Plain): Plain {
  const given = withoutNumberTwins(schema as Plain)
  if (FILE_RULE in given) return referenceSource(given)
  if (SHARED_RULE in given) return { $ref: `#/components/schemas/${given[SHARED_RULE]}` }
  if (OUTPUT_RULE in given && given.type === 'object') return referenceOutput(given)
  return withPlainChildren(withoutMarkers(OUTPUT_RULE in given ? withTypes(given) : given))
}

/**
 * Where a choice is taken as text and as a number (`'90'` and 90), only the text is printed: generated clients cannot
 * express an enum of two types.
 */
export function withoutNumberTwins(schema: Plain): Plain {
  if (isList(schema.enum)) {
    const texts = schema.enum.filter(word => !hasTextTwin(word, schema.enum as unknown[]))
    return texts.length < schema.enum.length ? { type: 'string', ...schema, enum: texts } : schema
  }
  if (!isList(schema.anyOf)) return schema
  const arms = schema.anyOf as Plain[]
  const words = arms.flatMap(arm => (isList(arm.enum) ? arm.enum : []))
  const left = arms.filter(arm => !isList(arm.enum) || !arm.enum.every(word => hasTextTwin(word, words)))
  const { anyOf, ...rest } = schema
  if (left.length === arms.length) return schema
  return left.length === 1 ? { ...left[0], ...rest } : { ...rest, anyOf: left }
}

function hasTextTwin(word: unknown, words: readonly unknown[]): boolean {
  return typeof word === 'number' && words.includes(String(word))
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value)
}

function printShared(schema: TSchema): Plain {
  return withPlainChildren(withoutMarkers(schema as unknown as Plain))
}

function withPlainChildren(schema: Plain): Plain {
  const plain = mapChildSchemas(schema, toPlainSchema)
  const required = requiredFromCaller(schema)
  if (required.length > 0) plain.required = required
  else delete plain.required
  return withDeclaredFields(plain)
}

/** Generated clients take an object for one without any field, unless `additionalProperties` says what else it may have. */
function withDeclaredFields(schema: Plain): Plain {
  if (schema.type !== 'object' || schema.properties || schema.additionalProperties !== undefined) return schema
  const { patternProperties, ...plain } = schema
  const patterns = Object.entries((patternProperties ?? {}) as Record<string, Plain>)
  if (patterns.length > 1) return schema
  const [[pattern, field] = ['', true]] = patterns
  const names = pattern === '' || pattern === ANY_NAME ? {} : { propertyNames: { pattern } }
  return { ...plain, ...names, additionalProperties: field }
}

const ANY_NAME = '^.*$'

/** Also removes `discriminator`, which OpenAPI allows only beside references. */
function withoutMarkers(schema: Plain): Plain {
  const entries = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-') && keyword !== 'discriminator')
  const plain = Object.fromEntries(entries)
  if (!schema[SECRET_RULE]) return plain
  const description = [plain.description, 'Encrypted before it is stored, and never logged or returned.']
    .filter(Boolean)
    .join(' ')
  return { ...plain, description, format: 'password', writeOnly: true }
}

function referenceSource(schema: Plain): Plain {
  const rule = schema[FILE_RULE] as FileRule
  const types = rule.accept.filter(type => type !== '*/*')
  const sentences = [
    schema.description,
    types.length > 0 && `Accepts ${types.join(', ')}.`,
    rule.allowEmpty && 'The content may be empty.',
  ]
  const plainName = rule.rows ? 'SourceOrRows' : 'Source'
  const name = rule.named ? 'NamedSource' : plainName
  return { $ref: `#/components/schemas/${name}`, description: sentences.filter(Boolean).join(' ') }
}

function referenceOutput(schema: Plain): Plain {
  return { $ref: '#/components/schemas/Output', description: `The output file, ${describeTypes(schema)}.` }
}

function withTypes(schema: Plain): Plain {
  return { ...schema, description: `The output files, ${describeTypes(schema)}.` }
}

export function describeTypes(schema: Plain): string {
  const { contentTypes } = schema[OUTPUT_RULE] as { contentTypes: string[] }
  return contentTypes.includes('*/*') ? 'of any type' : contentTypes.join(' or ')
}

/** The names of the matching fields of an object schema, including those of its alternatives. */
function fieldsOf(schema: TSchema | undefined, isMatch: (field: Plain) => boolean): string[] {
  const found = fieldEntries(schema ?? {}).filter(([, field]) => isMatch(field as Plain))
  return [...new Set(found.map(([name]) => name))]
}

/** The types of the one output file, if there is exactly one. */
export function singleOutput(schema: TSchema | undefined): Plain | undefined {
  const outputs = fieldsOf(schema, field => OUTPUT_RULE in field && field.type === 'object')
  const [name] = outputs
  if (outputs.length !== 1 || !name) return undefined
  return (schema as SchemaNode).properties?.[name] as Plain | undefined
}
