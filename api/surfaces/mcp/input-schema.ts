import { alternativesOf, type Entry, mapChildSchemas, type SchemaNode } from '#kit'
import { type SurfaceOptions, withNamedWildcards } from '../entries.ts'
import { replaceSamples } from '../openapi/examples.ts'
import { type Plain, toPlainSchema } from '../openapi/plain-schema.ts'
import { BYTES_SCHEMA, bodyArgumentOf, exampleArguments, headersByArgument } from './arguments.ts'

/**
 * The arguments of a tool: one object with the parameters, the query and the body of the call. Many clients know neither
 * references nor unions at the root, so there are none.
 */
export function buildInputSchema(given: Entry, options: Pick<SurfaceOptions, 'canFetch'>): Plain {
  const [entry] = withNamedWildcards([given]) as [Entry]
  const body = entry.streamBody ? undefined : entry.body
  const parts = [entry.params, entry.query, body].flatMap(schema => (schema ? [schema as SchemaNode] : []))
  const flat = [
    ...parts.map(part => flattenUnion(simplify(toPlainSchema(part) as SchemaNode, options), tagOf(part))),
    ...listHeaderFields(entry),
    ...listBodyField(entry),
  ]
  const required = flat.flatMap(part => (part.required as string[] | undefined) ?? [])
  const description = flat
    .map(part => part.description)
    .filter(Boolean)
    .join(' ')
  const [example] = entry.examples
  return {
    type: 'object',
    ...(description && { description }),
    properties: Object.assign({}, ...flat.map(({ properties }) => properties)) as Plain,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(example && {
      examples: [{ ...fillPath(entry), ...exampleArguments(entry, replaceSamples(example.input)) }],
    }),
  }
}

/** The headers of the call as fields, by the names of their arguments. */
function listHeaderFields(entry: Entry): Plain[] {
  if (!entry.headers) return []
  const { properties = {}, required = [] } = toPlainSchema(entry.headers) as SchemaNode
  const named = [...headersByArgument(entry)]
  return [
    {
      properties: Object.fromEntries(named.map(([argument, header]) => [argument, properties[header]])),
      required: named.flatMap(([argument, header]) => (required.includes(header) ? [argument] : [])),
    },
  ]
}

function listBodyField(entry: Entry): Plain[] {
  const argument = bodyArgumentOf(entry)
  if (argument === undefined) return []
  const schema = argument === 'file' ? BYTES_SCHEMA : toPlainSchema(entry.body!)
  return [{ properties: { [argument]: schema }, required: [argument] }]
}

/** Examples of routes have only the body, so each parameter of the path gets its own example or a placeholder. */
export function fillPath({ path, params }: Entry): Record<string, unknown> {
  const { properties = {} } = (params ?? {}) as { properties?: Record<string, { examples?: unknown[] }> }
  return Object.fromEntries(
    [...path.matchAll(/\{([^}]+)\}/g)].map(([placeholder, name]) => [
      name!,
      properties[name!]?.examples?.[0] ?? placeholder,
    ]),
  )
}

function tagOf(schema: SchemaNode): string | undefined {
  return (schema as { discriminator?: { propertyName: string } }).discriminator?.propertyName
}

/** Of an object with alternatives, one object that has the fields of all of them, and a text that says which belong together. */
function flattenUnion(schema: SchemaNode, tag: string | undefined): Plain {
  const arms = alternativesOf(schema)
  if (arms.length === 0) return schema as Plain
  const properties: Record<string, SchemaNode> = { ...schema.properties }
  for (const [name, field] of arms.flatMap(arm => Object.entries(arm.properties ?? {}))) {
    properties[name] = mergeFields(properties[name], field)
  }
  const required = (arms[0]!.required ?? []).filter(name => arms.every(arm => arm.required?.includes(name)))
  const forms = arms.map(arm => describeArm(arm, tag)).join('; ')
  return { type: 'object', description: `One of these forms: ${forms}.`, properties, required }
}

function describeArm({ properties = {}, required = [] }: SchemaNode, tag: string | undefined): string {
  const names = Object.keys(properties)
    .filter(name => name !== tag && !COMMON.has(name))
    .map(name => (required.includes(name) ? name : `${name}?`))
  const chosen = tag === undefined ? undefined : properties[tag]?.enum?.join('|')
  return chosen === undefined ? names.join(', ') : `${tag}=${chosen} with ${names.join(', ')}`
}

/** Every call has these, so they tell no form from another. */
const COMMON = new Set(['async', 'dryRun', 'deliver', 'filename', 'inlineOutput'])

function mergeFields(known: SchemaNode | undefined, field: SchemaNode): SchemaNode {
  if (!known || JSON.stringify(known) === JSON.stringify(field)) return field
  return mergeChoices([known, field]) ?? { anyOf: [...(known.anyOf ?? [known]), field] }
}

/** Choices of one type become one list of words, and every other union an `anyOf`: clients know little more. */
function simplify(schema: SchemaNode, options: Pick<SurfaceOptions, 'canFetch'>): SchemaNode {
  const { $ref } = schema as { $ref?: string }
  if ($ref?.endsWith('/Deliver')) return DELIVER as SchemaNode
  if ($ref !== undefined) return describeSource(schema as Plain, options)
  const node = mapChildSchemas(schema, child => simplify(child, options))
  const { oneOf, anyOf, ...rest } = withEnum(node)
  const arms = [...(oneOf ?? []), ...(anyOf ?? [])]
  if (arms.length === 0) return rest
  const choice = mergeChoices(arms)
  return choice ? { ...choice, ...rest } : { ...rest, anyOf: arms }
}

function withEnum(schema: SchemaNode): SchemaNode {
  if (!('const' in schema)) return schema
  const { const: value, ...rest } = schema
  return { type: typeof value, ...rest, enum: [value] }
}

function mergeChoices(arms: readonly SchemaNode[]): SchemaNode | undefined {
  const [first] = arms
  const areChoices = arms.every(arm => arm.enum && arm.type === first?.type)
  if (!first || !areChoices) return undefined
  return { ...first, enum: [...new Set(arms.flatMap(arm => arm.enum!))] }
}

const DELIVER: Plain = {
  type: 'object',
  description:
    'Put the output into a baton too: exactly one of batonId, or new with the fields of baton_create but no content.',
  properties: { batonId: { type: 'string' }, new: { type: 'object', properties: { preset: { type: 'string' } } } },
  additionalProperties: false,
}
const TEXT = { type: 'string' }

/** A file, in as few words as say it: schemas of tools are read by models. */
function describeSource(schema: Plain, { canFetch }: Pick<SurfaceOptions, 'canFetch'>): Plain {
  const { $ref, description } = schema as { $ref?: string; description?: string }
  const kind = $ref!.slice($ref!.lastIndexOf('/') + 1)
  const sources: Record<string, Plain> = {
    inline: { ...TEXT, description: 'base64' },
    text: TEXT,
    inputKey: { ...TEXT, description: 'An outputKey of an earlier result, or from outputs_upload_url.' },
    batonId: { ...TEXT, description: 'A baton, or a token of one; of a log, entryRef is the number of an entry.' },
    ...(canFetch && { url: TEXT }),
    ...(kind === 'SourceOrRows' && { rows: { type: 'array', items: { type: 'object' } } }),
  }
  return {
    type: 'object',
    description: `${description ? `${description} ` : ''}Exactly one of ${Object.keys(sources).join(', ')}.`,
    properties: { ...sources, entryRef: { type: 'integer' }, ...(kind === 'NamedSource' && { name: TEXT }) },
    additionalProperties: false,
  }
}
