import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { Where } from '../where.ts'
import { ColumnName, ColumnNames, Count, Expression } from './input.ts'

/** A predicate in one of its two spellings. */
export const Predicate = Type.Union([Where, Expression], {
  description: 'A condition object, or an expression in SQL.',
})
export type Predicate = Static<typeof Predicate>

const Direction = Choice(['asc', 'desc'], { default: 'asc' })

export const SortKeys = Type.Array(
  Type.Object({
    column: ColumnName,
    dir: Direction,
    nulls: Choice(['first', 'last'], { default: 'last' }),
    natural: Type.Boolean({
      default: false,
      description: 'Compare numbers inside texts by value: file2 before file10.',
    }),
    collate: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2,3}(_[a-z]{2})?$',
        description: 'A language whose order of letters applies, such as de or sv.',
      }),
    ),
  }),
  { minItems: 1, maxItems: 20 },
)
export type SortKeys = Static<typeof SortKeys>

const WHOLE_LIMIT = 1_000_000
const Seed = Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 }))

export const ROW_PARAMS = {
  filter: Type.Object({
    where: Predicate,
    invert: Type.Boolean({ default: false, description: 'Keep the rows that do not match.' }),
  }),
  sort: Type.Object({
    by: SortKeys,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000_000 })),
  }),
  slice: Type.Object({
    offset: Type.Optional(
      Type.Integer({ minimum: -2_000_000, maximum: 2_000_000, description: 'Rows to skip; from the end if negative.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: WHOLE_LIMIT,
        description: 'How many rows; required unless `from` or `to` is given.',
      }),
    ),
    from: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_000_000,
        description: 'The first row, from 1; with `to`, instead of offset and limit.',
      }),
    ),
    to: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000_000 })),
    step: Type.Integer({ default: 1, minimum: 1, maximum: WHOLE_LIMIT }),
  }),
  sample: Type.Object({
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000_000 })),
    fraction: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
    method: Choice(['random', 'head', 'tail', 'systematic', 'stratified'], { default: 'random' }),
    by: Type.Optional(ColumnNames),
    seed: Seed,
    replace: Type.Boolean({ default: false, description: 'A row may be drawn more than once.' }),
  }),
  dropna: Type.Object({
    columns: Type.Optional(ColumnNames),
    how: Choice(['any', 'all'], { default: 'any' }),
    thresh: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_000_000,
        description: 'Keep what has at least as many values; replaces `how`.',
      }),
    ),
    emptyAsNull: Type.Boolean({ default: true }),
    axis: Choice(['rows', 'columns'], { default: 'rows' }),
  }),
  explode: Type.Object({
    column: ColumnName,
    separator: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Splits text. Left out: the cells are JSON lists.' }),
    ),
    keepEmpty: Type.Boolean({ default: true, description: 'Keep rows whose list is empty or null.' }),
    explodeObject: Type.Boolean({
      default: false,
      description: 'One row for each key of a JSON object, with the key in `<column>_key`.',
    }),
    indexColumn: Type.Optional(ColumnName),
  }),
  union: Type.Object({
    mode: Choice(['by-name', 'by-position'], { default: 'by-name' }),
    distinct: Type.Boolean({ default: false }),
    sourceColumn: Type.Optional(ColumnName),
    missing: Choice(['null', 'error'], { default: 'null' }),
  }),
} as const

export type RowParams = { [Name in keyof typeof ROW_PARAMS]: Static<(typeof ROW_PARAMS)[Name]> }

/** Facts of the answers beside the table. */
export const SAMPLE_FACTS = { seed: Type.Optional(Type.Integer()) }
export const FILTER_FACTS = { matched: Count }
