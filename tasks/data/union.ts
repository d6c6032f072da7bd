import { Type } from 'typebox'
import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { ROW_PARAMS } from '../formats/tables/steps/rows.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Append tables to one another.',
  keywords: 'concatenate, append, stack, combine files, merge csv files',
  description:
    'Columns are matched by name or by position. Columns of different types become text, which a warning says.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ files: Type.Array(TableFile(), { minItems: 2, maxItems: 50 }) }, ROW_PARAMS.union),
  output: tableResult({}),
  errors: [...STEP_ERRORS, 'SCHEMA_MISMATCH', 'COLUMN_EXISTS'],
  examples: [
    {
      title: 'Two months in one table',
      input: { files: [{ text: 'id,a\n1,x\n' }, { text: 'id,b\n2,y\n' }] },
      answer: {
        rowsIn: 2,
        rowsOut: 2,
        preview: [
          { id: 1, a: 'x', b: null },
          { id: 2, a: null, b: 'y' },
        ],
      },
    },
  ],

  run(input, { duckdb }) {
    const files = Object.fromEntries(input.files.map((file, index) => [String(index), file]))
    const labels = input.files.map(({ name }, index) => name ?? String(index + 1))
    return takeTableStep(duckdb, 'union', files, { ...input, labels })
  },
})
