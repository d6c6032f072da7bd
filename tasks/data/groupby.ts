import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { GROUP_PARAMS } from '../formats/tables/steps/groups.ts'
import { EXPRESSION_ERRORS, STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Group rows and compute aggregates.',
  keywords:
    'aggregate, sum, sum by category, total per customer, average, count, median, total, pivot table, summarise, statistics, top ten customers by revenue, count how often each value occurs',
  description: 'The groups are sorted by their keys. Sums of integers are exact.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, GROUP_PARAMS.groupby),
  output: tableResult({}),
  errors: [...STEP_ERRORS, ...EXPRESSION_ERRORS, 'AGG_TYPE', 'COLUMN_EXISTS', 'MISSING_FIELD'],
  examples: [
    {
      title: 'Revenue by city',
      input: {
        file: { text: 'city,amount\nRome,10\nOslo,5\nRome,7\n' },
        by: ['city'],
        aggs: [
          { column: 'amount', fn: 'sum', as: 'total' },
          { fn: 'count', as: 'orders' },
        ],
      },
      answer: {
        rowsIn: 3,
        rowsOut: 2,
        preview: [
          { city: 'Oslo', total: 5, orders: 1 },
          { city: 'Rome', total: 17, orders: 2 },
        ],
      },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'groupby', { input: input.file }, input),
})
