import { Problem } from '#kit'
import type { RowParams } from '../../../../tasks/formats/tables/steps/rows.ts'
import { toEngineType, toText } from '../read/types.ts'
import { columnOf, keepTexts, type Relation, requireFree } from '../relation.ts'
import { literal, name } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'

const MAX_ROWS = 2_000_000

export async function explode(
  work: Work,
  { input }: { input: Relation },
  params: RowParams['explode'],
): Promise<StepOutcome> {
  const { separator, explodeObject, keepEmpty } = params
  const column = columnOf(input, params.column)
  checkNames(input, column.name, params)
  const text = toText(column)
  if (separator === undefined) await requireJson(work, input, text, explodeObject, column.name)
  const list = splitCell(text, params)
  const filled = `(SELECT *, ${list} AS "\u0001list" FROM ${input.as})`
  const count = `SELECT coalesce(sum(greatest(len("\u0001list"), 1)), 0)::BIGINT FROM ${filled}`
  const total = await work.attempt(() => work.database.count(count))
  if (total > MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS, actual: total })
  const items = `CASE WHEN len("\u0001list") > 0 THEN "\u0001list" ELSE [NULL] END`
  const numbers = `unnest(range(1, greatest(coalesce(len("\u0001list"), 0), 1) + 1)) AS "\u0001index"`
  const rows = `(SELECT *, unnest(${items}) AS "\u0001item", ${numbers} FROM ${filled}${keepEmpty ? '' : ' WHERE len("\u0001list") > 0'})`
  const value = explodeObject
    ? `json_extract(${text}::JSON, '$."' || replace("\u0001item", '"', '\\"') || '"')`
    : '"\u0001item"'
  const select = `SELECT * EXCLUDE ("\u0001list", "\u0001item"), ${value} AS "\u0001value", "\u0001item" AS "\u0001key" FROM ${rows}`
  const exploded = await work.define(select, { isStored: true })
  const cell = separator === undefined ? await typedCell(work, exploded) : '"\u0001value"'
  const texts = keepTexts(input, [column.name])
  const cells = [...listCells(input, column.name, cell, params), ...[...texts.values()].map(name)]
  const table = await work.define(`SELECT ${cells.join(', ')} FROM ${exploded.as}`)
  return { table: { ...table, texts } }
}

function checkNames({ columns }: Relation, column: string, params: RowParams['explode']): void {
  const { separator, explodeObject, indexColumn } = params
  if (separator !== undefined && explodeObject) {
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['separator', 'explodeObject'] })
  }
  const key = { name: `${column}_key`, type: 'string' }
  if (explodeObject) requireFree(columns, key.name)
  if (indexColumn !== undefined) requireFree(explodeObject ? [...columns, key] : columns, indexColumn)
}

function splitCell(text: string, { separator, explodeObject }: RowParams['explode']): string {
  if (separator !== undefined) return `string_split(${text}, ${literal(separator)})`
  const json = `nullif(${text}, '')::JSON`
  return explodeObject ? `json_keys(${json})` : `json_extract(${json}, '$[*]')`
}

function listCells({ columns }: Relation, column: string, cell: string, params: RowParams['explode']): string[] {
  const cells = columns.map(({ name: other }) => (other === column ? `${cell} AS ${name(other)}` : name(other)))
  if (params.explodeObject) cells.push(`"\u0001key" AS ${name(`${column}_key`)}`)
  if (params.indexColumn !== undefined) {
    const isNothing = '"\u0001key" IS NULL AND "\u0001value" IS NULL'
    cells.push(`CASE WHEN ${isNothing} THEN NULL ELSE "\u0001index" END AS ${name(params.indexColumn)}`)
  }
  return cells
}

async function requireJson(
  work: Work,
  input: Relation,
  text: string,
  isObject: boolean,
  column: string,
): Promise<void> {
  const wanted = isObject ? 'OBJECT' : 'ARRAY'
  const isWrong = `${text} IS NOT NULL AND ${text} <> '' AND (NOT json_valid(${text}) OR json_type(CASE WHEN json_valid(${text}) THEN ${text} END) NOT IN ('${wanted}', 'NULL'))`
  const [bad] = await work.attempt(() =>
    work.database.rows<{ number: string; value: string }>(
      `SELECT number, value FROM (SELECT row_number() OVER () AS number, ${text} AS value, ${isWrong} AS is_wrong FROM ${input.as}) WHERE is_wrong LIMIT 1`,
    ),
  )
  if (!bad) return
  const hint = isObject ? 'cells are to be JSON objects' : 'cells are to be JSON lists, or set separator'
  throw new Problem('TYPE_MISMATCH', { column, row: Number(bad.number), value: bad.value.slice(0, 80), hint })
}

/** UBIGINT is what the engine calls any number without a sign. */
async function findIntegerType(work: Work, as: string, text: string): Promise<string> {
  const large = `SELECT count(*) FROM ${as} WHERE ${text} IS NOT NULL AND try_cast(${text} AS BIGINT) IS NULL`
  return toEngineType((await work.database.count(large)) > 0 ? 'bigint' : 'integer')
}

/** Elements of JSON get the type that all of them share. */
async function typedCell(work: Work, { as }: Relation): Promise<string> {
  const found = await work.database.rows<{ type: string | null }>(
    `SELECT DISTINCT json_type("\u0001value") AS type FROM ${as} WHERE "\u0001value" IS NOT NULL`,
  )
  const types = new Set(found.map(({ type }) => type).filter(type => type !== null && type !== 'NULL'))
  const isOnly = (...allowed: string[]) => types.size > 0 && [...types].every(type => allowed.includes(type!))
  const text = `("\u0001value" ->> '$')`
  if (isOnly('BIGINT', 'UBIGINT')) return `CAST(${text} AS ${await findIntegerType(work, as, text)})`
  if (isOnly('BIGINT', 'UBIGINT', 'DOUBLE')) return `try_cast(${text} AS DOUBLE)`
  if (isOnly('BOOLEAN')) return `try_cast(${text} AS BOOLEAN)`
  return types.has('OBJECT') || types.has('ARRAY') ? '"\u0001value"' : text
}
