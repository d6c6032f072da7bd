import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { COLUMN_PARAMS } from '../formats/tables/steps/columns.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Rename columns.',
  keywords: 'column names, snake case, camel case, prefix, header',
  description: 'By a map, by a style such as snake, with a prefix or suffix, or by replacing a pattern.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, COLUMN_PARAMS.rename),
  output: tableResult({}),
  errors: [...STEP_ERRORS, 'COLUMN_EXISTS', 'REGEX_INVALID', 'MISSING_FIELD'],
  examples: [
    {
      title: 'Names for a database',
      input: { file: { text: 'First Name,lastName\nAda,Byron\n' }, case: 'snake' },
      answer: {
        columns: [
          { name: 'first_name', type: 'string' },
          { name: 'last_name', type: 'string' },
        ],
      },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'rename', { input: input.file }, input),
})
