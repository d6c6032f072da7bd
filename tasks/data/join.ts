import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { GROUP_PARAMS, JOIN_FACTS } from '../formats/tables/steps/groups.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Join two tables by their keys.',
  keywords:
    'merge tables, lookup, vlookup, inner join, left join, full join, anti join, asof, combine, combine tables by id, join two csv files, join orders to customers, join files by a column',
  description:
    'The rows are in the order of the left table. Says how many rows of each side had no partner, and refuses a join that would explode before it runs.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ left: TableFile('The left table.'), right: TableFile('The right table.') }, GROUP_PARAMS.join),
  output: tableResult(JOIN_FACTS),
  errors: [...STEP_ERRORS, 'JOIN_EXPLOSION', 'JOIN_VALIDATION', 'COLUMN_EXISTS', 'MISSING_FIELD'],
  examples: [
    {
      title: 'Orders with the names of their customers',
      input: {
        left: { text: 'order,customer\n1,7\n2,8\n' },
        right: { text: 'customer,name\n7,Ada\n' },
        on: ['customer'],
        how: 'left',
      },
      answer: {
        rowsOut: 2,
        leftUnmatched: 1,
        rightUnmatched: 0,
        preview: [
          { order: 1, customer: 7, name: 'Ada' },
          { order: 2, customer: 8, name: null },
        ],
      },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'join', { left: input.left, right: input.right }, input),
})
