import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { ColumnName, ColumnNames, Count } from './input.ts'
import { Predicate, SortKeys } from './rows.ts'

export const AGGREGATES = [
  ...['count', 'countDistinct', 'sum', 'mean', 'median', 'min', 'max', 'std', 'var', 'first', 'last', 'mode'],
  ...['quantile', 'list', 'concat', 'any', 'all'],
] as const
type Aggregate =
  | 'count'
  | 'countDistinct'
  | 'sum'
  | 'mean'
  | 'median'
  | 'min'
  | 'max'
  | 'std'
  | 'var'
  | 'first'
  | 'last'
  | 'mode'
  | 'quantile'
  | 'list'
  | 'concat'
  | 'any'
  | 'all'

export const AggregateColumn = Type.Object({
  column: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1000, description: 'May be left out for count, which then counts rows.' }),
  ),
  fn: Choice<Aggregate>(AGGREGATES as unknown as readonly Aggregate[]),
  q: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Of quantile.' })),
  sep: Type.Optional(Type.String({ maxLength: 100, description: 'Of concat; left out: a comma.' })),
  as: Type.Optional(ColumnName),
  where: Type.Optional(Predicate),
})
export type AggregateColumn = Static<typeof AggregateColumn>

export const GROUP_PARAMS = {
  groupby: Type.Object({
    by: Type.Array(ColumnName, { maxItems: 20 }),
    aggs: Type.Array(AggregateColumn, { minItems: 1, maxItems: 100 }),
    having: Type.Optional(Predicate),
    sort: Type.Optional(SortKeys),
    totals: Choice(['none', 'grand', 'rollup'], { default: 'none' }),
  }),
  pivot: Type.Object({
    direction: Choice(['wide', 'long'], { default: 'wide' }),
    index: Type.Optional(ColumnNames),
    columns: Type.Optional(ColumnName),
    values: Type.Optional(ColumnName),
    agg: Choice(['sum', 'count', 'countDistinct', 'mean', 'median', 'min', 'max', 'first', 'last'], { default: 'sum' }),
    fill: Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Number()])),
    maxColumns: Type.Integer({ default: 500, minimum: 1, maximum: 1900 }),
    idVars: Type.Optional(ColumnNames),
    valueVars: Type.Optional(ColumnNames),
    nameTo: Type.String({ default: 'name', minLength: 1, maxLength: 1000 }),
    valueTo: Type.String({ default: 'value', minLength: 1, maxLength: 1000 }),
  }),
  join: Type.Object({
    on: Type.Optional(ColumnNames),
    leftOn: Type.Optional(ColumnNames),
    rightOn: Type.Optional(ColumnNames),
    how: Choice(['inner', 'left', 'right', 'full', 'semi', 'anti', 'cross', 'asof'], {
      default: 'inner',
      description: 'asof: the last key of `on` matches the nearest right row that is not later.',
    }),
    suffixes: Type.Array(Type.String({ maxLength: 50 }), { default: ['_l', '_r'], minItems: 2, maxItems: 2 }),
    validate: Choice(['none', '1:1', '1:m', 'm:1'], { default: 'none' }),
    nullsMatch: Type.Boolean({ default: false }),
  }),
} as const

export type GroupParams = { [Name in keyof typeof GROUP_PARAMS]: Static<(typeof GROUP_PARAMS)[Name]> }

export const JOIN_FACTS = { leftUnmatched: Count, rightUnmatched: Count }
