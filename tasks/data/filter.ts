import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { EXPRESSION_ERRORS, STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { FILTER_FACTS, ROW_PARAMS } from '../formats/tables/steps/rows.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Keep the rows of a table that match a condition.',
  keywords:
    'where, query, select rows, search, condition, remove rows, items above a value, records whose field is greater, filter a list of objects',
  description:
    'The condition is an object such as {column, op, value}, or an expression in SQL. Numbers and dates are compared by value, texts as they are.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, ROW_PARAMS.filter),
  output: tableResult(FILTER_FACTS),
  errors: [...STEP_ERRORS, ...EXPRESSION_ERRORS],
  examples: [
    {
      title: 'An expression',
      input: { file: { text: 'id,city,qty\n1,Rome,5\n2,Oslo,9\n3,Rome,1\n' }, where: "qty > 3 AND city = 'Rome'" },
      answer: { rowsIn: 3, rowsOut: 1, matched: 1, preview: [{ id: 1, city: 'Rome', qty: 5 }] },
    },
    {
      title: 'A condition object',
      input: {
        file: { text: 'id,zip\n1,00100\n2,00200\n' },
        where: { column: 'zip', op: 'startsWith', value: '001' },
      },
      answer: { rowsOut: 1, preview: [{ id: 1, zip: '00100' }] },
    },
  ],

  async run(input, { duckdb }) {
    const { result, warnings } = await takeTableStep(duckdb, 'filter', { input: input.file }, input)
    const { rowsIn, rowsOut } = result
    return { result: { ...result, matched: input.invert ? rowsIn - rowsOut : rowsOut }, warnings }
  },
})
