import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Check the rows of a table before you import it',
  lead: 'Rules or a JSON Schema, applied to each row. You learn which rows are wrong and why, before they are in your database.',
  keywords: 'validate, csv, import, data quality, json schema, rules',
  steps: [
    {
      call: 'data.validate',
      input: {
        file: { text: 'id,mail\n1,ada@example.com\n1,nobody\n' },
        rules: [
          { column: 'id', required: true, unique: true },
          { column: 'mail', pattern: String.raw`^\S+@\S+$` },
        ],
      },
    },
  ],
  pitfalls: [
    'A table that is not valid is an answer with `valid: false` and no error, and is charged.',
    'Rows count from 1 and the header is not counted, so row 1 is the second line of the file.',
    'At most `maxErrors` faults are listed; `byRule` counts all of them.',
    'CSV has no types: `007` is a text to some programs and a number to others. Say which with a rule.',
  ],
})
