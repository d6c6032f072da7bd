import { Type } from 'typebox'
import { Choice, define, Warnings } from '#kit'
import {
  Dialect,
  FORMATS,
  OutDialect,
  ResolvedDialect,
  TABLE_ERRORS,
  TABLE_PRICE,
  TableInput,
} from './dialect-shape.ts'
import { openTable } from './table-shape.ts'
import { type CellType, casterFor, TYPES } from './types-shape.ts'
import { Count, TableOutput, tableFile, writerFor } from './write-shape.ts'

const Types = Type.Union(
  [
    Choice(['none', 'infer']),
    Type.Unsafe<Record<string, CellType>>({
      type: 'object',
      additionalProperties: { type: 'string', enum: [...TYPES] },
      maxProperties: 2000,
    }),
  ],
  { default: 'none', description: 'For JSON: none keeps every cell a string; infer, or a type by column.' },
)

export default define({
  summary: 'Convert a table between CSV, TSV, JSON and NDJSON.',
  description:
    'No value is ever retyped unless asked: 007, 1.10 and long numbers stay as they are, byte for byte. Objects with ' +
    'different keys get the columns of all, in the order they first appear.',
  price: TABLE_PRICE,
  uses: [],
  input: Type.Object({
    file: TableInput(),
    from: Choice(['auto', ...FORMATS], { default: 'auto' }),
    to: Choice(FORMATS),
    csv: Dialect,
    outCsv: OutDialect,
    types: Types,
    nested: Choice(['flatten', 'json', 'error'], {
      default: 'flatten',
      description: 'What becomes of objects within rows, with names such as a.b; lists become JSON text.',
    }),
    jsonPath: Type.Optional(
      Type.String({ maxLength: 1000, pattern: '^(/.*)?$', description: 'A pointer to the list, such as /data/items.' }),
    ),
    jsonShape: Choice(['objects', 'arrays', 'columns'], { default: 'objects' }),
    escapeFormulas: Type.Boolean({ default: false, description: "Put ' before cells that a spreadsheet would run." }),
    bigIntAs: Choice(['string', 'number'], { default: 'string', description: 'Of typed integers above 2^53.' }),
  }),
  output: Type.Object({
    output: TableOutput,
    rows: Count,
    columns: Type.Array(Type.String()),
    dialect: ResolvedDialect,
    warnings: Warnings,
  }),
  errors: [...TABLE_ERRORS, 'TYPE_MISMATCH', 'COLUMN_NOT_FOUND', 'OUTPUT_TOO_LARGE'],
  examples: [
    {
      title: 'CSV to JSON',
      input: { file: { text: 'id;name\n007;Ada\n008;Bob\n' }, to: 'json' },
      answer: { rows: 2, columns: ['id', 'name'], dialect: { delimiter: ';', header: true } },
    },
    {
      title: 'Nested JSON to CSV',
      input: { file: { text: '{"data":[{"a":1,"b":{"c":2}},{"a":3}]}' }, to: 'csv', jsonPath: '/data' },
      answer: { rows: 2, columns: ['a', 'b.c'] },
    },
  ],

  async run(input) {
    const { file, to, csv, outCsv, jsonShape, escapeFormulas, bigIntAs, types } = input
    const { rows, dialect, warnings } = await openTable(file, input)
    const isJson = to === 'json' || to === 'ndjson'
    const rules = { types, nullValues: csv.nullValues, decimal: csv.decimal, bigIntAs }
    const caster = isJson ? casterFor(rows, rules) : undefined
    const writer = writerFor(rows.columns, { to, outCsv, jsonShape, escapeFormulas, caster }, rows.bytes.length)
    const all = rows.columns.map((_, column) => column)
    let count = 0
    while (rows.next()) {
      writer.row(rows, all)
      count++
    }
    const output = tableFile(writer.finished(), to, file.name)
    return { result: { output, rows: count, columns: [...rows.columns], ...(dialect && { dialect }) }, warnings }
  },
})
