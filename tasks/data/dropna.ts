import { Type } from 'typebox'
import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { ROW_PARAMS } from '../formats/tables/steps/rows.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Remove rows or columns with missing values.',
  keywords: 'missing values, rows missing a value, rows without an email, null, empty cells, clean',
  description: 'Removes rows that lack any or all values of the chosen columns, or columns that lack them.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, ROW_PARAMS.dropna),
  output: tableResult({ dropped: Type.Optional(Type.Array(Type.String())) }),
  errors: [...STEP_ERRORS],
  examples: [
    {
      title: 'Only complete rows',
      input: { file: { text: 'id,age\n1,36\n2,\n3,41\n' } },
      answer: { rowsIn: 3, rowsOut: 2 },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'dropna', { input: input.file }, input),
})
