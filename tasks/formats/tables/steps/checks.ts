import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { ColumnName, ColumnNames, ColumnType, Count, TableFile } from './input.ts'

const JsonValue = Type.Union([Type.String({ maxLength: 65_536 }), Type.Number(), Type.Boolean(), Type.Null()])

export const Rule = Type.Object({
  column: ColumnName,
  required: Type.Optional(Type.Boolean()),
  unique: Type.Optional(Type.Boolean()),
  type: Type.Optional(ColumnType),
  pattern: Type.Optional(Type.String({ maxLength: 1000, description: 'RE2 syntax.' })),
  min: Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 100 })])),
  max: Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 100 })])),
  enum: Type.Optional(Type.Array(JsonValue, { minItems: 1, maxItems: 10_000 })),
  maxLength: Type.Optional(Type.Integer({ minimum: 0, maximum: 16_777_216 })),
  foreign: Type.Optional(
    Type.Object(
      { file: TableFile('Another table.'), column: ColumnName },
      { description: 'Every value is in this column of that table.' },
    ),
  ),
})
export type Rule = Static<typeof Rule>

export const CHECK_PARAMS = {
  diff: Type.Object({
    keys: ColumnNames,
    compare: Type.Optional(
      Type.Array(ColumnName, {
        minItems: 1,
        maxItems: 2000,
        description: 'Left out: the columns of both tables. A column that one table lacks is null there.',
      }),
    ),
    ignore: Type.Optional(ColumnNames),
    tolerance: Type.Optional(Type.Number({ minimum: 0, description: 'Numbers that differ by no more are equal.' })),
    caseInsensitive: Type.Boolean({ default: false }),
    output: Choice(['changes', 'full', 'summary'], { default: 'changes' }),
  }),
  validate: Type.Object({
    schema: Type.Optional(
      Type.Unsafe<Record<string, unknown> | boolean>({
        type: 'object',
        additionalProperties: true,
        description: 'A JSON Schema of a row, draft 2020-12 or 07.',
      }),
    ),
    rules: Type.Optional(Type.Array(Rule, { minItems: 1, maxItems: 500 })),
    maxErrors: Type.Integer({ default: 100, minimum: 1, maximum: 10_000 }),
    outputInvalid: Type.Boolean({ default: false, description: 'Return the rows that are not valid as a table.' }),
  }),
  profile: Type.Object({
    columns: Type.Optional(ColumnNames),
    topK: Type.Integer({ default: 10, minimum: 0, maximum: 100 }),
    histogramBins: Type.Integer({ default: 10, minimum: 0, maximum: 50 }),
    correlations: Type.Boolean({ default: false }),
    sampleRows: Type.Integer({ default: 0, minimum: 0, maximum: 2_000_000, description: '0: all rows.' }),
    detectPii: Type.Boolean({ default: true }),
  }),
  'schema-infer': Type.Object({
    dialect: Choice(['json-schema', 'duckdb', 'postgres', 'zod', 'typescript', 'bigquery'], { default: 'json-schema' }),
    sampleRows: Type.Integer({ default: 0, minimum: 0, maximum: 2_000_000, description: '0: all rows.' }),
    enumMax: Type.Integer({
      default: 20,
      minimum: 0,
      maximum: 200,
      description: 'Text columns with at most as many values, each repeated, become enums. 0: never.',
    }),
    requiredThreshold: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1,
      description: 'The share of rows that must have a value.',
    }),
  }),
} as const

export type CheckParams = { [Name in keyof typeof CHECK_PARAMS]: Static<(typeof CHECK_PARAMS)[Name]> }

export const DIFF_FACTS = {
  summary: Type.Object({ added: Count, removed: Count, changed: Count, unchanged: Count }),
  addedColumns: Type.Array(Type.String(), { description: 'Columns that only the right table has.' }),
  removedColumns: Type.Array(Type.String(), { description: 'Columns that only the left table has.' }),
}
