import { Type } from 'typebox'
import { Choice, define, type OutputFile, Problem, Warnings } from '#kit'
import { findColumn } from '../formats/tables/column-names.ts'
import { Dialect, FORMATS, TABLE_ERRORS, TABLE_PRICE, TableInput } from '../formats/tables/dialect.ts'
import { openTable } from '../formats/tables/open.ts'
import { createKeyReader, DuplicateFilter } from '../formats/tables/row-keys.ts'
import { Count, createTableFile, createTableWriter, outputDialectLike, TableOutput } from '../formats/tables/writer.ts'

const MAX_ROWS = 5_000_000

export default define({
  summary: 'Remove duplicate rows from a table.',
  keywords:
    'the same row twice, deduplicate a list, mailing list, deduplicate, unique, distinct, repeated rows, find duplicates, duplicate customers, ignore case, upper lower case, spaces differ',
  description: 'The order of the rows is kept. Rows are duplicates if the cells of their key columns are equal.',
  price: TABLE_PRICE,
  uses: [],
  instant: { maxBytes: 2048 },
  input: Type.Object({
    file: TableInput(),
    csv: Dialect,
    keys: Type.Optional(
      Type.Array(Type.String({ maxLength: 1000 }), {
        minItems: 1,
        maxItems: 1000,
        description: 'Left out: all columns.',
      }),
    ),
    keep: Choice(['first', 'last', 'none', 'most-complete'], { default: 'first' }),
    caseInsensitive: Type.Boolean({ default: false }),
    trim: Type.Boolean({
      default: true,
      description: 'Ignore white space around cells. That within them: `collapseSpaces`.',
    }),
    collapseSpaces: Type.Boolean({
      default: false,
      description: 'Take several spaces or line ends within a cell for one: `Anna  Smith` is `Anna Smith`.',
    }),
    normalizeUnicode: Type.Boolean({ default: true, description: 'Ignore how accented characters are composed.' }),
    reportDuplicates: Type.Boolean({ default: false, description: 'Return the removed rows as a second table.' }),
    outFormat: Type.Optional(Choice(FORMATS, { description: 'Left out: that of the input.' })),
  }),
  output: Type.Object({
    output: TableOutput,
    rowsIn: Count,
    rowsOut: Count,
    removed: Count,
    groups: Type.Integer({ minimum: 0, description: 'Groups of duplicate rows.' }),
    duplicates: Type.Optional(TableOutput),
    warnings: Warnings,
  }),
  errors: [...TABLE_ERRORS, 'COLUMN_NOT_FOUND', 'OUTPUT_TOO_LARGE'],
  examples: [
    {
      title: 'One row for each address',
      input: {
        file: { text: 'mail,name\na@x.de,Ada\nA@X.de ,A.\nb@x.de,Bob\n' },
        keys: ['mail'],
        caseInsensitive: true,
      },
      answer: { rowsIn: 3, rowsOut: 2, removed: 1, groups: 1 },
    },
  ],

  async run(input) {
    const { rows, format, dialect, hasHeader, warnings } = await openTable(input.file, { csv: input.csv })
    const to = input.outFormat ?? format
    const keys = input.keys?.map(name => findColumn(rows.columns, name)) ?? rows.columns.map((_, column) => column)
    const readKey = createKeyReader(keys, input)
    const duplicateFilter = new DuplicateFilter(input.keep)
    while (rows.next()) {
      if (duplicateFilter.rows === MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS })
      duplicateFilter.add(readKey(rows), rows)
    }
    rows.rewind()
    const outCsv = outputDialectLike(to === format ? dialect : undefined, hasHeader)
    const allColumns = rows.columns.map((_, column) => column)
    const kept = createTableWriter(rows.columns, { to, outCsv }, rows.bytes.length)
    const dropped = input.reportDuplicates ? createTableWriter(rows.columns, { to, outCsv }, 1024) : undefined
    const isKept = duplicateFilter.keptFlags()
    let rowsOut = 0
    for (let row = 0; rows.next(); row++) {
      if (isKept[row] === 1) {
        kept.writeRow(rows, allColumns)
        rowsOut++
      } else dropped?.writeRow(rows, allColumns)
    }
    const output = createTableFile(kept.finish(), to, input.file.name)
    const counts = {
      rowsIn: duplicateFilter.rows,
      rowsOut,
      removed: duplicateFilter.rows - rowsOut,
      groups: duplicateFilter.countDuplicateGroups(),
    }
    return { result: { output, ...counts, ...(dropped && { duplicates: duplicates(dropped.finish()) }) }, warnings }

    function duplicates(bytes: Uint8Array): OutputFile {
      return createTableFile(bytes, to, 'duplicates')
    }
  },
})
