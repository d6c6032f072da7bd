import { Type } from 'typebox'
import { define, exactlyOne, FileOutput, Secret } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { byColumn, Count, STEP_ERRORS, TableFile, XLSX_TYPE } from '../formats/tables/steps/input.ts'
import { nameSheets } from '../formats/tables/workbook-parts.ts'
import { toSheetFiles } from './schema.ts'

export default define({
  summary: 'Write tables as an Excel workbook.',
  keywords:
    'excel, xlsx, spreadsheet, csv to excel, workbook, sheets, export, json to excel, make an xlsx, make an excel file, excel file with two sheets, excel with several sheets, password protected workbook, encrypted excel',
  converts: [{ from: 'csv tsv json ndjson parquet', to: 'xlsx' }],
  description:
    'Texts stay texts: 007 keeps its zeros and =1+1 is no formula unless formulas is set. Integers of more than 15 digits are written as text, because spreadsheets would round them.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: Type.Object({
    file: Type.Optional(TableFile()),
    sheets: Type.Optional(
      Type.Array(Type.Object({ name: Type.String({ minLength: 1, maxLength: 31 }), file: TableFile() }), {
        minItems: 1,
        maxItems: 50,
      }),
    ),
    headerStyle: Type.Boolean({ default: true }),
    freezeHeader: Type.Boolean({ default: true }),
    autoFilter: Type.Boolean({ default: true }),
    columnWidths: Type.Union([Type.Literal('auto'), byColumn<number>({ type: 'number', minimum: 1, maximum: 255 })], {
      default: 'auto',
    }),
    types: Type.Optional(byColumn<string>({ type: 'string', maxLength: 20 }, 'Types of columns of a single `file`.')),
    formats: Type.Optional(
      byColumn<string>({ type: 'string', minLength: 1, maxLength: 100 }, 'Number formats of columns, such as 0.00.'),
    ),
    formulas: Type.Boolean({ default: false, description: 'Texts that begin with = become formulas.' }),
    splitSheets: Type.Boolean({
      default: false,
      description: 'Continue a table of more than 1,048,575 rows on another sheet.',
    }),
    password: Type.Optional(
      Secret({ minLength: 1, maxLength: 255, description: 'Opens the workbook, which is encrypted with AES-256.' }),
    ),
  }),
  output: Type.Object({
    output: FileOutput(XLSX_TYPE),
    rows: Count,
    sheets: Type.Array(Type.Object({ name: Type.String(), rows: Count, columns: Count })),
  }),
  errors: [...STEP_ERRORS, 'MISSING_FIELD'],
  examples: [
    {
      title: 'A workbook of two sheets',
      input: {
        sheets: [
          { name: 'People', file: { text: 'id,name\n007,Ada\n' } },
          { name: 'Cities', file: { text: 'city\nRome\n' } },
        ],
      },
      answer: {
        rows: 2,
        sheets: [
          { name: 'People', rows: 1, columns: 2 },
          { name: 'Cities', rows: 1, columns: 1 },
        ],
      },
    },
  ],

  async run({ file, sheets, types, ...options }, { duckdb }) {
    exactlyOne({ file, sheets }, ['file', 'sheets'])
    const files = toSheetFiles(file, sheets, types)
    const names = nameSheets(files.map(({ name }) => name))
    const named = names.map((name, index) => ({ name, from: String(index) }))
    const inputs = Object.fromEntries(files.map((sheet, index) => [String(index), sheet.file]))
    const steps = named.map(({ from }) => ({
      id: `counted ${from}`,
      op: 'rename',
      inputs: { input: from },
      params: { dedupe: true, prefix: '' },
    }))
    const workbook = { sheets: named, options }
    const output = {
      from: '0',
      format: 'xlsx' as const,
      outCsv: { quoteAll: false, eol: 'lf' as const, bom: false, nullAs: '' },
      preview: 0,
      workbook,
    }
    const answer = await duckdb.run({ tables: inputs, steps, outputs: [output] })
    const [written] = answer.outputs
    const listed = answer.steps.map((step, index) => ({
      name: named[index]!.name,
      rows: step.rowsIn,
      columns: step.columns.length,
    }))
    return { result: { output: written!.file, rows: written!.rows, sheets: listed }, warnings: answer.warnings }
  },
})
