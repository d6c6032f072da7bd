import { type Static, Type } from 'typebox'
import { Choice, FileInput, FileOutput } from '#kit'
import { CONTENT_TYPES, Dialect, OutDialect } from '../dialect.ts'

export const TABLE_FORMATS = ['csv', 'tsv', 'json', 'ndjson', 'parquet', 'xlsx'] as const
export type TableFormat = (typeof TABLE_FORMATS)[number]

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export const TABLE_TYPES: Record<TableFormat, string> = {
  ...CONTENT_TYPES,
  parquet: 'application/vnd.apache.parquet',
  xlsx: XLSX_TYPE,
}

export const Count = Type.Integer({ minimum: 0 })
export const ColumnName = Type.String({ minLength: 1, maxLength: 1000 })
export const ColumnNames = Type.Array(ColumnName, { minItems: 1, maxItems: 2000 })

export const ColumnType = Type.String({
  pattern:
    '^(string|integer|bigint|number|decimal\\((?:[1-9]|[12]\\d|3[0-8]),(?:[12]?\\d|3[0-8])\\)|boolean|date|datetime|timestamptz|time|json|uuid)$',
  description:
    'string, integer (64 bits), bigint (38 digits), number (double), decimal(p,s), boolean, date, datetime, timestamptz, time, json or uuid.',
  examples: ['string', 'integer', 'number', 'decimal(10,2)', 'boolean', 'date', 'datetime', 'uuid'],
})

/** A map from names of columns. */
export function byColumn<Value>(value: object, description?: string) {
  return Type.Unsafe<Record<string, Value>>({
    type: 'object',
    additionalProperties: value,
    minProperties: 1,
    maxProperties: 2000,
    ...(description && { description }),
  })
}

const TABLE_SETTINGS = {
  format: Choice(['auto', ...TABLE_FORMATS], { default: 'auto' }),
  csv: Dialect,
  sheet: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1000 }), Type.String({ minLength: 1, maxLength: 255 })], {
      description: 'Of a workbook: the name of a sheet or its position. Left out: the first.',
    }),
  ),
  types: Type.Optional(byColumn<string>(ColumnType, 'Types of columns, instead of those inferred.')),
  infer: Choice(['safe', 'none', 'loose'], {
    default: 'safe',
    description:
      'safe: a type is inferred only if no value would change, so 007 and +491701234567 stay text; numbers that 64 bits would round are bigint or decimal. loose: also TRUE, a plus before many digits, and cells with spaces around them. none: text stays text. Filters, sorts and other steps that pass cells of CSV on to CSV leave them as they are written; what joins, groups and SQL write has numbers in their shortest form (19.90 as 19.9), unless `types` or none keeps them as text.',
  }),
  onCastError: Choice(['error', 'null'], {
    default: 'error',
    description: 'What happens to a cell that is not of the type in `types`.',
  }),
}
const TableSettings = Type.Object(TABLE_SETTINGS)
export type TableSettings = Static<typeof TableSettings>

const DEFAULT_DIALECT: Dialect = {
  delimiter: 'auto',
  quote: '"',
  escape: '"',
  header: 'auto',
  encoding: 'auto',
  skipRows: 0,
  ragged: 'error',
  trim: false,
  decimal: '.',
}

/** A file that came as the body itself has no settings. */
export function completeSettings(given: Partial<TableSettings> | undefined): TableSettings {
  const settings = { format: 'auto', infer: 'safe', onCastError: 'error', ...given } as const
  return { ...settings, csv: { ...DEFAULT_DIALECT, ...given?.csv } }
}

export function TableFile(description = 'The table: CSV, TSV, JSON, NDJSON, Parquet or XLSX.') {
  return FileInput({ rows: true, named: true, description, options: TABLE_SETTINGS })
}

/** Every operation writes its table in the same ways. */
export const OUTPUT_FIELDS = {
  outFormat: Type.Optional(Choice(TABLE_FORMATS, { description: 'Left out: that of the input.' })),
  outCsv: OutDialect,
  preview: Type.Integer({
    default: 5,
    minimum: 0,
    maximum: 50,
    description: 'How many rows of the result to show in the answer.',
  }),
}

export const TableOutput = FileOutput(Object.values(TABLE_TYPES))

export const Columns = Type.Array(Type.Object({ name: Type.String(), type: Type.String() }))

export const Preview = Type.Optional(
  Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: 'The first rows of the result.' }),
)

export const TABLE_RESULT = {
  output: TableOutput,
  rowsIn: Count,
  rowsOut: Count,
  columns: Columns,
  preview: Preview,
}

/** Problems that any operation that reads and writes tables may answer with. */
export const STEP_ERRORS = [
  'CSV_PARSE_FAILED',
  'JSON_PARSE_FAILED',
  'XLSX_PARSE_FAILED',
  'XLSX_ENCRYPTED',
  'PARQUET_PARSE_FAILED',
  'SHEET_NOT_FOUND',
  'NOT_TABULAR',
  'RAGGED_ROW',
  'UNSUPPORTED_FORMAT',
  'INPUT_EMPTY',
  'TYPE_MISMATCH',
  'COLUMN_NOT_FOUND',
  'TOO_MANY_COLUMNS',
  'TOO_MANY_ROWS',
  'OUTPUT_TOO_LARGE',
  'INVALID_PARAM',
  'UNKNOWN_FIELD',
  'CONFLICTING_OPTIONS',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
] as const

export const EXPRESSION_ERRORS = ['EXPRESSION_INVALID', 'EXPRESSION_FORBIDDEN', 'REGEX_INVALID'] as const

export const Expression = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: "An expression over the columns in SQL, such as amount * 1.2 or lower(city) = 'rome'.",
})
