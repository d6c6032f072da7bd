import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { ROW_PARAMS } from '../formats/tables/steps/rows.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Sort rows, or keep the first of them.',
  keywords: 'order by, ascending, descending, natural order, ranking, top rows, top n, largest, smallest',
  description:
    'Equal rows keep their order. Texts can be sorted naturally, so that file2 comes before file10, or as in a language.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, ROW_PARAMS.sort),
  output: tableResult({}),
  errors: [...STEP_ERRORS],
  examples: [
    {
      title: 'Files by number',
      input: { file: { text: 'file\nfile10\nfile2\n' }, by: [{ column: 'file', natural: true }] },
      answer: { preview: [{ file: 'file2' }, { file: 'file10' }] },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'sort', { input: input.file }, input),
})
