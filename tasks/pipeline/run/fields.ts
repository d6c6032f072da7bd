import { Type } from 'typebox'
import { FileManifest, type InputFile, Warnings } from '#kit'
import {
  Columns,
  Count,
  OUTPUT_FIELDS,
  Preview,
  TABLE_TYPES,
  TableFile,
  TableOutput,
} from '../../formats/table-steps/input.ts'
import { TABLE_NAME } from '../../formats/table-steps/queries.ts'
import { Steps } from './steps.ts'

const StepName = Type.String({ pattern: TABLE_NAME })

export const PipelineInput = Type.Object({
  file: Type.Optional(TableFile('The table input, instead of `inputs`.')),
  inputs: Type.Optional(
    Type.Unsafe<Record<string, InputFile>>({
      type: 'object',
      additionalProperties: TableFile(),
      propertyNames: { pattern: TABLE_NAME },
      minProperties: 1,
      maxProperties: 10,
      description: 'Tables by name.',
    }),
  ),
  steps: Steps,
  outputs: Type.Optional(
    Type.Array(StepName, {
      minItems: 1,
      maxItems: 10,
      description: 'The steps whose results are returned as files. Left out: the last.',
    }),
  ),
  ...OUTPUT_FIELDS,
})

export const PipelineAnswer = Type.Object({
  output: Type.Optional(TableOutput),
  files: Type.Optional(
    FileManifest(Object.values(TABLE_TYPES), { step: { type: 'string' }, rows: { type: 'integer' } }),
  ),
  rowsOut: Count,
  columns: Columns,
  preview: Preview,
  steps: Type.Array(
    Type.Object({
      id: Type.String(),
      op: Type.String(),
      rowsIn: Count,
      rowsOut: Count,
      ms: Count,
      chargedMicros: Type.String(),
      warnings: Warnings,
    }),
  ),
})
