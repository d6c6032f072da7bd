import type { TSchema } from 'typebox'
import { FILE_RULE, FileInput, FileOutput, type FileRule, OUTPUT_RULE, SECRET_RULE } from '#kit'

/** A JSON Schema as a document prints it. */
export type Plain = Record<string, unknown>

export const BINARY: Plain = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }

/** The shapes that occur too often to be printed each time. */
export const SHARED_SCHEMAS: Record<string, Plain> = {
  Source: openSource(FileInput()),
  SourceOrRows: openSource(FileInput({ rows: true })),
  NamedSource: openSource(FileInput({ named: true })),
  Output: withoutMarkers(FileOutput('*/*') as unknown as Plain),
}

function openSource(schema: TSchema): Plain {
  return withoutMarkers(schema as unknown as Plain)
}

const INNER_LISTS = ['oneOf', 'anyOf', 'allOf', 'prefixItems'] as const
const INNER_MAPS = ['properties', 'patternProperties', '$defs'] as const
const INNER = ['items', 'additionalProperties', 'not', 'contains'] as const

/**
 * A schema without what only the house understands: files become references, secrets become write-only strings, and
 * a field with a default is no longer required, because the caller may leave it out.
 */
export function plainSchema(schema: TSchema | Plain): Plain {
  const given = schema as Plain
  if (FILE_RULE in given) return sourceReference(given)
  if (OUTPUT_RULE in given && given.type === 'object') return outputReference(given)
  return inside(withoutMarkers(OUTPUT_RULE in given ? withTypes(given) : given))
}

function inside(schema: Plain): Plain {
  const plain: Plain = { ...schema }
  for (const word of INNER_LISTS)
    if (Array.isArray(plain[word])) plain[word] = (plain[word] as Plain[]).map(plainSchema)
  for (const word of INNER_MAPS)
    if (isSchema(plain[word])) plain[word] = mapValues(plain[word] as Record<string, Plain>)
  for (const word of INNER) if (isSchema(plain[word])) plain[word] = plainSchema(plain[word] as Plain)
  const required = requiredOf(plain)
  if (required.length > 0) plain.required = required
  else delete plain.required
  return plain
}

function requiredOf({ required, properties }: Plain): string[] {
  const fields = (properties ?? {}) as Record<string, Plain>
  return ((required ?? []) as string[]).filter(name => fields[name]?.default === undefined)
}

function mapValues(schemas: Record<string, Plain>): Record<string, Plain> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plainSchema(schema)]))
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** `discriminator` goes as well: in an OpenAPI document it may only stand beside references. */
function withoutMarkers(schema: Plain): Plain {
  const kept = Object.entries(schema).filter(([word]) => !word.startsWith('x-') && word !== 'discriminator')
  const plain = Object.fromEntries(kept)
  if (!schema[SECRET_RULE]) return plain
  const description = [plain.description, 'Sealed before it is stored; never logged or echoed.']
    .filter(Boolean)
    .join(' ')
  return { ...plain, description, format: 'password', writeOnly: true }
}

function sourceReference(schema: Plain): Plain {
  const rule = schema[FILE_RULE] as FileRule
  const types = rule.accept.filter(type => type !== '*/*')
  const said = [
    schema.description,
    types.length > 0 && `Takes ${types.join(', ')}.`,
    rule.allowEmpty && 'The content may be empty.',
  ]
  const plainName = rule.rows ? 'SourceOrRows' : 'Source'
  const name = rule.named ? 'NamedSource' : plainName
  return { $ref: `#/components/schemas/${name}`, description: said.filter(Boolean).join(' ') }
}

function outputReference(schema: Plain): Plain {
  return { $ref: '#/components/schemas/Output', description: `The output file, ${typesOf(schema)}.` }
}

function withTypes(schema: Plain): Plain {
  return { ...schema, description: `The output files, ${typesOf(schema)}.` }
}

export function typesOf(schema: Plain): string {
  const { contentTypes } = schema[OUTPUT_RULE] as { contentTypes: string[] }
  return contentTypes.includes('*/*') ? 'of any type' : contentTypes.join(' or ')
}

/** The names of the fields of an object schema, through its arms, that a test holds for. */
export function fieldsOf(schema: TSchema | undefined, test: (field: Plain) => boolean): string[] {
  const given = (schema ?? {}) as Plain
  const arms = [given, ...((given.oneOf ?? given.anyOf ?? []) as Plain[])]
  const found = arms.flatMap(arm => Object.entries((arm.properties ?? {}) as Record<string, Plain>))
  return [...new Set(found.filter(([, field]) => test(field)).map(([name]) => name))]
}

/** The types of the one output file, if there is exactly one. */
export function singleOutput(schema: TSchema | undefined): Plain | undefined {
  const outputs = fieldsOf(schema, field => OUTPUT_RULE in field && field.type === 'object')
  const [name] = outputs
  if (outputs.length !== 1 || !name) return undefined
  return ((schema as unknown as Plain).properties as Record<string, Plain> | undefined)?.[name]
}
