/** What is wrong with a schema, and where in it. */
interface Malformation {
  /** A JSON Pointer into the schema. */
  path: string
  reason: string
}

type Find = (value: unknown, path: string, walk: Walk) => Malformation | undefined

interface Walk {
  root: unknown
  depth: number
}

const MAX_DEPTH = 64
export const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

const findInSchemas: Find = (value, path, walk) =>
  isRecord(value)
    ? findFirst(Object.entries(value), ([name, schema]) => findInSchema(schema, `${path}/${escapeName(name)}`, walk))
    : { path, reason: 'must be an object of schemas' }

const findInList: Find = (value, path, walk) =>
  Array.isArray(value) && value.length > 0
    ? findFirst([...value.entries()], ([index, schema]) => findInSchema(schema, `${path}/${index}`, walk))
    : { path, reason: 'must be a list of schemas' }

const findInSchema: Find = (value, path, { root, depth }) => {
  if (typeof value === 'boolean') return undefined
  if (!isRecord(value)) return { path, reason: 'must be a schema: an object, true or false' }
  if (depth > MAX_DEPTH) return { path, reason: `is nested more than ${MAX_DEPTH} times` }
  const walk = { root, depth: depth + 1 }
  return findFirst(Object.entries(value), ([name, content]) =>
    Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name]!(content, `${path}/${escapeName(name)}`, walk) : undefined,
  )
}

const be =
  (reason: string, fits: (value: unknown) => boolean): Find =>
  (value, path) =>
    fits(value) ? undefined : { path, reason: `must be ${reason}` }

const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every(one => typeof one === 'string')
const Text = be('a text', value => typeof value === 'string')
const Num = be('a number', value => typeof value === 'number')
const Count = be('a whole number of at least 0', value => Number.isInteger(value) && (value as number) >= 0)

/** The keywords that are understood; others have no effect. */
const KEYWORDS: Readonly<Record<string, Find>> = {
  type: be(`one or several of ${TYPES.join(', ')}`, value => {
    const names = [value].flat()
    return names.length > 0 && names.every(name => TYPES.includes(name as string))
  }),
  $ref: (value, path, { root }) =>
    typeof value === 'string' && resolveReference(root, value) !== undefined
      ? undefined
      : { path, reason: 'must name a part of this schema, such as #/$defs/price' },
  enum: be('a list of values', value => Array.isArray(value) && value.length > 0),
  ...byName(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'], findInSchemas),
  ...byName(['allOf', 'anyOf', 'oneOf', 'prefixItems'], findInList),
  ...byName(['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'], findInSchema),
  required: be('a list of names', isStrings),
  dependentRequired: be(
    'an object of lists of names',
    value => isRecord(value) && Object.values(value).every(isStrings),
  ),
  ...byName(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], Count),
  ...byName(['minContains', 'maxContains'], Count),
  ...byName(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], Num),
  multipleOf: be('a number above 0', value => typeof value === 'number' && value > 0),
  uniqueItems: be('true or false', value => typeof value === 'boolean'),
  ...byName(['pattern', 'format', 'title', 'description'], Text),
}

function byName(names: readonly string[], find: Find): Record<string, Find> {
  return Object.fromEntries(names.map(name => [name, find]))
}

/** The first thing in a schema by which no value could be judged; undefined if it is well formed. */
export function findMalformation(schema: unknown): Malformation | undefined {
  return findInSchema(schema, '', { root: schema, depth: 0 })
}

/** The part of a schema that a reference within it names; undefined if there is none. */
export function resolveReference(root: unknown, reference: string): unknown {
  if (!/^#(?:\/|$)/.test(reference)) return undefined
  const names = reference.slice(1).split('/').slice(1).map(unescapeName)
  const found = names.reduce<unknown>(
    (at, name) => (isRecord(at) || Array.isArray(at) ? (at as Record<string, unknown>)[name] : undefined),
    root,
  )
  return isRecord(found) || typeof found === 'boolean' ? found : undefined
}

function unescapeName(name: string): string {
  return decodeLeniently(name).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decodeLeniently(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

export function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function findFirst<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
