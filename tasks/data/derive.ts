import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { COLUMN_PARAMS } from '../formats/tables/steps/columns.ts'
import { EXPRESSION_ERRORS, STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Add columns that are computed from others.',
  keywords:
    'computed column, formula, expression, calculate, window function, running total, rank, lag, new column, split a column, trim whitespace in columns, replace values in a column, hash a column, anonymise a csv, pseudonymise, split a full name into first and last name',
  description:
    'A column is an expression in SQL over the other cells of its row, or a window over other rows: a rank, a running sum, the row before.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, COLUMN_PARAMS.derive),
  output: tableResult({}),
  errors: [...STEP_ERRORS, ...EXPRESSION_ERRORS, 'COLUMN_EXISTS', 'MISSING_FIELD'],
  examples: [
    {
      title: 'A product and a running total',
      input: {
        file: { text: 'item,qty,price\na,2,1.5\nb,3,2\n' },
        columns: [
          { name: 'total', expr: 'qty * price' },
          { name: 'sum_so_far', window: { fn: 'sum', column: 'total', orderBy: [{ column: 'item' }] } },
        ],
      },
      answer: {
        rowsOut: 2,
        preview: [
          { item: 'a', qty: 2, price: 1.5, total: 3, sum_so_far: 3 },
          { item: 'b', qty: 3, price: 2, total: 6, sum_so_far: 9 },
        ],
      },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'derive', { input: input.file }, input),
})
