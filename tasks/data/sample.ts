import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { ROW_PARAMS, SAMPLE_FACTS } from '../formats/tables/steps/rows.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Take a sample of the rows.',
  keywords: 'random rows, subset, head, tail, stratified',
  description: 'The same seed and table give the same rows, in their order.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, ROW_PARAMS.sample),
  output: tableResult(SAMPLE_FACTS),
  errors: [...STEP_ERRORS, 'MISSING_FIELD'],
  examples: [
    {
      title: 'Two rows at random',
      input: { file: { text: 'id\n1\n2\n3\n4\n' }, n: 2, seed: 7 },
      answer: { rowsIn: 4, rowsOut: 2, seed: 7 },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'sample', { input: input.file }, input),
})
