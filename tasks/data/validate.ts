import { Type } from 'typebox'
import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { CHECK_PARAMS } from '../formats/tables/steps/checks.ts'
import { Count, OUTPUT_FIELDS, STEP_ERRORS, TableFile, TableOutput } from '../formats/tables/steps/input.ts'
import { takeStep } from './schema.ts'

const RowError = Type.Object({
  row: Type.Integer({ minimum: 1 }),
  column: Type.Union([Type.String(), Type.Null()]),
  rule: Type.String(),
  value: Type.Unknown(),
  message: Type.String(),
})

export default define({
  summary: 'Check every row of a table against a JSON Schema or rules.',
  keywords:
    'data quality, json schema, rules, check, constraints, unique, required, foreign key, every row has a valid email address',
  description:
    'A table that is not valid is an answer and no error. Rows count from 1. Patterns run in linear time, and nothing is fetched. A `min` or `max` that is a number compares texts as numbers, and what is none breaks it.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: Type.Object({
    file: TableFile(),
    ...CHECK_PARAMS.validate.properties,
    outFormat: OUTPUT_FIELDS.outFormat,
    outCsv: OUTPUT_FIELDS.outCsv,
  }),
  output: Type.Object({
    valid: Type.Boolean(),
    rows: Count,
    errorCount: Count,
    errors: Type.Array(RowError),
    byRule: Type.Record(Type.String(), Count, { description: 'How many cells break each rule, by column:rule.' }),
    invalid: Type.Optional(TableOutput),
  }),
  errors: [...STEP_ERRORS, 'SCHEMA_INVALID', 'REGEX_INVALID', 'REGEX_UNSUPPORTED', 'MISSING_FIELD'],
  examples: [
    {
      title: 'Rules',
      input: {
        file: { text: 'id,mail\n1,a@x.de\n1,nobody\n' },
        rules: [
          { column: 'id', required: true, unique: true },
          { column: 'mail', pattern: '^\\S+@\\S+$' },
        ],
      },
      answer: { valid: false, rows: 2, errorCount: 3, byRule: { 'id:unique': 2, 'mail:pattern': 1 } },
    },
    {
      title: 'A JSON Schema',
      input: {
        file: { text: 'id,age\n1,36\n2,-5\n' },
        schema: { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['id'] },
      },
      answer: { valid: false, rows: 2, errorCount: 1, byRule: { 'age:minimum': 1 } },
    },
  ],

  async run({ file, outFormat, outCsv, ...params }, { duckdb }) {
    const written = params.outputInvalid ? { outFormat, outCsv, preview: 0 } : undefined
    const { table, facts, warnings } = await takeStep(duckdb, {
      op: 'validate',
      tables: { input: file },
      params,
      written,
    })
    return { result: { ...facts, ...(table && { invalid: table.output }) } as never, warnings }
  },
})
