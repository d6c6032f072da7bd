import { Type } from 'typebox'
import { define } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { COLUMN_PARAMS } from '../formats/tables/steps/columns.ts'
import { Count, STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { tableInput, tableResult, takeTableStep } from './schema.ts'

export default define({
  summary: 'Change the types of columns.',
  keywords: 'convert types, parse dates, parse numbers, to number, to date, format',
  description:
    'Understands marks for thousands, decimal commas, negative numbers in brackets, date formats and the day numbers of spreadsheets. A time with an offset becomes the same instant in UTC. Empty cells become null.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: tableInput({ file: TableFile() }, COLUMN_PARAMS.cast),
  output: tableResult({ failed: Type.Record(Type.String(), Count) }),
  errors: [...STEP_ERRORS],
  examples: [
    {
      title: 'Numbers and dates as they are written in Europe',
      input: {
        file: { text: 'day;amount\n31/12/2025;"1.234,50"\n01/02/2026;(7,25)\n' },
        types: { day: 'date', amount: 'number' },
        dateFormat: { day: '%d/%m/%Y' },
        decimal: ',',
        outFormat: 'json',
      },
      answer: {
        rowsOut: 2,
        failed: { day: 0, amount: 0 },
        preview: [
          { day: '2025-12-31', amount: 1234.5 },
          { day: '2026-02-01', amount: -7.25 },
        ],
      },
    },
  ],

  run: (input, { duckdb }) => takeTableStep(duckdb, 'cast', { input: input.file }, input),
})
