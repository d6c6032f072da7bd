import { Problem } from '#kit'

/** The part of JSON Schema that values can be made from. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, unknown>
  required?: string[]
  items?: unknown
  prefixItems?: unknown[]
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  allOf?: unknown[]
  anyOf?: unknown[]
  oneOf?: unknown[]
}

const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const isText = (value: unknown) => typeof value === 'string'
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)

/** What each keyword must be. */
const SHAPES: Record<string, (value: unknown) => boolean> = {
  ...{ $ref: isText, pattern: isText, format: isText, enum: Array.isArray, prefixItems: Array.isArray },
  ...{ allOf: Array.isArray, anyOf: Array.isArray, oneOf: Array.isArray, required: isTexts },
  ...{ minItems: isCount, maxItems: isCount, minLength: isCount, maxLength: isCount },
  ...{ minimum: isNumber, maximum: isNumber, exclusiveMinimum: isNumber, exclusiveMaximum: isNumber },
  type: value => isText(value) || (isTexts(value) && (value as string[]).length > 0),
  multipleOf: value => isNumber(value) && (value as number) > 0,
  properties: value => typeof value === 'object' && value !== null && !Array.isArray(value),
}

export function checkShapes(schema: object, path: string): void {
  for (const [name, value] of Object.entries(schema))
    if (Object.hasOwn(SHAPES, name) && !SHAPES[name]!(value))
      throw new Problem('SCHEMA_INVALID', { path: `${path}/${name}`, reason: 'not a value that this keyword has' })
}

/** The types that a value may have; without the keyword, those that the others speak of. */
export function typesOf(schema: Schema): string[] {
  if (schema.type !== undefined) return [schema.type].flat()
  if (schema.properties) return ['object']
  if (schema.items !== undefined || schema.prefixItems) return ['array']
  const hasLimit = [schema.minimum, schema.maximum, schema.multipleOf, schema.exclusiveMinimum].some(
    value => value !== undefined,
  )
  return hasLimit ? ['number'] : ['string']
}

/** A reference to another place of the same schema; what stands beside it applies too. */
export function inlineReference(root: Schema, { $ref, ...rest }: Schema, path: string): Schema {
  if (!$ref!.startsWith('#')) throw new Problem('SCHEMA_INVALID', { path, reason: 'references lead out of the schema' })
  const steps = $ref!
    .slice(1)
    .split('/')
    .filter(step => step !== '')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  let target: unknown = root
  for (const step of steps) {
    const isThere = typeof target === 'object' && target !== null && Object.hasOwn(target, step)
    if (!isThere) throw new Problem('SCHEMA_INVALID', { path, reason: `${$ref} is not there` })
    target = (target as Record<string, unknown>)[step]
  }
  if (typeof target !== 'object' || target === null)
    throw new Problem('SCHEMA_INVALID', { path, reason: `${$ref} is no schema` })
  return Object.keys(rest).length === 0 ? (target as Schema) : { allOf: [target, rest] }
}

const JOIN: { [Name in keyof Schema]?: (a: never, b: never) => unknown } = {
  minimum: Math.max as never,
  exclusiveMinimum: Math.max as never,
  minLength: Math.max as never,
  minItems: Math.max as never,
  maximum: Math.min as never,
  exclusiveMaximum: Math.min as never,
  maxLength: Math.min as never,
  maxItems: Math.min as never,
  required: (a: string[], b: string[]) => [...new Set([...a, ...b])],
  enum: (a: unknown[], b: unknown[]) => a.filter(value => b.some(other => isSame(value, other))),
  type: (a: string | string[], b: string | string[]) => joinTypes([a].flat(), [b].flat()),
  properties: (a: Record<string, unknown>, b: Record<string, unknown>) =>
    Object.fromEntries(
      Object.keys({ ...a, ...b }).map(name => [
        name,
        Object.hasOwn(a, name) && Object.hasOwn(b, name) ? { allOf: [a[name], b[name]] } : (a[name] ?? b[name]),
      ]),
    ),
}

/** A schema that only values of both meet. */
export function intersect(a: Schema, b: Schema, path: string): Schema {
  const joined: Record<string, unknown> = { ...a }
  for (const [name, value] of Object.entries(b)) {
    const own = joined[name]
    const join = JOIN[name as keyof Schema]
    if (own === undefined || isSame(own, value) || ANNOTATIONS.has(name)) joined[name] = value
    else if (join) joined[name] = join(own as never, value as never)
    else throw new Problem('SCHEMA_INVALID', { path: `${path}/${name}`, reason: 'two of them are not joined' })
  }
  return joined
}

const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples', '$comment'])

function joinTypes(a: readonly string[], b: readonly string[]): string[] {
  const fits = (type: string, others: readonly string[]) =>
    others.includes(type) || (type === 'integer' && others.includes('number'))
  const joined = [...a.filter(type => fits(type, b)), ...b.filter(type => fits(type, a))]
  return [...new Set(joined)]
}

/** Whether no value meets both. Only what is certain counts. */
export function isDisjoint(a: Schema, b: Schema): boolean {
  const [valuesOfA, valuesOfB] = [fixedValues(a), fixedValues(b)]
  if (valuesOfA && valuesOfB) return !valuesOfA.some(value => valuesOfB.some(other => isSame(value, other)))
  if (a.type !== undefined && b.type !== undefined && joinTypes([a.type].flat(), [b.type].flat()).length === 0)
    return true
  const shared = (a.required ?? []).filter(name => b.required?.includes(name))
  return shared.some(name => {
    const [left, right] = [a.properties?.[name], b.properties?.[name]]
    return isObject(left) && isObject(right) && isDisjoint(left, right)
  })
}

function fixedValues(schema: Schema): unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
