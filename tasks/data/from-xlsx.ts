import { Type } from 'typebox'
import { Choice, define, FileInput, FileManifest } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import {
  Columns,
  Count,
  OUTPUT_FIELDS,
  Preview,
  STEP_ERRORS,
  TABLE_TYPES,
  TableOutput,
} from '../formats/tables/steps/input.ts'
import { readSheets } from './schema.ts'

const FORMATS = ['csv', 'json', 'ndjson', 'parquet'] as const

export default define({
  summary: 'Read sheets of an Excel workbook as tables.',
  keywords:
    'excel to csv, xlsx, xls, ods, spreadsheet, sheet, import, worksheet, excel to json, excel sheet to json, read an excel file',
  converts: [{ from: 'xlsx ods', to: 'csv json ndjson parquet' }],
  description:
    'Dates are written as ISO 8601 without a time zone, so that no day is off by one. Reads also XLS and ODS. With sheet * every sheet becomes a file; one that is empty is left out, and a warning says so.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: Type.Object({
    file: FileInput({ named: true, description: 'The workbook.' }),
    sheet: Type.Union([Type.Integer({ minimum: 1, maximum: 1000 }), Type.String({ minLength: 1, maxLength: 255 })], {
      default: 1,
      description: 'The name of a sheet, its position, or * for all.',
    }),
    range: Type.Optional(
      Type.String({ pattern: '^[A-Z]{1,3}[1-9]\\d{0,6}:[A-Z]{1,3}[1-9]\\d{0,6}$', description: 'Such as A1:F200.' }),
    ),
    headerRow: Type.Integer({
      default: 1,
      minimum: 0,
      maximum: 1000,
      description: 'The row with the names, counted in the range; 0: none.',
    }),
    values: Choice(['value', 'formatted', 'formula'], {
      default: 'value',
      description: 'formatted: the texts that the spreadsheet shows; formula: the formulas, where there are any.',
    }),
    dates: Choice(['iso', 'serial'], {
      default: 'iso',
      description: 'serial: days since 1899-12-30, also from workbooks that count from 1904.',
    }),
    mergeFill: Type.Boolean({ default: false, description: 'Repeat the value of merged cells in each of them.' }),
    skipHidden: Type.Boolean({ default: false, description: 'Leave hidden rows out.' }),
    outFormat: Choice(FORMATS, { default: 'csv' }),
    outCsv: OUTPUT_FIELDS.outCsv,
    preview: OUTPUT_FIELDS.preview,
  }),
  output: Type.Object({
    output: Type.Optional(TableOutput),
    files: Type.Optional(
      FileManifest(
        FORMATS.map(format => TABLE_TYPES[format]),
        { sheet: { type: 'string' }, rows: { type: 'integer' } },
      ),
    ),
    sheets: Type.Array(Type.String()),
    rowsOut: Count,
    columns: Type.Optional(Columns),
    preview: Preview,
  }),
  errors: [...STEP_ERRORS, 'BAD_RANGE'],
  examples: [
    {
      title: 'The first sheet as CSV',
      input: { file: 'sample:people.xlsx' },
      answer: { rowsOut: 2, sheets: ['People', 'Cities'] },
    },
  ],

  run: (input, { duckdb }) => readSheets(duckdb, input),
})
