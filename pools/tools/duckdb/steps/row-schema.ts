import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Problem } from '#kit'
import { compilePattern } from '../../regex.ts'
import { classifyText, unifyKinds } from '../read/cell-types.ts'
import { type Column, NUMERIC } from '../read/types.ts'
import type { Relation } from '../relation.ts'
import { name } from '../sql-text.ts'
import type { Work } from '../work.ts'
import { project } from '../write/projection.ts'
import type { Findings } from './findings.ts'
import { readSchemaColumns } from './schema-columns.ts'

const MAX_SCHEMA_BYTES = 256 * 1024
const MAX_DEPTH = 64

/** Formats by what they mean, each checked in linear time. */
const FORMATS: Record<string, (text: string) => boolean> = {
  date: text => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text),
  time: text => /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/i.test(text),
  'date-time': text =>
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) &&
    isDay(text.slice(0, 10)) &&
    !Number.isNaN(Date.parse(text.replace(' ', 'T'))),
  email: text => text.length <= 320 && /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(text),
  uri: text => URL.canParse(text),
  uuid: text => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  ipv4: text => /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(text),
  hostname: text =>
    text.length <= 253 && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(text),
}

/** A day such as 30 February is read as one of March, and so comes back as another. */
function isDay(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

type Check = ReturnType<Ajv['compile']>

/** Compiles a schema of the caller: nothing is fetched, and patterns run in linear time. */
function compileSchema(schema: unknown): Check {
  const size = Buffer.byteLength(JSON.stringify(schema))
  if (size > MAX_SCHEMA_BYTES) throw new Problem('SCHEMA_INVALID', { limit: MAX_SCHEMA_BYTES, actual: size })
  if (depthOf(schema) > MAX_DEPTH) throw new Problem('SCHEMA_INVALID', { detail: `deeper than ${MAX_DEPTH}` })
  const regExp = Object.assign(
    (pattern: string) => {
      const compiled = compilePattern({ pattern, flags: '' })
      // The validator takes patterns for the same if their texts are.
      return { test: (text: string) => compiled.matcher(text).find(), toString: () => `/${pattern}/` }
    },
    { code: 'compilePattern' },
  )
  const options = {
    strict: false,
    allErrors: true,
    formats: FORMATS,
    code: { regExp: regExp as never },
    logger: false,
  } as const
  const { $schema } = schema as { $schema?: unknown }
  const isOld = typeof $schema === 'string' && /draft-0?[467]/.test($schema)
  try {
    return isOld ? new Ajv(options).compile(schema as object) : new Ajv2020(options).compile(schema as object)
  } catch (error) {
    throw new Problem('SCHEMA_INVALID', { detail: (error as Error).message.slice(0, 300) })
  }
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth
  return Object.values(value).reduce((most: number, child) => Math.max(most, depthOf(child, depth + 1)), depth)
}

export async function checkRowsBySchema(
  work: Work,
  input: Relation,
  schema: unknown,
  maxErrors: number,
): Promise<Findings> {
  const check = compileSchema(schema)
  const findings: Omit<Findings, 'invalid'> = { errors: [], byRule: {} }
  const invalid: number[] = []
  const { cells } = await project(work.database, { relation: input.as, columns: input.columns }, 'json')
  const cellsAs = chooseReading(input, schema)
  let row = 0
  const select = `SELECT to_json(shown)::VARCHAR FROM (SELECT ${cells} FROM ${input.as}) AS shown`
  for await (const [texts] of work.database.chunks(select)) {
    for (const text of texts as string[]) {
      row++
      const value = parseRow(text, cellsAs)
      if (isValid(check, value)) continue
      invalid.push(row)
      for (const error of check.errors ?? []) addError(findings, row, value, error, maxErrors)
    }
  }
  const list = invalid.length === 0 ? 'SELECT 0 WHERE false' : await storeNumbers(work, invalid)
  return { ...findings, invalid: list }
}

function isValid(check: Check, value: unknown): boolean {
  try {
    return check(value) as boolean
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Problem('SCHEMA_INVALID', { detail: 'a $ref leads to itself without end' })
  }
}

interface Reading {
  numbers: readonly string[]
  scalars: readonly string[]
  texts: readonly string[]
}

const TYPED_FORMATS = ['json', 'ndjson', 'parquet']

/** The cells of a text have no types but those that the schema asks for, each by itself. */
function chooseReading({ columns, format = 'json' }: Relation, schema: unknown): Reading {
  const list = (isWanted: (column: Column) => boolean) => columns.filter(isWanted).map(column => column.name)
  const { texts, scalars } = readSchemaColumns(schema)
  const isLoose = !TYPED_FORMATS.includes(format)
  return {
    numbers: list(isLargeNumber),
    scalars: list(column => isLoose && column.type === 'string' && scalars.has(column.name)),
    texts: list(column => isLoose && format !== 'xlsx' && column.type !== 'json' && texts.has(column.name)),
  }
}

/** A missing cell is a missing property. */
function parseRow(text: string, { numbers, scalars, texts }: Reading): Record<string, unknown> {
  const value = JSON.parse(text) as Record<string, unknown>
  for (const column of numbers) if (typeof value[column] === 'string') value[column] = Number(value[column])
  for (const column of scalars) if (typeof value[column] === 'string') value[column] = readScalar(value[column])
  for (const column of texts) if ((value[column] ?? null) !== null) value[column] = String(value[column])
  return Object.fromEntries(Object.entries(value).filter(([, cell]) => cell !== null))
}

/** As a column would be read that has no other cell. */
function readScalar(text: string): unknown {
  const type = unifyKinds(classifyText(text, false))
  if (type === 'boolean') return text.toLowerCase() === 'true'
  return NUMERIC.test(type) ? Number(text) : text
}

function addError(
  { errors, byRule }: Omit<Findings, 'invalid'>,
  row: number,
  value: Record<string, unknown>,
  { instancePath, keyword, message = '', params }: ErrorObject,
  maxErrors: number,
): void {
  const column = readColumn(instancePath, params as { missingProperty?: string })
  const rule = `${column ?? ''}:${keyword}`
  byRule[rule] = (byRule[rule] ?? 0) + 1
  if (errors.length >= maxErrors) return
  errors.push({ row, column, rule: keyword, value: column === null ? null : (value[column] ?? null), message })
}

/** Large integers are strings in JSON, but to a schema they are numbers. */
function isLargeNumber({ type }: Column): boolean {
  return NUMERIC.test(type) && type !== 'number'
}

function readColumn(path: string, { missingProperty }: { missingProperty?: string }): string | null {
  if (path === '') return missingProperty ?? null
  return path.split('/')[1]!.replaceAll('~1', '/').replaceAll('~0', '~')
}

async function storeNumbers(work: Work, numbers: readonly number[]): Promise<string> {
  const { as } = await work.define('SELECT 0::BIGINT AS number WHERE false', { isStored: true })
  for (let at = 0; at < numbers.length; at += 50_000) {
    await work.database.run(`INSERT INTO ${as} SELECT unnest([${numbers.slice(at, at + 50_000).join(', ')}])`)
  }
  return `SELECT ${name('number')} FROM ${as}`
}
