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
} from '../formats/tables/dialect.ts'
import { openTable } from '../formats/tables/open.ts'
import { CELL_TYPES, type CellType, createCaster } from '../formats/tables/types.ts'
import { Count, createTableFile, createTableWriter, TableOutput } from '../formats/tables/writer.ts'

const Types = Type.Union(
  [
    Choice(['none', 'infer']),
    Type.Unsafe<Record<string, CellType>>({
      type: 'object',
      additionalProperties: { type: 'string', enum: [...CELL_TYPES] },
      maxProperties: 2000,
    }),
  ],
  {
    default: 'none',
    description:
      'For JSON output, and for numbers with a decimal comma: none keeps every cell a string; infer detects types; an object sets types by column.',
  },
)

export default define({
  summary: 'Convert a table between CSV, TSV, JSON and NDJSON.',
  keywords:
    'csv to json, json to csv, tsv, tab separated, comma separated, ndjson, spreadsheet, charset, encoding, shift_jis to utf-8, semicolons to commas',
  converts: [{ from: 'csv tsv json ndjson', to: 'csv tsv json ndjson' }],
  isFeatured: true,
  description:
    'Values keep their text unless types are requested: 007, 1.10 and long numbers stay as they are, byte for byte. ' +
    'Objects with different keys get the columns of all, in the order of first appearance.',
  price: TABLE_PRICE,
  uses: [],
  // A short row may add a column to all others, so the work grows as the square of the input.
  instant: { maxBytes: 1536 },
  input: Type.Object({
    file: TableInput(),
    from: Choice(['auto', ...FORMATS], { default: 'auto' }),
    to: Choice(FORMATS),
    csv: Dialect,
    outCsv: OutDialect,
    types: Types,
    nested: Choice(['flatten', 'json', 'error'], {
      default: 'flatten',
      description:
        'How to write objects within rows: flatten gives columns such as a.b; lists always become JSON text.',
    }),
    jsonPath: Type.Optional(
      Type.String({
        maxLength: 1000,
        pattern: '^(/.*)?$',
        description: 'A JSON pointer to the list, such as /data/items.',
      }),
    ),
    jsonShape: Choice(['objects', 'arrays', 'columns'], {
      default: 'objects',
      description: 'arrays begins with the names of the columns, if the input has any.',
    }),
    escapeFormulas: Type.Boolean({
      default: false,
      description: "Put ' before cells that a spreadsheet would evaluate as a formula.",
    }),
    bigIntAs: Choice(['string', 'number'], {
      default: 'string',
      description: 'How to write typed integers above 2^53.',
    }),
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
    const { rows, dialect, hasHeader, warnings } = await openTable(file, input)
    const isJson = to === 'json' || to === 'ndjson'
    const rules = { types, nullValues: csv.nullValues, decimal: csv.decimal, bigIntAs }
    // Other cells of CSV are texts in any case, and keep theirs.
    const isCast = isJson || (types !== 'none' && csv.decimal === ',')
    const caster = isCast ? createCaster(rows, rules) : undefined
    const written = { to, outCsv, jsonShape, escapeFormulas, hasHeader, caster }
    const writer = createTableWriter(rows.columns, written, rows.bytes.length)
    const allColumns = rows.columns.map((_, column) => column)
    let count = 0
    while (rows.next()) {
      writer.writeRow(rows, allColumns)
      count++
    }
    const output = createTableFile(writer.finish(), to, file.name)
    return { result: { output, rows: count, columns: [...rows.columns], ...(dialect && { dialect }) }, warnings }
  },
})
