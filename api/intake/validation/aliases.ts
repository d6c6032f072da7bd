// biome-ignore-all lint/style/noParameterAssign: it completes a body in place, before any step of the call has it
import type { TSchema } from 'typebox'
import { ALIASES_RULE, childSchemas, FILE_RULE, fieldEntries, NULLS_RULE, type SchemaNode, SHORTHAND_RULE } from '#kit'

/** Other words for formats. A list that has only the right one also takes the left one. */
const VALUE_ALIASES = new Map([
  ['jpg', 'jpeg'],
  ['tif', 'tiff'],
])

const aliasedSchemas = new WeakMap<TSchema, boolean>()

/** Whether a schema takes other words anywhere. Kept for each schema, so that no call walks a large value for nothing. */
export function hasAliases(schema: SchemaNode): boolean {
  let isFound = aliasedSchemas.get(schema)
  if (isFound === undefined) {
    isFound =
      ALIASES_RULE in schema ||
      SHORTHAND_RULE in schema ||
      NULLS_RULE in schema ||
      isNamedSource(schema) ||
      [...VALUE_ALIASES.values()].some(word => schema.enum?.includes(word)) ||
      childSchemas(schema).some(hasAliases)
    aliasedSchemas.set(schema, isFound)
  }
  return isFound
}

/** Puts the declared names and words in place of the others that callers use for them. Returns the value to use. */
export function replaceAliases(schema: SchemaNode, value: unknown): unknown {
  if (!hasAliases(schema)) return value
  if (typeof value === 'string') return replaceWord(schema, value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    if (schema.items && hasAliases(schema.items)) {
      for (const [index, item] of value.entries()) value[index] = replaceAliases(schema.items, item)
    }
    return value
  }
  replaceNames(schema, value as Record<string, unknown>)
  return value
}

function replaceWord({ enum: words }: SchemaNode, value: string): string {
  const meant = VALUE_ALIASES.get(value)
  return meant !== undefined && words?.includes(meant) && !words.includes(value) ? meant : value
}

function replaceNames(schema: SchemaNode, object: Record<string, unknown>): void {
  const fields = fieldEntries(schema)
  const names = new Set(fields.map(([name]) => name))
  gatherSource(schema, object)
  spreadSource(schema, object)
  if (NULLS_RULE in schema) dropNulls(object)
  for (const [name, field] of fields) {
    const aliases = ((field as Record<string, unknown>)[ALIASES_RULE] ?? []) as string[]
    const given = aliases.find(alias => Object.hasOwn(object, alias) && !names.has(alias))
    if (given !== undefined && !Object.hasOwn(object, name)) {
      const moved = object[given]
      object[name] = field.type === 'array' && typeof moved === 'string' ? [moved] : moved
      delete object[given]
    }
    if (Object.hasOwn(object, name)) object[name] = replaceAliases(field, object[name])
  }
}

function isNamedSource(schema: SchemaNode): boolean {
  return (schema as { [FILE_RULE]?: { named: boolean } })[FILE_RULE]?.named ?? false
}

/** A source with a name may stand in it, as `{"file": {"text": "a"}, "name": "a.txt"}`: other calls are sent it so. */
function spreadSource(schema: SchemaNode, object: Record<string, unknown>): void {
  const { file, name, ...others } = object
  if (!isNamedSource(schema) || typeof file !== 'object' || file === null || Array.isArray(file)) return
  if (Object.keys(others).length > 0 || (name !== undefined && Object.hasOwn(file, 'name'))) return
  delete object.file
  Object.assign(object, file)
}

function dropNulls(object: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(object)) if (value === null) delete object[name]
}

/** The source of a file may stand beside the other fields of an entry, as in the files of an archive. */
function gatherSource(schema: SchemaNode, object: Record<string, unknown>): void {
  const members = (schema as Record<string, unknown>)[SHORTHAND_RULE] as readonly string[] | undefined
  if (!members || Object.hasOwn(object, 'file')) return
  const given = members.filter(name => Object.hasOwn(object, name))
  if (given.length === 0) return
  object.file = Object.fromEntries(given.map(name => [name, object[name]]))
  for (const name of given) delete object[name]
}
