import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { ROW_PARAMS } from '../formats/tables/steps/rows.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Take a range of rows.',
  keywords: 'rows, offset, limit, page, first rows, last rows, every nth row, first rows, head',
  description: 'By offset and limit, or from and to; a negative offset counts from the end.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, ROW_PARAMS.slice),
  output: tableResult({}),
  errors: [...STEP_ERRORS, 'BAD_RANGE', 'MISSING_FIELD'],
  examples: [
    {
      title: 'The last two rows',
      input: { file: { text: 'id\n1\n2\n3\n' }, offset: -2, limit: 2 },
      answer: { rowsIn: 3, rowsOut: 2, preview: [{ id: 2 }, { id: 3 }] },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'slice', { input: input.file }, input),
})
