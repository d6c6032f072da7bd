import type { TSchema } from 'typebox'
import { alternativesOf, type Hints, Problem, type SchemaNode } from '#kit'
import { findNearest } from '../../../tasks/formats/words/nearest.ts'

const MAX_DEPTH = 3
const MAX_KNOWN = 60
const LEAST_END = 4

/** What was meant by an unknown field: the fields known in its place, and the nearest of them or of another place. */
export function describeUnknownField(whole: TSchema, place: SchemaNode, at: string, name: string): Hints {
  const known = [...new Set(listKnown(place))]
  const meant = findMeant(whole, known, at, name)
  return { known: known.slice(0, MAX_KNOWN), ...(meant !== undefined && { didYouMean: meant }) }
}

function listKnown({ properties = {}, ...schema }: SchemaNode): string[] {
  return [...Object.keys(properties), ...alternativesOf(schema as SchemaNode).flatMap(listKnown)]
}

/**
 * A field in the same place that `name` ends with comes first: `name` of a file is called `filename` elsewhere. Then the same name
 * in another place, before one that is similar.
 */
function findMeant(whole: TSchema, known: readonly string[], at: string, name: string): string | undefined {
  const end = known.find(field => field.length >= LEAST_END && name.toLowerCase().endsWith(field.toLowerCase()))
  if (end !== undefined) return end
  const elsewhere = [...new Set(listPaths(whole, '', 0))].filter(path => !isBeside(path, at))
  const lastName = (path: string) => path.slice(path.lastIndexOf('.') + 1)
  const same = elsewhere.find(path => lastName(path).toLowerCase() === name.toLowerCase())
  if (same !== undefined) return same
  const near = findNearest(name, known) ?? findLonger(name, known)
  if (near !== undefined) return near
  const nearName = findNearest(name, elsewhere.map(lastName))
  return nearName && elsewhere.find(path => lastName(path) === nearName)
}

/** The one field that begins with `name`, as `partyKey` does with `party`. */
function findLonger(name: string, known: readonly string[]): string | undefined {
  const longer = known.filter(field => field.toLowerCase().startsWith(name.toLowerCase()))
  return name.length >= LEAST_END && longer.length === 1 ? longer[0] : undefined
}

function isBeside(path: string, at: string): boolean {
  return path.slice(0, Math.max(0, path.lastIndexOf('.'))) === at.replaceAll(/\.\d+/g, '[]')
}

/** Every field as a path, outer fields first: `csv`, then `csv.delimiter`; `layers[].gravity` for the items of a list. */
function listPaths(schema: SchemaNode, prefix: string, depth: number): string[] {
  const objects = [schema, ...alternativesOf(schema)]
  const fields = objects.flatMap(({ properties = {} }) => Object.entries(properties))
  const own = fields.map(([name]) => prefix + name)
  if (depth >= MAX_DEPTH) return own
  const inner = fields.flatMap(([name, field]) => [
    ...listPaths(field, `${prefix}${name}.`, depth + 1),
    ...(field.items ? listPaths(field.items, `${prefix}${name}[].`, depth + 1) : []),
  ])
  return [...own, ...inner]
}

/** Adds what the field takes to a problem that an operation has thrown because it is missing. */
export function withFieldHints(schema: SchemaNode, error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== 'MISSING_FIELD' || 'expected' in error.hints) return error
  const field = findField(schema, String(error.hints.field).split('.'))
  return field ? new Problem(error.code, { ...describeField(field), ...error.hints }) : error
}

function findField(schema: SchemaNode, [step, ...rest]: string[]): SchemaNode | undefined {
  if (step === undefined) return schema
  const next = /^\d+$/.test(step) ? schema.items : schema.properties?.[step]
  if (next) return findField(next, rest)
  return alternativesOf(schema)
    .map(alternative => findField(alternative, [step, ...rest]))
    .find(Boolean)
}

/** What a field takes: its type, its allowed values, and an example. */
export function describeField(field: SchemaNode | undefined): Hints {
  if (!field) return {}
  const allowed = listAllowed(field)
  const type = findType(field)
  const example = makeExample(field)
  return {
    ...(type !== undefined && { expected: type }),
    ...(allowed && { allowed }),
    ...(example !== undefined && { example }),
  }
}

function listAllowed(field: SchemaNode): unknown[] | undefined {
  if ('const' in field) return [field.const]
  if (field.enum) return [...field.enum]
  const arms = alternativesOf(field).map(listAllowed)
  return arms.length > 0 && arms.every(arm => arm !== undefined) ? arms.flat() : undefined
}

function findType(field: SchemaNode): string | undefined {
  if (field.type !== undefined) return field.type
  const types = [...new Set(alternativesOf(field).map(findType))]
  return types.length > 0 && types.every(type => type !== undefined) ? types.join(' or ') : undefined
}

const FILE_EXAMPLE = { inline: '<base64 of the file>' }
const ROWS_EXAMPLE = { rows: [{ name: 'value' }] }
const TYPE_EXAMPLES: Record<string, unknown> = { string: 'text', boolean: true, integer: 1, number: 1 }

interface ExampledNode extends SchemaNode {
  title?: string
  examples?: unknown[]
  minimum?: number
}

function makeExample(field: ExampledNode): unknown {
  const { type, items, minimum } = field
  const known = findExample(field)
  if (known !== undefined) return known
  const [first] = alternativesOf(field)
  if (first) return makeExample(first)
  if (type === 'array') return items ? [makeExample(items)] : []
  return type === 'object' ? makeObject(field) : (minimum ?? TYPE_EXAMPLES[type ?? ''])
}

/** What a field says itself of the values that it takes. */
function findExample(field: ExampledNode): unknown {
  const { title, examples, properties } = field
  if (examples?.length) return examples[0]
  if (field.default !== undefined) return field.default
  if (title === 'Source') return properties?.rows ? ROWS_EXAMPLE : FILE_EXAMPLE
  return listAllowed(field)?.[0]
}

/** What an object needs; one that needs nothing is shown with the first that it may have. */
function makeObject({ properties = {}, required = [], patternProperties, additionalProperties }: SchemaNode): object {
  const [member = additionalProperties] = Object.values(patternProperties ?? {})
  if (Object.keys(properties).length === 0 && typeof member === 'object') return { name: makeExample(member) }
  const needed = required.filter(name => properties[name]?.default === undefined)
  const shown = needed.length > 0 ? needed : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(shown.map(name => [name, makeExample(properties[name] ?? {})]))
}
