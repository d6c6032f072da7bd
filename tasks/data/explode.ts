import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { ROW_PARAMS } from '../formats/tables/steps/rows.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Make a row of each element of a list.',
  keywords: 'unnest, flatten, split cells into rows, one row per value',
  description: 'Cells are JSON lists, texts with a separator, or JSON objects of which each key becomes a row.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, ROW_PARAMS.explode),
  output: tableResult({}),
  errors: [...STEP_ERRORS, 'COLUMN_EXISTS'],
  examples: [
    {
      title: 'Tags, one a row',
      input: { file: { text: 'id,tags\n1,"red,blue"\n2,green\n' }, column: 'tags', separator: ',' },
      answer: {
        rowsIn: 2,
        rowsOut: 3,
        preview: [
          { id: 1, tags: 'red' },
          { id: 1, tags: 'blue' },
          { id: 2, tags: 'green' },
        ],
      },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'explode', { input: input.file }, input),
})
