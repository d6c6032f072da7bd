import type { CheckParams } from '../../../../../tasks/formats/tables/steps/checks.ts'
import { knownType, type Relation } from '../../relation.ts'
import type { StepOutcome, Work } from '../../work.ts'
import { describeEach, firstOfEach, type LongTable, rowsByColumn } from './long-tables.ts'
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
  const found = await describeEach(work, { ...stored, columns: input.columns }, rows, part =>
    describeFields(work, part, rows, { enumMax, requiredThreshold }),
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

type Thresholds = Pick<CheckParams['schema-infer'], 'enumMax' | 'requiredThreshold'>

async function describeFields(
  work: Work,
  part: LongTable,
  rows: number,
  { enumMax, requiredThreshold }: Thresholds,
): Promise<FieldFacts[]> {
  const { as, type, columns } = part
  const counted = await rowsByColumn<{ nulls: string }>(
    work,
    part,
    `SELECT k, count(*) - count(t) AS nulls FROM ${as} GROUP BY k`,
  )
  const examples = await listExamples(work, part)
  const values = type === 'string' && enumMax > 0 ? await listValues(work, part, enumMax) : []
  const structures = type === 'json' ? await readStructures(work, part) : []
  return columns.map(({ name }, index) => {
    const nulls = Number(counted[index]![0]?.nulls ?? 0)
    const isRequired = rows > 0 && (rows - nulls) / rows >= requiredThreshold
    return {
      ...{ name, type, nulls, isRequired },
      ...{ values: values[index], structure: structures[index], examples: examples[index]! },
    }
  })
}

const EXAMPLE_ROWS = 1000

/** Of the first rows, since the first of all values in their order need them all. */
async function listExamples(work: Work, part: LongTable): Promise<string[][]> {
  const first = `SELECT k, t FROM ${part.as} LIMIT ${EXAMPLE_ROWS * part.columns.length}`
  const select = `SELECT DISTINCT k, left(t, 200) AS value FROM (${first}) WHERE t IS NOT NULL`
  const found = await rowsByColumn<{ value: string }>(
    work,
    part,
    firstOfEach(part, { select, order: 'value', limit: EXAMPLES }),
  )
  return found.map(values => values.map(({ value }) => value))
}

/** Few values, each of which comes again, are an enumeration. */
async function listValues(work: Work, part: LongTable, enumMax: number): Promise<(string[] | undefined)[]> {
  const select = `SELECT k, t AS value, count(*) AS n FROM ${part.as} WHERE t IS NOT NULL GROUP BY 1, 2`
  const found = await rowsByColumn<{ value: string; n: string }>(
    work,
    part,
    firstOfEach(part, { select, order: 'value', limit: enumMax + 1 }),
  )
  return found.map(values => (isEnumeration(values, enumMax) ? values.map(({ value }) => value) : undefined))
}

function isEnumeration(values: readonly { value: string; n: string }[], enumMax: number): boolean {
  if (values.length === 0 || values.length > enumMax) return false
  return values.every(({ value, n }) => Number(n) > 1 && value.length <= MAX_ENUM_LENGTH)
}

const STRUCTURE_ROWS = 10_000

async function readStructures(work: Work, part: LongTable): Promise<unknown[]> {
  const first = `SELECT k, t FROM ${part.as} LIMIT ${STRUCTURE_ROWS * part.columns.length}`
  const found = await rowsByColumn<{ structure: string | null }>(
    work,
    part,
    `SELECT k, json_structure(json_group_array(t::JSON))::VARCHAR AS structure FROM (${first}) WHERE t IS NOT NULL GROUP BY k`,
  )
  return found.map(([facts]) => {
    const parsed = facts?.structure ? (JSON.parse(facts.structure) as unknown) : undefined
    return Array.isArray(parsed) ? parsed[0] : parsed
  })
}
