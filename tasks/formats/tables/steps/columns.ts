import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { byColumn, ColumnName, ColumnNames, ColumnType, Expression } from './input.ts'
import { SortKeys } from './rows.ts'

const Scalar = Type.Union([Type.String({ maxLength: 65_536 }), Type.Number(), Type.Boolean()])

const WINDOW_FUNCTIONS = ['row_number', 'rank', 'dense_rank', 'percent_rank', 'cume_dist', 'ntile'] as const
const WINDOW_VALUES = ['lag', 'lead', 'first', 'last', 'sum', 'mean', 'min', 'max', 'count'] as const

export const WindowColumn = Type.Object({
  fn: Choice([...WINDOW_FUNCTIONS, ...WINDOW_VALUES]),
  column: Type.Optional(ColumnName),
  n: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The distance of lag and lead, the groups of ntile.' }),
  ),
  partitionBy: Type.Optional(ColumnNames),
  orderBy: Type.Optional(SortKeys),
})
export type WindowColumn = Static<typeof WindowColumn>

export const COLUMN_PARAMS = {
  cast: Type.Object({
    types: byColumn<string>(ColumnType),
    dateFormat: Type.Optional(
      byColumn<string>({ type: 'string', minLength: 2, maxLength: 100 }, 'How dates are written, such as %d/%m/%Y.'),
    ),
    decimal: Choice(['.', ','], { default: '.' }),
    from: Type.Optional(
      byColumn<'excelSerial'>(
        { type: 'string', enum: ['excelSerial'] },
        'excelSerial: the numbers count days as Excel does.',
      ),
    ),
    trueValues: Type.Array(Type.String({ maxLength: 100 }), { default: ['true', 't', 'yes', 'y', '1'], maxItems: 50 }),
    falseValues: Type.Array(Type.String({ maxLength: 100 }), { default: ['false', 'f', 'no', 'n', '0'], maxItems: 50 }),
    onError: Choice(['error', 'null', 'keep'], {
      default: 'error',
      description: 'What becomes of a cell that does not fit. keep leaves the whole column text if any cell does not.',
    }),
  }),
  derive: Type.Object({
    columns: Type.Array(
      Type.Object({ name: ColumnName, expr: Type.Optional(Expression), window: Type.Optional(WindowColumn) }),
      {
        minItems: 1,
        maxItems: 100,
        description: 'Each has an expr or a window. Later ones see the names of earlier ones.',
      },
    ),
    replace: Type.Boolean({ default: false, description: 'Columns that exist may be replaced.' }),
  }),
  fillna: Type.Object({
    values: Type.Optional(byColumn<Static<typeof Scalar>>(Scalar)),
    value: Type.Optional(Scalar),
    method: Type.Optional(Choice(['ffill', 'bfill', 'mean', 'median', 'mode', 'zero', 'interpolate'])),
    columns: Type.Optional(ColumnNames),
    orderBy: Type.Optional(SortKeys),
    partitionBy: Type.Optional(ColumnNames),
  }),
  rename: Type.Object({
    map: Type.Optional(byColumn<string>(ColumnName)),
    case: Type.Optional(Choice(['snake', 'camel', 'kebab', 'lower', 'upper', 'title'])),
    prefix: Type.Optional(Type.String({ maxLength: 100 })),
    suffix: Type.Optional(Type.String({ maxLength: 100 })),
    regex: Type.Optional(
      Type.Object({ find: Type.String({ minLength: 1, maxLength: 1000 }), replace: Type.String({ maxLength: 1000 }) }),
    ),
    dedupe: Type.Boolean({
      default: true,
      description: 'Number names that would come twice; otherwise they are an error.',
    }),
  }),
} as const

export type ColumnParams = { [Name in keyof typeof COLUMN_PARAMS]: Static<(typeof COLUMN_PARAMS)[Name]> }
