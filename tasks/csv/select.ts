import { Type } from 'typebox'
import { Choice, define, exactlyOne, Warnings } from '#kit'
import { chooseColumns, Selector } from '../formats/tables/columns.ts'
import { Dialect, FORMATS, TABLE_ERRORS, TABLE_PRICE, TableInput } from '../formats/tables/dialect.ts'
import { openTable } from '../formats/tables/open.ts'
import { createKeyReader } from '../formats/tables/row-keys.ts'
import { Where } from '../formats/tables/where.ts'
import { Count, createTableFile, createTableWriter, outputDialectLike, TableOutput } from '../formats/tables/writer.ts'
import { warnOfTextOrder } from './select/comparisons.ts'
import { compileCondition } from './select/where.ts'

const Selectors = Type.Array(Selector, { minItems: 1, maxItems: 2000 })
const EXACT = { caseInsensitive: false, trim: false, normalizeUnicode: false }

export default define({
  summary: 'Select the columns given in `columns` or `exclude`, and rows, of a table.',
  keywords:
    'filter, where, query, keep columns, drop columns, rename, subset, sort, spreadsheet, rows 11 to 20, split a table into files of so many rows',
  description:
    'Selects columns by name, position, range or pattern, and can rename them. Conditions compare numbers by value and everything else as text.',
  price: TABLE_PRICE,
  uses: ['regex'],
  input: Type.Object({
    file: TableInput(),
    csv: Dialect,
    columns: Type.Optional({ ...Selectors, description: 'Give columns or exclude.' }),
    exclude: Type.Optional(Selectors),
    rows: Type.Object(
      {
        offset: Type.Integer({ default: 0, minimum: 0 }),
        limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
      },
      { default: {} },
    ),
    where: Type.Optional(Where),
    distinct: Type.Boolean({ default: false, description: 'Keep each row once, compared as it is written.' }),
    outFormat: Type.Optional(Choice(FORMATS, { description: 'Left out: that of the input.' })),
  }),
  output: Type.Object({
    output: TableOutput,
    rowsIn: Count,
    rowsOut: Count,
    columns: Type.Array(Type.String()),
    warnings: Warnings,
  }),
  errors: [
    ...TABLE_ERRORS,
    'UNKNOWN_FIELD',
    'CONFLICTING_OPTIONS',
    'COLUMN_NOT_FOUND',
    'BAD_RANGE',
    'REGEX_INVALID',
    'REGEX_UNSUPPORTED',
    'OUTPUT_TOO_LARGE',
  ],
  examples: [
    {
      title: 'Two columns of some rows',
      input: {
        file: { text: 'id,name,age\n1,Ada,36\n2,Bob,9\n3,Cy,41\n' },
        columns: ['name', { name: 'age', as: 'years' }],
        where: { column: 'age', op: 'gt', value: 18 },
      },
      answer: { rowsIn: 3, rowsOut: 2, columns: ['name', 'years'] },
    },
  ],

  async run(input, { regex }) {
    const { rows, format, dialect, hasHeader, warnings } = await openTable(input.file, { csv: input.csv })
    const given = exactlyOne(input, ['columns', 'exclude'])
    const matches = (texts: readonly string[], pattern: string, isCaseless = false) =>
      regex.test(texts, { pattern, flags: isCaseless ? 'i' : '' })
    const selected = await chooseColumns(rows.columns, input[given] as Selector[], matches)
    const excluded = new Set(selected.map(({ column }) => column))
    const rest = rows.columns.map((name, column) => ({ name, column })).filter(({ column }) => !excluded.has(column))
    const chosen = given === 'columns' ? selected : rest
    const comparedAsText = new Set<string>()
    const isWanted = input.where ? await compileCondition(input.where, rows, { matches, comparedAsText }) : () => true
    const to = input.outFormat ?? format
    const outCsv = outputDialectLike(to === format ? dialect : undefined, hasHeader)
    const names = chosen.map(({ name }) => name)
    const columns = chosen.map(({ column }) => column)
    const writer = createTableWriter(names, { to, outCsv }, rows.bytes.length)
    const readKey = createKeyReader(columns, EXACT)
    const seenKeys = new Set<string>()
    const { offset, limit = Infinity } = input.rows
    let [rowsIn, matched, rowsOut] = [0, 0, 0]
    while (rows.next()) {
      rowsIn++
      if (!isWanted(rows) || (input.distinct && !isNew(readKey(rows)))) continue
      if (matched++ < offset || rowsOut >= limit) continue
      writer.writeRow(rows, columns)
      rowsOut++
    }
    const output = createTableFile(writer.finish(), to, input.file.name)
    return {
      result: { output, rowsIn, rowsOut, columns: names },
      warnings: [...warnings, ...warnOfTextOrder(comparedAsText)],
    }

    function isNew(key: string): boolean {
      if (seenKeys.has(key)) return false
      seenKeys.add(key)
      return true
    }
  },
})
