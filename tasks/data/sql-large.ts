import { Type } from 'typebox'
import { define, perStartedBytes } from '#kit'
import { STEP_ERRORS } from '../formats/tables/steps/input.ts'
import { SQL_ERRORS } from '../formats/tables/steps/queries.ts'
import { runSql, SQL_INPUT, SQL_RESULT } from './schema.ts'

const MEBIBYTE = 2 ** 20

export default define({
  summary: 'Query large tables with SQL, with more memory and time: `file` is the table `input`.',
  keywords: 'sql, big data, large query, background query, duckdb',
  description:
    'As data/sql, with 1 GB of memory and up to five minutes. A call that takes longer than the wait answers with a ticket.',
  price: perStartedBytes({ base: '0.02', covered: 0, step: 10 * MEBIBYTE, dollars: '0.002' }),
  uses: ['duckdb'],
  limitSeconds: 330,
  input: Type.Object({
    ...SQL_INPUT,
    timeoutMs: Type.Integer({ default: 120_000, minimum: 1000, maximum: 300_000 }),
  }),
  output: SQL_RESULT,
  errors: [...STEP_ERRORS, ...SQL_ERRORS, 'MISSING_FIELD'],
  examples: [
    {
      title: 'The largest of each group',
      input: {
        file: { text: 'city,amount\nRome,10\nOslo,5\nRome,7\n' },
        sql: 'SELECT * FROM input QUALIFY row_number() OVER (PARTITION BY city ORDER BY amount DESC) = 1 ORDER BY city',
      },
      answer: {
        rowsOut: 2,
        preview: [
          { city: 'Oslo', amount: 5 },
          { city: 'Rome', amount: 10 },
        ],
      },
    },
  ],

  run: (input, { duckdb }) => runSql(duckdb, input, { limitMs: input.timeoutMs, memoryMb: 1024, spillMb: 2048 }),
})
