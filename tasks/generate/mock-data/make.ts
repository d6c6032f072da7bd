import {
  exactlyOne,
  type InputFile,
  type Outcome,
  type OutputFile,
  type OutputPart,
  Problem,
  type RunContext,
  type Tools,
} from '#kit'
import type { MockField } from '../../engines/mock/fields.ts'
import type { OutDialect } from '../../formats/tables/dialect.ts'
import { TABLE_TYPES, type TableFormat } from '../../formats/tables/steps/input.ts'
import { countSteps } from './price.ts'

interface Relation {
  table: string
  fields: MockField[]
  rows?: number
  perRow?: { min: number; max: number }
  unique?: string[]
}

interface MockInput {
  fields?: MockField[]
  schema?: Record<string, unknown>
  rows: number
  seed: number
  locale: string
  refDate: string
  unique?: string[]
  table: string
  relations?: Relation[]
  outFormat: TableFormat | 'sql'
  outCsv?: OutDialect
  sql?: { dialect: 'postgres' | 'mysql' | 'sqlite'; create: boolean }
  preview: number
}

const MAX_SCHEMA_BYTES = 256 * 1024
const PLAIN: OutDialect = { quoteAll: false, eol: 'lf', bom: false, nullAs: '' }

type MockTools = Pick<Tools, 'faker' | 'duckdb'> & RunContext
type MadeTable = Awaited<ReturnType<Tools['faker']['make']>>['tables'][number]

export async function makeTables(input: MockInput, tools: MockTools): Promise<Outcome<MockResult>> {
  checkInput(input)
  const { outFormat, outCsv = PLAIN, sql = { dialect: 'postgres', create: true } as const } = input
  const format = outFormat === 'parquet' || outFormat === 'xlsx' ? 'ndjson' : outFormat
  const { seed, locale, refDate, preview } = input
  const tables = listTables(input)
  const { tables: made, version } = await tools.faker.make({
    ...{ seed, locale, refDate, preview, tables, format, outCsv, sql, keepsHeads: format !== outFormat },
  })
  const [first] = made as [MadeTable]
  const rowsOut = made.reduce((sum, { rows }) => sum + rows, 0)
  const listed = made.map(({ name, rows, columns }) => ({ name, rows, columns }))
  const result: MockResult = {
    ...(await deliver(made, outFormat, tools)),
    ...{ rowsOut, columns: first.columns, seed, generatorVersion: version },
    ...(preview > 0 && { preview: first.preview }),
    ...(made.length > 1 && { tables: listed }),
  }
  return { result, units: countSteps(rowsOut) }
}

interface MockResult {
  output?: OutputFile
  files?: OutputPart[]
  rowsOut: number
  columns: MadeTable['columns']
  preview?: Record<string, unknown>[]
  tables?: Pick<MadeTable, 'name' | 'rows' | 'columns'>[]
  seed: number
  generatorVersion: string
}

function checkInput(input: MockInput): void {
  exactlyOne(input, ['fields', 'schema'])
  const { schema, unique, outFormat, outCsv, sql, relations = [], refDate } = input
  const isDelimited = outFormat === 'csv' || outFormat === 'tsv'
  const conflicts = [
    [schema && unique?.length, 'schema', 'unique'],
    [sql && outFormat !== 'sql', 'outFormat', 'sql'],
    [outCsv && !isDelimited, 'outFormat', 'outCsv'],
  ] as const
  const conflict = conflicts.find(([isWrong]) => isWrong)
  if (conflict) throw new Problem('CONFLICTING_OPTIONS', { fields: conflict.slice(1) })
  if (Number.isNaN(Date.parse(refDate))) throw new Problem('INVALID_PARAM', { field: 'refDate', allowed: 'a date' })
  const size = schema ? JSON.stringify(schema).length : 0
  if (size > MAX_SCHEMA_BYTES) throw new Problem('SCHEMA_INVALID', { limit: MAX_SCHEMA_BYTES, actual: size })
  for (const [index, relation] of relations.entries()) checkRelation(relation, index)
}

function checkRelation({ rows, perRow }: Relation, index: number): void {
  exactlyOne({ rows, perRow }, ['rows', 'perRow'])
  if (perRow && perRow.max < perRow.min)
    throw new Problem('INVALID_PARAM', { field: `relations.${index}.perRow.max`, min: perRow.min })
}

function listTables(input: MockInput) {
  const { table, rows, fields, schema, unique = [], relations = [] } = input
  return [
    { name: table, at: 'fields', rows, fields, schema, unique },
    ...relations.map((relation, index) => ({
      ...{ name: relation.table, at: `relations.${index}.fields`, unique: [], ...relation },
    })),
  ]
}

async function deliver(made: MadeTable[], format: TableFormat | 'sql', { duckdb }: MockTools) {
  const [first] = made as [MadeTable]
  if (format === 'sql') {
    return { output: { path: first.path, contentType: 'application/sql', name: `${fileName(first.name)}.sql` } }
  }
  if (format === 'xlsx') return { output: await writeWorkbook(made, duckdb) }
  const files: OutputPart[] = []
  for (const table of made) {
    const path = format === 'parquet' ? await writeParquet(table, duckdb) : table.path
    files.push({ path, contentType: TABLE_TYPES[format], name: `${fileName(table.name)}.${format}`, rows: table.rows })
  }
  if (files.length > 1) return { files }
  const [{ rows: _, ...output }] = files as [(typeof files)[0]]
  return { output }
}

function fileName(table: string): string {
  return table.replace(/[\\/:*?"<>|\p{Cc}]/gu, '_')
}

/** A table that was made, for the tool that writes binary formats; its types are known. */
function toInput({ path, columns, rows }: MadeTable): InputFile {
  const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]))
  const format = rows === 0 ? 'csv' : 'ndjson'
  const options = { format, types, ...(rows === 0 && { csv: { header: true } }) }
  return { path, type: TABLE_TYPES[format], sizeBytes: 0, facts: {}, options } as unknown as InputFile
}

async function writeParquet(table: MadeTable, tool: Tools['duckdb']): Promise<string> {
  const output = { from: 'made', format: 'parquet' as const, outCsv: PLAIN, preview: 0 }
  const answer = await tool.run({ tables: { made: toInput(table) }, steps: [], outputs: [output] })
  return answer.outputs[0]!.file.path!
}

async function writeWorkbook(made: readonly MadeTable[], tool: Tools['duckdb']): Promise<OutputFile> {
  const tables = Object.fromEntries(made.map((table, index) => [String(index), toInput(table)]))
  const sheets = made.map(({ name }, index) => ({ name, from: String(index) }))
  const options = { headerStyle: true, freezeHeader: true, autoFilter: true, columnWidths: 'auto' as const }
  const output = { from: '0', format: 'xlsx' as const, outCsv: PLAIN, preview: 0, workbook: { sheets, options } }
  const answer = await tool.run({ tables, steps: [], outputs: [output] })
  return { ...answer.outputs[0]!.file, name: `${fileName(made[0]!.name)}.xlsx` }
}
