import { type Static, Type } from 'typebox'
import { Choice, FileManifest, FileOutput, type InputFile, Warnings } from '#kit'
import type { OutDialect } from '../../formats/tables/dialect.ts'
import {
  Columns,
  Count,
  OUTPUT_FIELDS,
  Preview,
  TableFile,
  type TableFormat,
} from '../../formats/tables/steps/input.ts'
import { NamedTables, TABLE_NAME } from '../../formats/tables/steps/queries.ts'
import { type PipelineStep, stepsSchema } from './steps.ts'

const StepName = Type.String({ pattern: TABLE_NAME })

/** `fileSteps` are the names of the operations on files that can be steps. */
export function pipelineInput(fileSteps: readonly string[]) {
  return Type.Object({
    file: Type.Optional(TableFile('The input, instead of `inputs`.')),
    inputs: Type.Optional(NamedTables('Tables, or files for steps that work on files, by name.')),
    steps: Type.Optional(stepsSchema(fileSteps)),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, description: 'A saved pipeline, instead of `steps`.' }),
    ),
    version: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'With `name`. Left out: the latest.' }),
    ),
    params: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'With `name`: values for its parameters.' }),
    ),
    output: Type.Optional({ ...StepName, description: 'The step whose result is returned. Left out: the last.' }),
    outputs: Type.Optional(
      Type.Array(StepName, {
        minItems: 1,
        maxItems: 10,
        description: 'Instead of `output`: the steps whose results are returned as a list of files.',
      }),
    ),
    onError: Choice(['stop'], { default: 'stop', description: 'Ends at a fault.' }),
    maxMicros: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: 1_000_000,
        description:
          'The most that the call may cost. For steps on files no more than this is held; a step that would cost more fails, and nothing is charged.',
      }),
    ),
    ...OUTPUT_FIELDS,
  })
}

/** A call as the operation gets it, with what the intake adds. */
export interface PipelineCall {
  file?: InputFile
  inputs?: Record<string, InputFile>
  steps: PipelineStep[]
  output?: string
  outputs?: string[]
  outFormat?: TableFormat
  maxMicros?: number
  outCsv: OutDialect
  preview: number
  /** The operator's prices per unit, by the name of the operation: of the pipeline itself and of its steps on files. */
  rates?: Record<string, string>
  /** The same for what a call costs besides its units. */
  bases?: Record<string, string>
  /** Which saved pipeline it is. */
  saved?: { name: string; version: number }
}

const Facts = { step: { type: 'string' }, rows: { type: 'integer' } }

export const PipelineAnswer = Type.Object({
  output: Type.Optional(FileOutput('*/*')),
  files: Type.Optional(FileManifest('*/*', Facts)),
  rowsOut: Type.Optional(Count),
  columns: Type.Optional(Columns),
  preview: Preview,
  pipeline: Type.Optional(
    Type.Object({ name: Type.String(), version: Type.Integer() }, { description: 'The saved pipeline that ran.' }),
  ),
  steps: Type.Array(
    Type.Object({
      id: Type.String(),
      op: Type.String(),
      rowsIn: Type.Optional(Count),
      rowsOut: Type.Optional(Count),
      files: Type.Optional(Type.Integer({ minimum: 0, description: 'Of a step on files: how many it made.' })),
      result: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Of a step on files whose result is returned: what else it says.',
        }),
      ),
      ms: Count,
      chargedMicros: Type.String(),
      warnings: Warnings,
    }),
  ),
})

export type PipelineResult = Static<typeof PipelineAnswer>

export const PipelineDryRun = Type.Object({
  steps: Type.Array(
    Type.Object({
      id: Type.String(),
      op: Type.String(),
      columns: Type.Union([Columns, Type.Null()], {
        description: 'Of the result, as the first rows of the input suggest; null if only running the step tells.',
      }),
      amountMicros: Type.String({ description: 'The price of the step, the most where less may be charged.' }),
    }),
  ),
})
