import { Type } from 'typebox'
import { define, FileOutput } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { CHECK_PARAMS } from '../formats/tables/steps/checks.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { takeStep } from './schema.ts'

export default define({
  summary: 'Find the schema of a table.',
  keywords:
    'json schema, json schema from examples, schema of json objects, create table, ddl, zod, typescript types, bigquery schema, infer types, which types columns have, schema of parquet, parquet schema, column types',
  description: 'As JSON Schema, as CREATE TABLE of DuckDB or Postgres, as zod, TypeScript or a schema of BigQuery.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: Type.Object({ file: TableFile(), ...CHECK_PARAMS['schema-infer'].properties }),
  output: Type.Object({
    output: FileOutput(['application/json', 'text/plain']),
    schema: Type.Unknown(),
    columns: Type.Array(
      Type.Object(
        { name: Type.String(), type: Type.String(), required: Type.Boolean() },
        { additionalProperties: true },
      ),
    ),
    nullability: Type.Record(Type.String(), Type.Number(), { description: 'The share of nulls by column.' }),
    examples: Type.Record(Type.String(), Type.Array(Type.String())),
  }),
  errors: STEP_ERRORS,
  examples: [
    {
      title: 'JSON Schema of a CSV',
      input: { file: { text: 'id,day\n1,2026-01-31\n2,\n' } },
      answer: {
        schema: {
          type: 'object',
          properties: { id: { type: 'integer' }, day: { type: ['string', 'null'], format: 'date' } },
          required: ['id'],
        },
        nullability: { id: 0, day: 0.5 },
      },
    },
  ],

  async run({ file, ...params }, { duckdb }) {
    const { facts, warnings } = await takeStep(duckdb, { op: 'schema-infer', tables: { input: file }, params })
    const { schema, ...rest } = facts.schema as { schema: unknown; columns: never; nullability: never; examples: never }
    const isText = typeof schema === 'string'
    const bytes = new TextEncoder().encode(isText ? schema : JSON.stringify(schema, null, 2))
    const output = {
      bytes,
      contentType: isText ? 'text/plain' : 'application/json',
      name: `schema.${isText ? 'txt' : 'json'}`,
    }
    return { result: { output, schema, ...rest }, warnings }
  },
})
