import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { CHECK_PARAMS, DIFF_FACTS } from '../formats/tables/steps/checks.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Compare two tables row by row.',
  keywords:
    'compare tables, changes, added, removed, changed rows, reconcile, delta, what changed between tables, compare two csv files, compare two excel files, compare spreadsheets, compare price lists',
  description:
    'Rows are matched by their keys. Each row of the result says in _change what happened to it, in _changedColumns where, and in _old, as text, what was there before. addedColumns and removedColumns are the columns of one table alone.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ left: TableFile('The table before.'), right: TableFile('The table after.') }, CHECK_PARAMS.diff),
  output: tableResult(DIFF_FACTS),
  errors: [...STEP_ERRORS, 'DUPLICATE_KEY', 'COLUMN_EXISTS'],
  examples: [
    {
      title: 'What changed',
      input: {
        left: { text: 'id,price\n1,10\n2,20\n3,30\n' },
        right: { text: 'id,price\n1,10\n2,25\n4,40\n' },
        keys: ['id'],
      },
      answer: { rowsOut: 3, summary: { added: 1, removed: 1, changed: 1, unchanged: 1 } },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'diff', { left: input.left, right: input.right }, input),
})
