import { Type } from 'typebox'
import { Choice, define, type OutputFile, Problem, Warnings } from '#kit'
import { columnIndex } from './columns-shape.ts'
import { Dialect, FORMATS, TABLE_ERRORS, TABLE_PRICE, TableInput } from './dialect-shape.ts'
import { keyReader, Winners } from './group-shape.ts'
import { openTable } from './table-shape.ts'
import { Count, outLike, TableOutput, tableFile, writerFor } from './write-shape.ts'

const MOST_ROWS = 5_000_000

export default define({
  summary: 'Leave out the rows of a table that come more than once.',
  description: 'The order of the rows stays. Rows are the same where the cells of the key columns are.',
  price: TABLE_PRICE,
  uses: [],
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
    trim: Type.Boolean({ default: true, description: 'White space around a cell makes no difference.' }),
    normalizeUnicode: Type.Boolean({ default: true, description: 'Nor does how an accent is put together.' }),
    reportDuplicates: Type.Boolean({ default: false, description: 'Give what was left out as a second table.' }),
    outFormat: Type.Optional(Choice(FORMATS, { description: 'Left out: that of the input.' })),
  }),
  output: Type.Object({
    output: TableOutput,
    rowsIn: Count,
    rowsOut: Count,
    removed: Count,
    groups: Type.Integer({ minimum: 0, description: 'Of rows that come more than once.' }),
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
    const { rows, format, dialect, warnings } = await openTable(input.file, { csv: input.csv })
    const to = input.outFormat ?? format
    const keys = input.keys?.map(name => columnIndex(rows.columns, name)) ?? rows.columns.map((_, column) => column)
    const keyOf = keyReader(keys, input)
    const winners = new Winners(input.keep)
    while (rows.next()) {
      if (winners.rows === MOST_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MOST_ROWS })
      winners.add(keyOf(rows), rows)
    }
    rows.rewind()
    const outCsv = outLike(to === format ? dialect : undefined)
    const all = rows.columns.map((_, column) => column)
    const kept = writerFor(rows.columns, { to, outCsv }, rows.bytes.length)
    const dropped = input.reportDuplicates ? writerFor(rows.columns, { to, outCsv }, 1024) : undefined
    const isKept = winners.verdicts()
    let rowsOut = 0
    for (let row = 0; rows.next(); row++) {
      if (isKept[row] === 1) {
        kept.row(rows, all)
        rowsOut++
      } else dropped?.row(rows, all)
    }
    const output = tableFile(kept.finished(), to, input.file.name)
    const counts = { rowsIn: winners.rows, rowsOut, removed: winners.rows - rowsOut, groups: winners.groups() }
    return { result: { output, ...counts, ...(dropped && { duplicates: duplicates(dropped.finished()) }) }, warnings }

    function duplicates(bytes: Uint8Array): OutputFile {
      return tableFile(bytes, to, 'duplicates')
    }
  },
})
