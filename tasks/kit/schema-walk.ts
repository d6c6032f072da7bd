import type { TSchema } from 'typebox'

/** A JSON schema, typed by the keywords that schemas of this project use. */
export interface SchemaNode extends TSchema {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  default?: unknown
  maxLength?: number
  required?: readonly string[]
  properties?: Record<string, SchemaNode>
  additionalProperties?: SchemaNode | boolean
  patternProperties?: Record<string, SchemaNode>
  items?: SchemaNode
  prefixItems?: readonly SchemaNode[]
  oneOf?: readonly SchemaNode[]
  anyOf?: readonly SchemaNode[]
}

/** The keywords under which a schema holds others: one, several in a list, or several by name. */
const SCHEMA_KEYWORDS = ['items', 'additionalProperties', 'not', 'contains']
const LIST_KEYWORDS = ['oneOf', 'anyOf', 'allOf', 'prefixItems']
const MAP_KEYWORDS = ['properties', 'patternProperties', '$defs']

/** A copy of a schema in which each schema directly inside it is replaced by what `change` makes of it. */
export function mapChildSchemas<Schema extends TSchema>(
  schema: Schema,
  change: (child: SchemaNode) => TSchema,
): Schema {
  const mapped = { ...schema } as Record<string, unknown>
  for (const keyword of LIST_KEYWORDS) {
    const list = mapped[keyword]
    if (Array.isArray(list)) mapped[keyword] = list.map(child => change(child))
  }
  for (const keyword of MAP_KEYWORDS) {
    const map = mapped[keyword]
    if (isObject(map)) {
      mapped[keyword] = Object.fromEntries(Object.entries(map).map(([name, child]) => [name, change(child)]))
    }
  }
  for (const keyword of SCHEMA_KEYWORDS) {
    const child = mapped[keyword]
    if (isObject(child)) mapped[keyword] = change(child)
  }
  return mapped as Schema
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The schemas directly inside a schema. */
export function childSchemas(schema: TSchema): SchemaNode[] {
  const children: SchemaNode[] = []
  mapChildSchemas(schema, child => {
    children.push(child)
    return child
  })
  return children
}

/** The alternatives of a union; none where the schema is not a union. */
export function alternativesOf(schema: TSchema): SchemaNode[] {
  const { oneOf = [], anyOf = [] } = schema as SchemaNode
  return [...oneOf, ...anyOf]
}

/** The fields of an object and, where it is a union, of each alternative; a name may come more than once. */
export function fieldEntries(schema: TSchema): [name: string, field: SchemaNode][] {
  return [schema as SchemaNode, ...alternativesOf(schema)].flatMap(({ properties = {} }) => Object.entries(properties))
}

/** The required fields that have no default: those that a caller must give. */
export function requiredFromCaller(schema: TSchema): string[] {
  const { required = [], properties = {} } = schema as SchemaNode
  return required.filter(name => properties[name]?.default === undefined)
}
