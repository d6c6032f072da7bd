import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { COLUMN_PARAMS } from '../formats/tables/steps/columns.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Fill missing values.',
  keywords:
    'fill empty cells, fill blanks, missing values, impute, forward fill, interpolate, default value, replace nulls',
  description:
    'With given values, the value before or after, the mean, the median, the commonest value, zero, or by interpolation.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, COLUMN_PARAMS.fillna),
  output: tableResult({}),
  errors: [...STEP_ERRORS, 'MISSING_FIELD'],
  examples: [
    {
      title: 'The last known value',
      input: { file: { text: 'day,price\n1,10\n2,\n3,12\n' }, method: 'ffill' },
      answer: {
        rowsOut: 3,
        preview: [
          { day: 1, price: 10 },
          { day: 2, price: 10 },
          { day: 3, price: 12 },
        ],
      },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'fillna', { input: input.file }, input),
})
