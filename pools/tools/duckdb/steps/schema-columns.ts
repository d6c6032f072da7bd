/** What a JSON Schema of rows says of the types of its columns. */
interface SchemaColumns {
  /** Columns whose values are to be strings. */
  texts: ReadonlySet<string>
  /** Columns whose values are to be numbers or booleans, and no strings. */
  scalars: ReadonlySet<string>
}

const SCALARS = ['integer', 'number', 'boolean']

export function readSchemaColumns(schema: unknown): SchemaColumns {
  const { properties } = (schema ?? {}) as { properties?: Record<string, unknown> }
  const columns = Object.entries(properties ?? {}).map(([column, property]) => ({ column, ...readType(property) }))
  const list = (wanted: typeof columns) => new Set(wanted.map(({ column }) => column))
  return {
    texts: list(columns.filter(({ isText, isScalar }) => isText && !isScalar)),
    scalars: list(columns.filter(({ isText, isScalar }) => isScalar && !isText)),
  }
}

function readType(property: unknown): { isText: boolean; isScalar: boolean } {
  const { type } = (property ?? {}) as { type?: unknown }
  const wanted: unknown[] = Array.isArray(type) ? type : [type]
  return { isText: wanted.includes('string'), isScalar: SCALARS.some(each => wanted.includes(each)) }
}
