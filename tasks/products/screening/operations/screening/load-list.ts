import { Type } from 'typebox'
import { Choice, define, Warnings } from '#kit'
import { Dialect, TABLE_ERRORS, TABLE_PRICE, TableInput } from '../../../../formats/tables/dialect.ts'
import { openTable } from '../../../../formats/tables/open.ts'
// What it throws is known once the products are, also in a thread that runs nothing else.
import '../../../index.ts'
import { ENTITY_TYPES } from '../../entity.ts'
import { COLUMN_MAP, type ColumnMap } from '../../own/columns.ts'
import { readTable } from '../../own/read-table.ts'

export default define({
  summary: 'Upload a list of your own to screen names against, or a new version of it.',
  keywords:
    'check a supplier against my own list, screen against our own list, own blocklist, internal watchlist, custom sanctions list, upload a blacklist, denied parties, in-house list, csv of banned customers',
  description:
    'A table of up to 20,000 entries, of which `name` is enough. Name it in `sources` of a screening, or ask for the family ' +
    '`custom` to search all of yours. No one else finds its entries. With `source` the file takes the place of that list at once: ' +
    'entries that it has no more are gone, and subjects that you watch are screened again.',
  price: TABLE_PRICE,
  uses: [],
  input: Type.Object({
    file: TableInput(),
    csv: Dialect,
    title: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000\\ud800-\\udfff]*$' }),
    source: Type.Optional(
      Type.String({
        pattern: '^custom:[0-9a-f-]{36}$',
        description: 'The list that it replaces; left out: a new one.',
      }),
    ),
    columns: Type.Object(COLUMN_MAP, {
      additionalProperties: false,
      default: {},
      description: 'Which column is what; a column that is called so is found by itself.',
    }),
    type: Choice(ENTITY_TYPES, { default: 'other', description: 'Of entries without a type; `other` matches any.' }),
    separator: Type.String({ default: ';', minLength: 1, maxLength: 5, description: 'Between the values of a cell.' }),
  }),
  output: Type.Object({
    source: Type.String({ description: 'To be named in `sources`.' }),
    title: Type.String(),
    version: Type.Integer(),
    entries: Type.Integer(),
    unchanged: Type.Boolean({ description: 'It has what the list had, so there is no new version.' }),
    warnings: Warnings,
  }),
  errors: [
    ...TABLE_ERRORS,
    ...(['COLUMN_NOT_FOUND', 'DUPLICATE_KEY', 'INPUT_EMPTY', 'NOT_FOUND', 'TOO_MANY_LISTS', 'LIST_BUSY'] as const),
  ],
  examples: [
    {
      title: 'Names with births',
      input: {
        title: 'Banned customers',
        file: { text: 'id,full name,born,country\n1,Zorblatt Quexington,1961-04-17,GB\n2,Unreal Dynamics Corp,,KP\n' },
        columns: { name: 'full name', dob: 'born' },
      },
      answer: { title: 'Banned customers', entries: 2, unchanged: false },
    },
  ],

  async run({ file, csv, columns, type, separator }) {
    const { rows, warnings } = await openTable(file, { csv, nested: 'json' })
    const read = readTable(rows, { columns: columns as ColumnMap, type, separator })
    return { result: { entities: read.entities } as never, warnings: [...warnings, ...read.warnings] }
  },
})
