import { type Static, type TProperties, Type } from 'typebox'
import {
  Choice,
  exactlyOne,
  type InputFile,
  type Outcome,
  type OutputFile,
  Problem,
  type Tools,
  type Warning,
} from '#kit'
import { OUTPUT_FIELDS, TABLE_FORMATS, TABLE_RESULT, TableFile } from '../formats/tables/steps/input.ts'
import { NamedTables, SqlParams } from '../formats/tables/steps/queries.ts'

const OutputFields = Type.Object(OUTPUT_FIELDS)
type OutputOptions = Static<typeof OutputFields>

/** The input of an operation: its tables, the parameters of its step and how the result is written. */
export function tableInput<Tables extends TProperties, Params extends TProperties>(
  tables: Tables,
  params: { properties: Params },
) {
  return Type.Object({ ...tables, ...params.properties, ...OUTPUT_FIELDS })
}

export function tableResult<Facts extends TProperties>(facts: Facts) {
  return Type.Object({ ...TABLE_RESULT, ...facts })
}

interface TableFacts {
  output: OutputFile
  rowsIn: number
  rowsOut: number
  columns: { name: string; type: string }[]
  preview: Record<string, unknown>[]
}

interface StepRun {
  op: string
  tables: Record<string, InputFile>
  params: unknown
  /** Left out: nothing is written. */
  written?: OutputOptions
  limits?: { memoryMb?: number; spillMb?: number; limitMs?: number }
}

interface StepAnswer {
  table: TableFacts | undefined
  facts: Record<string, unknown>
  rowsIn: number
  warnings: Warning[]
}

/** Takes one step over tables and writes its result. */
export async function takeStep(
  tool: Tools['duckdb'],
  { op, tables, params, written, limits }: StepRun,
): Promise<StepAnswer> {
  const inputs = Object.fromEntries(Object.keys(tables).map(name => [name, name]))
  const outputs = written ? [toOutputCall(written)] : []
  const answer = await tool.run({ tables, steps: [{ id: 'result', op, inputs, params }], outputs, limits })
  const [step] = answer.steps
  const [output] = answer.outputs
  const { rowsIn, rowsOut, facts } = step!
  const table = output && { output: output.file, rowsIn, rowsOut, columns: output.columns, preview: output.preview }
  return { table, facts, rowsIn, warnings: [...answer.warnings, ...step!.warnings] }
}

function toOutputCall({ outFormat, outCsv, preview }: OutputOptions) {
  return { from: 'result', outCsv, preview, ...(outFormat && { format: outFormat }) }
}

/** An operation over one table whose answer is the table and the facts of the step. */
export async function takeTableStep<Facts = unknown>(
  tool: Tools['duckdb'],
  op: string,
  tables: Record<string, InputFile>,
  input: object,
): Promise<Outcome<TableFacts & Facts>> {
  const {
    file: _,
    left: _left,
    right: _right,
    files: _files,
    outFormat,
    outCsv,
    preview,
    ...params
  } = input as OutputOptions & Record<string, unknown>
  const written = { outFormat, outCsv, preview } as OutputOptions
  const { table, facts, warnings } = await takeStep(tool, { op, tables, params, written })
  return { result: { ...table!, ...facts } as TableFacts & Facts, warnings }
}

/** What data/sql and data/sql-large share. */
export const SQL_INPUT = {
  file: Type.Optional(TableFile('The table input.')),
  tables: Type.Optional(NamedTables('Tables by name, instead of `file`.')),
  ...SqlParams.properties,
  explain: Type.Boolean({ default: false, description: 'Only check the statement and return its plan.' }),
  ...OUTPUT_FIELDS,
  outFormat: Choice(TABLE_FORMATS, { default: 'json' }),
}

const SqlInput = Type.Object(SQL_INPUT)

export const SQL_RESULT = Type.Object({
  ...TABLE_RESULT,
  output: Type.Optional(TABLE_RESULT.output),
  truncated: Type.Boolean({ description: 'Whether there were more rows than maxRows.' }),
  elapsedMs: Type.Integer({ minimum: 0 }),
  plan: Type.Optional(Type.String()),
})

const LEFT_OUT = 'The result has more rows than maxRows; they are left out. Raise maxRows to have them.'

export async function runSql(
  tool: Tools['duckdb'],
  input: Static<typeof SqlInput>,
  limits: StepRun['limits'],
): Promise<Outcome<Static<typeof SQL_RESULT>>> {
  const { file, tables, outFormat, outCsv, preview, ...params } = input
  exactlyOne({ file, tables }, ['file', 'tables'])
  const written = params.explain ? undefined : { outFormat, outCsv, preview }
  const answer = await takeStep(tool, { op: 'sql', tables: tables ?? { input: file! }, params, written, limits })
  const { table, facts, warnings, rowsIn } = answer
  const planned = { rowsIn, rowsOut: 0, columns: [] }
  const run = facts as { truncated: boolean; elapsedMs: number }
  if (run.truncated) warnings.push({ code: 'ROWS_LEFT_OUT', message: LEFT_OUT })
  return { result: { ...(table ?? planned), ...run }, warnings }
}

/** The tables of a workbook to write. Types are options of a single file. */
export function toSheetFiles(
  file: InputFile | undefined,
  sheets: readonly { name: string; file: InputFile }[] | undefined,
  types: Record<string, string> | undefined,
): { name: string; file: InputFile }[] {
  if (sheets) {
    if (types) throw new Problem('CONFLICTING_OPTIONS', { fields: ['sheets', 'types'] })
    return sheets.map(({ name, file: each }) => ({ name, file: each }))
  }
  const typed = types ? { ...file!, options: { ...file!.options, types } } : file!
  return [{ name: 'Sheet1', file: typed }]
}

interface SheetRequest {
  file: InputFile
  sheet: string | number
  range?: string
  headerRow: number
  values: 'value' | 'formatted' | 'formula'
  dates: 'iso' | 'serial'
  mergeFill: boolean
  skipHidden: boolean
  outFormat: 'csv' | 'json' | 'ndjson' | 'parquet'
  outCsv: OutputOptions['outCsv']
  preview: number
}

/** Reads one sheet as a table, or each sheet as a table of its own. */
export async function readSheets(tool: Tools['duckdb'], request: SheetRequest) {
  const { file, sheet, outFormat, outCsv, preview, ...options } = request
  const workbook = { ...file, options: { format: 'xlsx' } }
  const wanted = sheet === '*' ? await tool.listSheets(file) : [sheet]
  const tables = Object.fromEntries(wanted.map((_, index) => [String(index), workbook]))
  const mayBeLeftOut = sheet === '*'
  const read = { ...options, mayBeLeftOut }
  const sheets = Object.fromEntries(wanted.map((name, index) => [String(index), { sheet: name, options: read }]))
  const outputs = wanted.map((_, index) => ({ from: String(index), format: outFormat, outCsv, preview }))
  const answer = await tool.run({ tables, sheets, steps: [], outputs })
  const rowsOut = answer.outputs.reduce((sum, { rows }) => sum + rows, 0)
  const names = [...answer.sheets!]
  const shared = { sheets: names, rowsOut }
  if (sheet !== '*') {
    const [{ file: output, columns, preview: shown }] = answer.outputs as [(typeof answer.outputs)[0]]
    return { result: { ...shared, output, columns, preview: shown }, warnings: answer.warnings }
  }
  const files = answer.outputs.map(({ file: part, rows, from }) => {
    const name = names[Number(from)]!
    return { ...part, name: `${name.replace(/[\\/:*?"<>|]/g, '_')}.${outFormat}`, sheet: name, rows }
  })
  // Tables have the numbers of their sheets as names.
  const nameSheet = (message: string) => message.replace(/^\d+(?=: )/, index => names[Number(index)] ?? index)
  const warnings = answer.warnings.map(warning => ({ ...warning, message: nameSheet(warning.message) }))
  return { result: { ...shared, files }, warnings }
}
