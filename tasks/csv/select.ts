import { Type } from 'typebox'
import { Choice, define, exactlyOne, Warnings } from '#kit'
import { type Selector as Choosing, chooseColumns, Selector } from './columns-shape.ts'
import { Dialect, FORMATS, TABLE_ERRORS, TABLE_PRICE, TableInput } from './dialect-shape.ts'
import { keyReader } from './group-shape.ts'
import { openTable } from './table-shape.ts'
import { checkFor, Where } from './where-shape.ts'
import { Count, outLike, TableOutput, tableFile, writerFor } from './write-shape.ts'

const Selectors = Type.Array(Selector, { minItems: 1, maxItems: 2000 })
const EXACT = { caseInsensitive: false, trim: false, normalizeUnicode: false }

export default define({
  summary: 'Take some columns and some rows of a table.',
  description:
    'Columns by name, place, range or pattern, renamed if you like. Conditions compare text, and numbers by size.',
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
    distinct: Type.Boolean({ default: false, description: 'Each row once, as it is written out.' }),
    outFormat: Type.Optional(Choice(FORMATS, { description: 'Left out: that of the input.' })),
  }),
  output: Type.Object({
    output: TableOutput,
    rowsIn: Count,
    rowsOut: Count,
    columns: Type.Array(Type.String()),
    warnings: Warnings,
  }),
  errors: [...TABLE_ERRORS, 'COLUMN_NOT_FOUND', 'BAD_RANGE', 'REGEX_INVALID', 'REGEX_UNSUPPORTED', 'OUTPUT_TOO_LARGE'],
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
    const { rows, format, dialect, warnings } = await openTable(input.file, { csv: input.csv })
    const given = exactlyOne(input, ['columns', 'exclude'])
    const matches = (texts: readonly string[], pattern: string, isCaseless = false) =>
      regex.test(texts, { pattern, flags: isCaseless ? 'i' : '' })
    const named = await chooseColumns(rows.columns, input[given] as Choosing[], matches)
    const excluded = new Set(named.map(({ column }) => column))
    const rest = rows.columns.map((name, column) => ({ name, column })).filter(({ column }) => !excluded.has(column))
    const chosen = given === 'columns' ? named : rest
    const isWanted = input.where ? await checkFor(input.where, rows, matches) : () => true
    const to = input.outFormat ?? format
    const outCsv = outLike(to === format ? dialect : undefined)
    const names = chosen.map(({ name }) => name)
    const picked = chosen.map(({ column }) => column)
    const writer = writerFor(names, { to, outCsv }, rows.bytes.length)
    const keyOf = keyReader(picked, EXACT)
    const seen = new Set<string>()
    const { offset, limit = Infinity } = input.rows
    let [rowsIn, found, rowsOut] = [0, 0, 0]
    while (rows.next()) {
      rowsIn++
      if (!isWanted(rows) || (input.distinct && !isNew(keyOf(rows)))) continue
      if (found++ < offset || rowsOut >= limit) continue
      writer.row(rows, picked)
      rowsOut++
    }
    const output = tableFile(writer.finished(), to, input.file.name)
    return { result: { output, rowsIn, rowsOut, columns: names }, warnings }

    function isNew(key: string): boolean {
      if (seen.has(key)) return false
      seen.add(key)
      return true
    }
  },
})
