import { type TObject, Type } from 'typebox'
import { CHECK_PARAMS } from '../../formats/table-steps/checks.ts'
import { COLUMN_PARAMS } from '../../formats/table-steps/columns.ts'
import { GROUP_PARAMS } from '../../formats/table-steps/groups.ts'
import { ColumnNames } from '../../formats/table-steps/input.ts'
import { SqlParams, TABLE_NAME } from '../../formats/table-steps/queries.ts'
import { ROW_PARAMS } from '../../formats/table-steps/rows.ts'

/** The operations that a step can be, with what each takes beside its tables. */
const STEP_PARAMS: Record<string, TObject> = {
  ...COLUMN_PARAMS,
  ...ROW_PARAMS,
  ...GROUP_PARAMS,
  diff: CHECK_PARAMS.diff,
  sql: SqlParams,
}

const TableName = Type.String({ pattern: TABLE_NAME })

/** A step as a caller gives it. */
export interface PipelineStep {
  op: string
  id?: string
  input?: string
  with?: string[]
  params: Record<string, unknown>
  expectColumns?: string[]
}

function stepSchema(op: string, params: TObject) {
  return Type.Object({
    op: Type.Literal(`data/${op}`),
    id: Type.Optional(TableName),
    input: Type.Optional(
      Type.String({
        pattern: TABLE_NAME,
        description: 'A table of `inputs` or an earlier step. Left out: the step before.',
      }),
    ),
    with: Type.Optional(
      Type.Array(TableName, { minItems: 1, maxItems: 49, description: 'The other tables of join, diff and union.' }),
    ),
    params: Type.Object(params.properties, { default: {} }),
    expectColumns: Type.Optional({ ...ColumnNames, description: 'Columns that the result must have.' }),
  })
}

export const Steps = Type.Array(
  Type.Unsafe<PipelineStep>({
    type: 'object',
    discriminator: { propertyName: 'op' },
    required: ['op'],
    oneOf: Object.entries(STEP_PARAMS).map(([op, params]) => stepSchema(op, params)),
  }),
  { minItems: 1, maxItems: 20 },
)
