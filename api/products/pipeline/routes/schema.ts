import { Type } from 'typebox'
import { Choice } from '#kit'
import type { PipelineRecord } from '../../../../sql/pipeline/saved.ts'
import { TABLE_FORMATS } from '../../../../tasks/formats/tables/steps/input.ts'
import type { Definition } from '../definition.ts'
import { PARAMETER_TYPES } from '../parameters.ts'

/** Those that read. What changes a pipeline can also be called with a wallet's payment signature, which is not charged. */
export const READER_AUTH = ['key', 'wallet'] as const
export const OWNER_AUTH = ['key', 'wallet', 'x402'] as const
export const OWNER_ERRORS = ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const

export const PipelineName = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 63, description: 'Lower-case letters, digits, _ and -.' }),
})
export const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

const AnyObject = Type.Record(Type.String(), Type.Unknown())

const Parameter = Type.Object(
  {
    type: Choice(PARAMETER_TYPES),
    default: Type.Optional(Type.Unknown()),
    required: Type.Optional(
      Type.Boolean({ description: 'Left out: whether there is no default. False: what has no value is left out.' }),
    ),
    description: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false },
)

const Step = Type.Object(
  {
    op: Type.String({ maxLength: 100 }),
    id: Type.Optional(Type.String({ maxLength: 63 })),
    input: Type.Optional(Type.String({ maxLength: 63 })),
    with: Type.Optional(Type.Array(Type.String({ maxLength: 63 }), { maxItems: 49 })),
    params: Type.Optional(AnyObject),
    expectColumns: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 2000 })),
  },
  { additionalProperties: false },
)

export const DEFINITION_FIELDS = {
  description: Type.Optional(Type.String({ maxLength: 500 })),
  params: Type.Optional(
    Type.Unsafe<NonNullable<Definition['params']>>({
      type: 'object',
      additionalProperties: Parameter,
      propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_]{0,62}$' },
      maxProperties: 50,
      description: 'Parameters by name. In `params` of a step, `{ "param": "name" }` stands for the whole value.',
    }),
  ),
  steps: Type.Array(Step, { minItems: 1, maxItems: 50, description: 'As of POST /v1/pipeline.' }),
  output: Type.Optional(Type.String({ maxLength: 63 })),
  outputs: Type.Optional(Type.Array(Type.String({ maxLength: 63 }), { minItems: 1, maxItems: 10 })),
  outFormat: Type.Optional(Choice(TABLE_FORMATS)),
}

const Time = Type.String({ format: 'date-time' })

export const SavedPipeline = Type.Object({
  name: Type.String(),
  version: Type.Integer(),
  createdAt: Time,
  inputs: Type.Array(Type.String(), { description: 'The names of the inputs that a call gives; `file` is `input`.' }),
  ...DEFINITION_FIELDS,
})

export const PipelineList = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      version: Type.Integer(),
      createdAt: Time,
      description: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), hasMore: Type.Boolean() }),
})

export const Page = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
}

export function describePipeline({ definition, ...facts }: PipelineRecord<Definition>) {
  return { ...facts, ...definition }
}
