import { Problem } from '#kit'
import type { ColumnParams } from '../../../../tasks/formats/tables/steps/columns.ts'
import { type Column, castExponent, castText, NUMERIC, toText } from '../read/types.ts'
import { columnOf, keepTexts, type Relation } from '../relation.ts'
import { literal, name } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'

type Params = ColumnParams['cast']

interface Conversion {
  column: Column
  type: string
  /** The text of the cell; what is empty counts as missing. */
  text: string
  value: string
}

export async function cast(work: Work, { input }: { input: Relation }, params: Params): Promise<StepOutcome> {
  for (const option of ['dateFormat', 'from'] as const) {
    for (const wanted of Object.keys(params[option] ?? {})) requireTyped(columnOf(input, wanted), input, params, option)
  }
  for (const format of Object.values(params.dateFormat ?? {})) await checkFormat(work, format)
  const planned = Object.entries(params.types).map(([wanted, type]) =>
    planConversion(columnOf(input, wanted), type, params),
  )
  const { conversions, failed } = await readExponents(work, input, planned, params)
  if (params.onError === 'error')
    await reportFirst(
      work,
      input,
      conversions.filter(({ column }) => failed[column.name]! > 0),
    )
  const byName = new Map(conversions.map(conversion => [conversion.column.name, conversion]))
  const cells = input.columns.map(column => {
    const conversion = byName.get(column.name)
    if (!conversion) return name(column.name)
    const keepsText = params.onError === 'keep' && failed[column.name]! > 0
    return `${keepsText ? toText(column) : conversion.value} AS ${name(column.name)}`
  })
  const texts = keepTexts(input, [...byName.keys()])
  const hidden = [...texts.values()].map(name)
  const table = await work.define(`SELECT ${[...cells, ...hidden].join(', ')} FROM ${input.as}`)
  const kept = Object.entries(failed).filter(([, count]) => count > 0 && params.onError === 'keep')
  const warnings = kept.map(([column, count]) => ({
    code: 'COLUMN_KEPT',
    message: `The column ${column} stays text: ${count} cells are not of the type.`,
  }))
  return { table: { ...table, texts, rowsOf: input }, facts: { failed }, warnings }
}

/** What is said of a column has an effect only if the column is cast. */
function requireTyped(column: Column, input: Relation, params: Params, option: 'dateFormat' | 'from'): void {
  const isIn = (map: object = {}) => Object.keys(map).some(wanted => columnOf(input, wanted) === column)
  if (!isIn(params.types)) throw new Problem('MISSING_FIELD', { field: `types.${column.name}` })
  if (option === 'from' && isIn(params.dateFormat)) {
    throw new Problem('CONFLICTING_OPTIONS', { fields: [`dateFormat.${column.name}`, `from.${column.name}`] })
  }
}

async function checkFormat(work: Work, format: string): Promise<void> {
  try {
    await work.database.count(`SELECT (try_strptime('', ${literal(format)}) IS NULL)::INTEGER`)
  } catch (error) {
    const detail = (error as Error).message.replace(/^.*?Error: /, '').slice(0, 200)
    throw new Problem('INVALID_PARAM', { field: 'dateFormat', value: format, detail })
  }
}

function planConversion(column: Column, type: string, params: Params): Conversion {
  const given = toText(column)
  const text = type === 'string' ? given : `nullif(trim(${given}), '')`
  const format = params.dateFormat?.[column.name]
  if (format !== undefined) return { column, type, text, value: parseDate(text, type, format) }
  if (params.from?.[column.name] === 'excelSerial') return { column, type, text, value: fromSerial(text, type) }
  if (type === 'boolean') return { column, type, text, value: parseBoolean(text, params) }
  if (NUMERIC.test(type)) return { column, type, text, value: parseNumber(text, type, params.decimal) }
  return { column, type, text, value: castText(text, type) }
}

function parseDate(text: string, type: string, format: string): string {
  if (!['date', 'datetime', 'timestamptz', 'time'].includes(type))
    throw new Problem('INVALID_PARAM', {
      field: 'dateFormat',
      detail: 'it needs the type date, datetime, timestamptz or time',
    })
  const target = type === 'date' ? 'DATE' : type === 'time' ? 'TIME' : type === 'datetime' ? 'TIMESTAMP' : 'TIMESTAMPTZ'
  return `try_strptime(${text}, ${literal(format)})::${target}`
}

/** Spreadsheets count days from 1899-12-30, except before March 1900, where they are one ahead. */
function fromSerial(text: string, type: string): string {
  if (type !== 'date' && type !== 'datetime')
    throw new Problem('INVALID_PARAM', { field: 'from', detail: 'excelSerial needs the type date or datetime' })
  const serial = castText(text, 'number')
  const days = `(${serial}) + CASE WHEN (${serial}) < 60 THEN 1 ELSE 0 END`
  const value = `make_timestamp(CAST(round((${days} - 25569) * 86400000) * 1000 AS BIGINT))`
  const inRange = `CASE WHEN (${serial}) BETWEEN 0 AND 2958465.99999 THEN ${value} END`
  return type === 'date' ? `(${inRange})::DATE` : inRange
}

function parseBoolean(text: string, { trueValues, falseValues }: Params): string {
  const list = (values: readonly string[]) => values.map(value => literal(value.toLowerCase())).join(', ')
  const isIn = (values: readonly string[]) => (values.length === 0 ? 'false' : `lower(${text}) IN (${list(values)})`)
  return `CASE WHEN ${isIn(trueValues)} THEN true WHEN ${isIn(falseValues)} THEN false END`
}

/** A fraction of zeros makes an integer no other number. */
function parseNumber(text: string, type: string, decimal: '.' | ','): string {
  const plain = plainNumber(text, decimal)
  const isWhole = type === 'integer' || type === 'bigint'
  return castText(isWhole ? `regexp_replace(${plain}, '^([+-]?\\d+)\\.0*$', '\\1')` : plain, type)
}

/** Between thousands: spaces, also those at which no line ends, and the apostrophes of Switzerland. */
const THOUSANDS_MARKS = [' ', '\u00a0', '\u2009', '\u202f', "'", '\u2019']

/** A number without marks for thousands, with a point, and with a minus instead of the brackets of accountants. */
function plainNumber(text: string, decimal: '.' | ','): string {
  const signed = `regexp_replace(${text}, '^\\((.*)\\)$', '-\\1')`
  const [point, comma] = decimal === '.' ? ['\\.', ','] : [',', '\\.']
  const groups = [comma, ...THOUSANDS_MARKS].map(mark => `(?:${mark}\\d{3})+`).join('|')
  const isGrouped = `regexp_full_match(${signed}, ${literal(`[+-]?\\d{1,3}(?:${groups})(?:${point}\\d*)?`)})`
  const ungrouped = `regexp_replace(${signed}, ${literal(`[${comma}${THOUSANDS_MARKS.join('')}]`)}, '', 'g')`
  if (decimal === '.') return `CASE WHEN ${isGrouped} THEN ${ungrouped} ELSE ${signed} END`
  const isPlain = `regexp_full_match(${signed}, '[+-]?\\d+(?:,\\d*)?')`
  return `CASE WHEN ${isGrouped} OR ${isPlain} THEN replace(${ungrouped}, ',', '.') ELSE 'no number' END`
}

/** Few columns have exponents, and to read them takes longer, so they are read only where something else failed. */
async function readExponents(work: Work, input: Relation, planned: readonly Conversion[], { decimal, from }: Params) {
  const failed = await countFailures(work, input, planned)
  const conversions = planned.map(conversion => {
    const { column, type, text, value } = conversion
    const isExact = NUMERIC.test(type) && type !== 'number' && from?.[column.name] === undefined
    if (!isExact || failed[column.name] === 0) return conversion
    return { ...conversion, value: `coalesce(${value}, ${castExponent(text, type, decimal)})` }
  })
  const isSame = conversions.every((conversion, index) => conversion === planned[index])
  return { conversions, failed: isSame ? failed : await countFailures(work, input, conversions) }
}

async function countFailures(
  work: Work,
  input: Relation,
  conversions: readonly Conversion[],
): Promise<Record<string, number>> {
  const counts = conversions.map(
    ({ text, value }, index) => `count(*) FILTER (WHERE ${text} IS NOT NULL AND (${value}) IS NULL) AS c${index}`,
  )
  const found = await work.attempt(() =>
    work.database.row<Record<string, string>>(`SELECT ${counts.join(', ')} FROM ${input.as}`),
  )
  return Object.fromEntries(conversions.map(({ column }, index) => [column.name, Number(found[`c${index}`])]))
}

async function reportFirst(work: Work, input: Relation, [failing]: readonly Conversion[]): Promise<void> {
  if (!failing) return
  const { column, type, text, value } = failing
  const numbered = `SELECT row_number() OVER () AS number, ${text} AS value, ${value} AS converted FROM ${input.as}`
  const [bad] = await work.database.rows<{ number: string; value: string }>(
    `SELECT number, value FROM (${numbered}) WHERE value IS NOT NULL AND converted IS NULL LIMIT 1`,
  )
  throw new Problem('TYPE_MISMATCH', {
    column: column.name,
    type,
    row: Number(bad!.number),
    value: bad!.value.slice(0, 80),
  })
}
