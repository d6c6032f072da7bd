export interface FieldFacts {
  name: string
  type: string
  nulls: number
  isRequired: boolean
  /** The values of an enumeration. */
  values?: readonly string[]
  /** Of JSON: types of the engine in the place of values. */
  structure?: unknown
  examples: readonly string[]
}

type Dialect = 'json-schema' | 'duckdb' | 'postgres' | 'zod' | 'typescript' | 'bigquery'

export function renderSchema(dialect: Dialect, fields: readonly FieldFacts[]): unknown {
  switch (dialect) {
    case 'json-schema':
      return renderJsonSchema(fields)
    case 'bigquery':
      return fields.map(field => ({
        name: field.name,
        type: sqlType(field.type, BIGQUERY),
        mode: field.isRequired ? 'REQUIRED' : 'NULLABLE',
      }))
    case 'zod':
      return `z.object({\n${fields.map(field => `  ${key(field.name)}: ${zodType(field)}${field.isRequired ? '' : '.nullable()'},`).join('\n')}\n})`
    case 'typescript':
      return `interface Row {\n${fields.map(field => `  ${key(field.name)}: ${nullableScriptType(field)}`).join('\n')}\n}`
    default:
      return renderTable(fields, dialect === 'duckdb' ? DUCKDB : POSTGRES)
  }
}

const JSON_TYPES: Record<string, object> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  bigint: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T' },
  timestamptz: { type: 'string', format: 'date-time' },
  time: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
}

function renderJsonSchema(fields: readonly FieldFacts[]): object {
  const properties = Object.fromEntries(fields.map(field => [field.name, jsonType(field)]))
  const required = fields.filter(field => field.isRequired).map(field => field.name)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
  }
}

function jsonType({ type, values, isRequired, structure, nulls }: FieldFacts): object {
  if (structure !== undefined) return structureSchema(structure)
  const plain = type.startsWith('decimal') ? { type: 'number' } : (JSON_TYPES[type] ?? {})
  const given = values ? { ...plain, enum: values } : plain
  const isNullable = !isRequired && nulls > 0 && 'type' in given && !values
  return isNullable ? { ...given, type: [(given as { type: string }).type, 'null'] } : given
}

/** The schema of nested JSON from the structure that the engine finds. */
function structureSchema(structure: unknown): object {
  if (Array.isArray(structure)) return { type: 'array', items: structureSchema(structure[0]) }
  if (typeof structure === 'object' && structure !== null) {
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(structure).map(([name, inner]) => [name, structureSchema(inner)])),
    }
  }
  const types: Record<string, string> = {
    VARCHAR: 'string',
    BIGINT: 'integer',
    UBIGINT: 'integer',
    DOUBLE: 'number',
    BOOLEAN: 'boolean',
    NULL: 'null',
  }
  const type = types[String(structure)]
  return type ? { type } : {}
}

type SqlTypes = Record<string, string>
const DUCKDB: SqlTypes = {
  string: 'VARCHAR',
  integer: 'BIGINT',
  bigint: 'DECIMAL(38,0)',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  datetime: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  time: 'TIME',
  json: 'JSON',
  uuid: 'UUID',
  binary: 'BLOB',
}
const POSTGRES: SqlTypes = {
  ...DUCKDB,
  string: 'text',
  integer: 'bigint',
  bigint: 'numeric(38,0)',
  number: 'double precision',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamp',
  timestamptz: 'timestamptz',
  time: 'time',
  json: 'jsonb',
  uuid: 'uuid',
  binary: 'bytea',
}
const BIGQUERY: SqlTypes = {
  string: 'STRING',
  integer: 'INT64',
  bigint: 'BIGNUMERIC',
  number: 'FLOAT64',
  boolean: 'BOOL',
  date: 'DATE',
  datetime: 'DATETIME',
  timestamptz: 'TIMESTAMP',
  time: 'TIME',
  json: 'JSON',
  uuid: 'STRING',
  binary: 'BYTES',
}

function sqlType(type: string, types: SqlTypes): string {
  if (type.startsWith('decimal')) return types === BIGQUERY ? 'BIGNUMERIC' : type.toUpperCase()
  return types[type] ?? types.string!
}

function renderTable(fields: readonly FieldFacts[], types: SqlTypes): string {
  const lines = fields.map(
    field =>
      `  "${field.name.replaceAll('"', '""')}" ${sqlType(field.type, types)}${field.isRequired ? ' NOT NULL' : ''}`,
  )
  return `CREATE TABLE input (\n${lines.join(',\n')}\n);`
}

const SCRIPT_TYPES: Record<string, string> = {
  integer: 'number',
  bigint: 'string',
  number: 'number',
  boolean: 'boolean',
  json: 'unknown',
  unknown: 'unknown',
}

function key(text: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(text) ? text : JSON.stringify(text)
}

function nullableScriptType(field: FieldFacts): string {
  const type = scriptType(field)
  return field.isRequired || type === 'unknown' ? type : `${type} | null`
}

function scriptType({ type, values }: FieldFacts): string {
  if (values) return values.map(value => JSON.stringify(value)).join(' | ')
  return type.startsWith('decimal') ? 'number' : (SCRIPT_TYPES[type] ?? 'string')
}

function zodType({ type, values }: FieldFacts): string {
  if (values) return `z.enum(${JSON.stringify(values)})`
  const types: Record<string, string> = {
    integer: 'z.number().int()',
    number: 'z.number()',
    boolean: 'z.boolean()',
    json: 'z.unknown()',
    unknown: 'z.unknown()',
    date: 'z.iso.date()',
    uuid: 'z.uuid()',
  }
  return type.startsWith('decimal') ? 'z.number()' : (types[type] ?? 'z.string()')
}
