import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { GROUP_PARAMS } from '../formats/tables/steps/groups.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Turn rows into columns, or columns into rows.',
  keywords: 'pivot table, crosstab, unpivot, melt, wide, long, reshape, a row per city and a column per month',
  description: 'wide makes a column of each value of a column; long makes a row of each of several columns.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, GROUP_PARAMS.pivot),
  output: tableResult({}),
  errors: [...STEP_ERRORS, 'AGG_TYPE', 'COLUMN_EXISTS', 'MISSING_FIELD'],
  examples: [
    {
      title: 'Months as columns',
      input: {
        file: { text: 'city,month,amount\nRome,Jan,10\nRome,Feb,7\nOslo,Jan,5\n' },
        index: ['city'],
        columns: 'month',
        values: 'amount',
        fill: 0,
      },
      answer: {
        rowsOut: 2,
        preview: [
          { city: 'Oslo', Feb: 0, Jan: 5 },
          { city: 'Rome', Feb: 7, Jan: 10 },
        ],
      },
    },
    {
      title: 'Columns as rows',
      input: { file: { text: 'city,Jan,Feb\nRome,10,7\n' }, direction: 'long', idVars: ['city'], nameTo: 'month' },
      answer: {
        rowsOut: 2,
        preview: [
          { city: 'Rome', month: 'Jan', value: 10 },
          { city: 'Rome', month: 'Feb', value: 7 },
        ],
      },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'pivot', { input: input.file }, input),
})
