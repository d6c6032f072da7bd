import { name } from '../sql-text.ts'

export interface Column {
  name: string
  /** As our callers know it. */
  type: string
}

/** The types of the engine that ours are kept in. */
const ENGINE_TYPES: Record<string, string> = {
  string: 'VARCHAR',
  integer: 'BIGINT',
  bigint: 'DECIMAL(38,0)',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  datetime: 'TIMESTAMP',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  time: 'TIME',
  json: 'JSON',
  uuid: 'UUID',
}

export function toEngineType(type: string): string {
  return ENGINE_TYPES[type] ?? type.toUpperCase()
}

const OUR_TYPES: Record<string, string> = {
  ...Object.fromEntries(Object.entries(ENGINE_TYPES).map(([ours, engine]) => [engine, ours])),
  ...Object.fromEntries(
    ['TINYINT', 'SMALLINT', 'INTEGER', 'UTINYINT', 'USMALLINT', 'UINTEGER'].map(type => [type, 'integer']),
  ),
  ...{
    FLOAT: 'number',
    HUGEINT: 'bigint',
    UHUGEINT: 'bigint',
    UBIGINT: 'bigint',
    BLOB: 'binary',
    INTERVAL: 'interval',
  },
  ...{ TIMESTAMP_S: 'datetime', TIMESTAMP_MS: 'datetime', TIMESTAMP_NS: 'datetime', 'TIME WITH TIME ZONE': 'time' },
}

export function fromEngineType(type: string): string {
  if (/^(?:STRUCT|MAP|UNION)|\]$/.test(type)) return 'json'
  if (type.startsWith('DECIMAL')) return type === 'DECIMAL(38,0)' ? 'bigint' : type.toLowerCase()
  if (type.startsWith('ENUM')) return 'string'
  return OUR_TYPES[type] ?? 'string'
}

/** Digits that a number of 64 bits has in any case. */
export const SURE_DIGITS = 15

export const NUMERIC = /^(?:integer|bigint|number|decimal)/

/** The type that holds the values of several types of numbers; undefined if it might round one of them. */
export function unifyNumbers(types: readonly string[], mayBeLarge: boolean): string | undefined {
  if (types.every(type => type === 'integer' || type === 'bigint')) return 'bigint'
  if (!types.includes('number')) return unifyDecimals(types)
  const isWide = types.some(type => type.startsWith('decimal') && readPrecision(type)[0] > SURE_DIGITS)
  return mayBeLarge || isWide ? undefined : 'number'
}

const MAX_PRECISION = 38

function unifyDecimals(types: readonly string[]): string | undefined {
  const precisions = types.map(readPrecision)
  const scale = Math.max(...precisions.map(([, each]) => each))
  const whole = Math.max(...precisions.map(([digits, each]) => digits - each))
  return whole + scale > MAX_PRECISION ? undefined : `decimal(${whole + scale},${scale})`
}

/** The digits of a type, and how many of them are a fraction. */
function readPrecision(type: string): [number, number] {
  if (type === 'integer') return [19, 0]
  if (type === 'bigint') return [MAX_PRECISION, 0]
  const [, digits, scale] = /\((\d+),(\d+)\)/.exec(type)!
  return [Number(digits), Number(scale)]
}

/** The value of a text as another type; NULL where it is not one. No digit is dropped and nothing is rounded. */
export function castText(text: string, type: string): string {
  const whole = `regexp_full_match(${text}, '[+-]?\\d+')`
  switch (type) {
    case 'string':
      return text
    case 'integer':
    case 'bigint':
      return `CASE WHEN ${whole} THEN try_cast(${text} AS ${toEngineType(type)}) END`
    case 'number':
      return `CASE WHEN regexp_full_match(${text}, '[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?') AND isfinite(try_cast(${text} AS DOUBLE)) THEN try_cast(${text} AS DOUBLE) END`
    case 'boolean':
      return `CASE lower(${text}) WHEN 'true' THEN true WHEN 'false' THEN false END`
    case 'date':
      return `CASE WHEN regexp_full_match(${text}, '\\d{4}-\\d{2}-\\d{2}') THEN try_cast(${text} AS DATE) END`
    case 'datetime':
      // As a TIMESTAMP the engine would drop the distance from UTC, which is also the zone of the database.
      return `try_cast(${text} AS TIMESTAMPTZ)::TIMESTAMP`
    case 'json':
      return `CASE WHEN json_valid(${text}) THEN ${text}::JSON END`
    default:
      return type.startsWith('decimal') ? castDecimal(text, type) : `try_cast(${text} AS ${toEngineType(type)})`
  }
}

function castDecimal(text: string, type: string): string {
  const scale = Number(/,(\d+)\)/.exec(type)![1])
  const form = `[+-]?\\d+(?:\\.\\d{0,${scale}}0*)?`
  return `CASE WHEN regexp_full_match(${text}, '${form}') THEN try_cast(${text} AS ${type.toUpperCase()}) END`
}

const MAX_EXPONENT_TEXT = 38

/** An integer or a decimal written as 1.5e3. The engine rounds what has more digits than the type, so that is left out. */
export function castExponent(text: string, type: string, decimal: '.' | ','): string {
  const isWhole = type === 'integer' || type === 'bigint'
  const scale = isWhole ? 0 : Number(/,(\d+)\)/.exec(type)![1])
  const point = decimal === ',' ? ',' : '\\.'
  const form = `[+-]?\\d+(?:${point}\\d*)?[eE][+-]?\\d{1,2}`
  const fraction = `length(rtrim(regexp_extract(${text}, '${point}(\\d*)', 1), '0'))`
  const exponent = `try_cast(regexp_extract(${text}, '[eE]([+-]?\\d+)$', 1) AS INTEGER)`
  const isExact = `regexp_full_match(${text}, '${form}') AND length(${text}) <= ${MAX_EXPONENT_TEXT} AND ${fraction} - ${exponent} <= ${scale}`
  const plain = decimal === ',' ? `replace(${text}, ',', '.')` : text
  const value = `try_cast(${plain} AS ${isWhole ? 'DECIMAL(38,0)' : type.toUpperCase()})`
  return `CASE WHEN ${isExact} THEN try_cast(${value} AS ${toEngineType(type)}) END`
}

/** A column as text: the text from which `castText` makes the same value again. */
export function toText({ name: column, type }: Column, from = name(column)): string {
  if (type === 'string') return `${from}::VARCHAR`
  // As people write it, and as the same value is written where a column has whole numbers only.
  if (type === 'number')
    return `CASE WHEN ${from} = floor(${from}) AND abs(${from}) < 1e15 THEN ${from}::BIGINT::VARCHAR ELSE ${from}::VARCHAR END`
  if (type === 'datetime') return `replace(${from}::VARCHAR, ' ', 'T')`
  if (type === 'timestamptz') return `(replace((${from} AT TIME ZONE 'UTC')::VARCHAR, ' ', 'T') || 'Z')`
  if (type === 'binary') return `to_base64(${from})`
  if (type === 'json') return `to_json(${from})::VARCHAR`
  return `${from}::VARCHAR`
}
