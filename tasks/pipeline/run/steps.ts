import { type TObject, type TSchema, Type } from 'typebox'
import { CHECK_PARAMS } from '../../formats/tables/steps/checks.ts'
import { COLUMN_PARAMS } from '../../formats/tables/steps/columns.ts'
import { GROUP_PARAMS } from '../../formats/tables/steps/groups.ts'
import { ColumnNames } from '../../formats/tables/steps/input.ts'
import { SQL_ROWS, SqlParams, TABLE_NAME } from '../../formats/tables/steps/queries.ts'
import { ROW_PARAMS } from '../../formats/tables/steps/rows.ts'

/** The operations over tables that a step can be, with what each takes beside its tables. */
const STEP_PARAMS: Record<string, TObject> = {
  ...COLUMN_PARAMS,
  ...ROW_PARAMS,
  ...GROUP_PARAMS,
  diff: CHECK_PARAMS.diff,
  // The default of the operation is for rows in an answer: here it would cut those of the next step.
  sql: Type.Object({
    ...SqlParams.properties,
    maxRows: Type.Integer({ ...SQL_ROWS, default: SQL_ROWS.maximum }),
  }),
}

export const MAX_STEPS = 50

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

const FILE_FAMILIES = /^(csv|text|image|pdf|doc)\./

export function isFileStep(name: string): boolean {
  return FILE_FAMILIES.test(name)
}

export function isTableStep({ op }: Pick<PipelineStep, 'op'>): boolean {
  return op.startsWith('data/')
}

const COMMON = {
  id: Type.Optional(TableName),
  input: Type.Optional(
    Type.String({
      pattern: TABLE_NAME,
      description: 'A name of `inputs` or an earlier step. Left out: the step before.',
    }),
  ),
}

function tableStep(op: string, params: TObject): TSchema {
  return Type.Object({
    op: Type.Literal(`data/${op}`),
    ...COMMON,
    with: Type.Optional(
      Type.Array(TableName, { minItems: 1, maxItems: 49, description: 'The other tables of join, diff and union.' }),
    ),
    params: Type.Object(params.properties, { default: {} }),
    expectColumns: Type.Optional({ ...ColumnNames, description: 'Columns that the result must have.' }),
  })
}

/** Its parameters are checked against the operation itself. */
function fileStep(names: readonly string[]): TSchema {
  return Type.Object({
    op: Type.Unsafe<string>({ type: 'string', enum: names.map(name => name.replace('.', '/')) }),
    ...COMMON,
    params: Type.Object(
      {},
      {
        default: {},
        additionalProperties: true,
        description:
          'The fields of the operation. A file is a source, or `{ step }` with the id or position of an earlier step, and `index` for one of several files. `file` may be left out: it is `input`. Texts are files where they are results.',
      },
    ),
  })
}

/** `fileSteps` are the names of operations on files. */
export function stepsSchema(fileSteps: readonly string[]) {
  return Type.Array(
    Type.Unsafe<PipelineStep>({
      type: 'object',
      discriminator: { propertyName: 'op' },
      required: ['op'],
      oneOf: [
        ...Object.entries(STEP_PARAMS).map(([op, params]) => tableStep(op, params)),
        ...(fileSteps.length > 0 ? [fileStep(fileSteps)] : []),
      ],
    }),
    { minItems: 1, maxItems: MAX_STEPS },
  )
}
