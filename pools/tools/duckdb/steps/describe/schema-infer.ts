import type { CheckParams } from '../../../../../tasks/formats/tables/steps/checks.ts'
import { type Column, toText } from '../../read/types.ts'
import { knownType, type Relation } from '../../relation.ts'
import { name } from '../../sql-text.ts'
import type { StepOutcome, Work } from '../../work.ts'
import { describeEach } from './narrow-tables.ts'
import { type FieldFacts, renderSchema } from './schema-dialects.ts'

const EXAMPLES = 3
const MAX_ENUM_LENGTH = 100

export async function schemaInfer(
  work: Work,
  { input }: { input: Relation },
  params: CheckParams['schema-infer'],
): Promise<StepOutcome> {
  const { dialect, sampleRows, enumMax, requiredThreshold } = params
  const limit = sampleRows === 0 ? '' : ` LIMIT ${sampleRows}`
  const stored = await work.define(`SELECT * FROM ${input.as}${limit}`, { isStored: true })
  const rows = await work.countRows(stored)
  const found = await describeEach(work, { ...stored, columns: input.columns }, (part, column) =>
    describeField(work, part, column, rows, { enumMax, requiredThreshold }),
  )
  const fields = found.map(field => ({ ...field, type: knownType(input, field) }))
  const schema = renderSchema(dialect, fields)
  const nullability = Object.fromEntries(fields.map(field => [field.name, rows === 0 ? 0 : field.nulls / rows]))
  const examples = Object.fromEntries(fields.map(field => [field.name, field.examples]))
  const columns = fields.map(({ name: column, type, isRequired, values, structure }) => ({
    name: column,
    type,
    required: isRequired,
    ...(values && { enum: values }),
    ...(structure !== undefined && { structure }),
  }))
  return { table: stored, facts: { schema: { schema, columns, nullability, examples } } }
}

async function describeField(
  work: Work,
  { as }: Relation,
  column: Column,
  rows: number,
  { enumMax, requiredThreshold }: { enumMax: number; requiredThreshold: number },
): Promise<FieldFacts> {
  const text = toText(column)
  const nulls = await work.database.count(`SELECT count(*) - count(${name(column.name)}) FROM ${as}`)
  const shown = await work.database.rows<{ value: string }>(
    `SELECT DISTINCT left(${text}, 200) AS value FROM (SELECT ${name(column.name)} FROM ${as} LIMIT 1000) WHERE ${text} IS NOT NULL ORDER BY 1 LIMIT ${EXAMPLES}`,
  )
  const values = column.type === 'string' && enumMax > 0 ? await listValues(work, as, text, enumMax) : undefined
  const structure = column.type === 'json' ? await readStructure(work, as, text) : undefined
  const isRequired = rows > 0 && (rows - nulls) / rows >= requiredThreshold
  return {
    name: column.name,
    type: column.type,
    nulls,
    isRequired,
    values,
    structure,
    examples: shown.map(({ value }) => value),
  }
}

/** Few values, each of which comes again, are an enumeration. */
async function listValues(work: Work, as: string, text: string, enumMax: number): Promise<string[] | undefined> {
  const found = await work.database.rows<{ value: string; n: string }>(
    `SELECT ${text} AS value, count(*) AS n FROM ${as} WHERE ${text} IS NOT NULL GROUP BY 1 ORDER BY 1 LIMIT ${enumMax + 1}`,
  )
  const isEnum =
    found.length > 0 &&
    found.length <= enumMax &&
    found.every(({ value, n }) => Number(n) > 1 && value.length <= MAX_ENUM_LENGTH)
  return isEnum ? found.map(({ value }) => value) : undefined
}

async function readStructure(work: Work, as: string, text: string): Promise<unknown> {
  const found = await work.database.row<{ structure: string | null }>(
    `SELECT json_structure(json_group_array(${text}::JSON))::VARCHAR AS structure FROM (SELECT * FROM ${as} LIMIT 10000) WHERE ${text} IS NOT NULL`,
  )
  const parsed = found.structure === null ? undefined : (JSON.parse(found.structure) as unknown)
  return Array.isArray(parsed) ? parsed[0] : parsed
}
