import { Type } from 'typebox'
import { define, perStartedBytes } from '#kit'
import { STEP_ERRORS } from '../formats/tables/steps/input.ts'
import { SQL_ERRORS } from '../formats/tables/steps/queries.ts'
import { runSql, SQL_INPUT, SQL_RESULT } from './schema.ts'

const MEBIBYTE = 2 ** 20

export default define({
  summary: 'Query tables with SQL: `file` is the table `input`, `tables` have their own names.',
  keywords:
    'sql, select, query csv, duckdb, join, group by, window functions, parquet, analytics, convert parquet to json lines, parquet to csv, csv to parquet, read a parquet file, how alike are two names or strings, similarity of two strings, edit distance, levenshtein, jaro winkler, fuzzy match, sum the amount per month, names of those from a city, without duplicates',
  converts: [
    { from: 'csv json ndjson tsv', to: 'parquet' },
    { from: 'parquet', to: 'csv json ndjson' },
  ],
  isFeatured: true,
  description:
    "One SELECT in the SQL of DuckDB over the tables of the call: joins, windows, common table expressions, JSON and lists. It reads nothing else. `strftime(day, '%Y-%m')` is the month of a date, and `AT TIME ZONE` converts times. `select * from input` with `outFormat` turns one format into another; `maxRows` has to be as large as the table.",
  price: perStartedBytes({ base: '0.002', covered: MEBIBYTE, step: 5 * MEBIBYTE, dollars: '0.001' }),
  uses: ['duckdb'],
  input: Type.Object({
    ...SQL_INPUT,
    timeoutMs: Type.Integer({ default: 10_000, minimum: 1000, maximum: 20_000 }),
  }),
  output: SQL_RESULT,
  errors: [...STEP_ERRORS, ...SQL_ERRORS, 'MISSING_FIELD'],
  examples: [
    {
      title: 'A sum by city',
      input: {
        file: { text: 'city,amount\nRome,10\nOslo,5\nRome,7\n' },
        sql: 'SELECT city, sum(amount) AS total FROM input GROUP BY city ORDER BY total DESC',
      },
      answer: {
        rowsIn: 3,
        rowsOut: 2,
        truncated: false,
        preview: [
          { city: 'Rome', total: 17 },
          { city: 'Oslo', total: 5 },
        ],
      },
    },
    {
      title: 'A sum by month',
      input: {
        file: { text: 'day,amount\n2026-01-05,10\n2026-01-20,5\n2026-02-01,7\n' },
        sql: "SELECT strftime(day, '%Y-%m') AS month, sum(amount) AS total FROM input GROUP BY month ORDER BY month",
      },
      answer: {
        rowsOut: 2,
        preview: [
          { month: '2026-01', total: 15 },
          { month: '2026-02', total: 7 },
        ],
      },
    },
    {
      title: 'Two tables and a parameter',
      input: {
        tables: { orders: { text: 'id,customer\n1,7\n2,8\n' }, customers: { text: 'id,name\n7,Ada\n8,Bob\n' } },
        sql: 'SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer WHERE c.name = $name',
        params: { name: 'Ada' },
      },
      answer: { rowsOut: 1, preview: [{ id: 1, name: 'Ada' }] },
    },
  ],

  run: (input, { duckdb }) => runSql(duckdb, input, { limitMs: input.timeoutMs }),
})
