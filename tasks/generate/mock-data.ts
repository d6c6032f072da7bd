import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput } from '#kit'
import { LOCALES } from '../engines/mock/locales.ts'
import { OutDialect } from '../formats/tables/dialect.ts'
import { Columns, Count, Preview, TABLE_FORMATS, TABLE_TYPES } from '../formats/tables/steps/input.ts'
import { MainFields, Relations, TableName, Unique } from './mock-data/input.ts'
import { makeTables } from './mock-data/make.ts'
import { ROW_PRICE } from './mock-data/price.ts'

export default define({
  summary: 'Make up test data: tables of names, addresses, numbers and dates.',
  keywords:
    'fake data, dummy data, mock data, sample csv, seed database, synthetic records, random people, faker, json schema, test fixtures, test customers, demo data',
  description:
    'From `fields` or a JSON Schema. The same call with the same seed gives the same data, whatever the day: dates count from ' +
    'refDate, and fewer rows are the first of more. Mail and web addresses, IP addresses and cards are of ranges that are ' +
    'kept for tests, telephone numbers of those kept for fiction. A row is one person: email, username and fullName follow ' +
    'from its firstName and lastName.',
  price: ROW_PRICE,
  uses: ['faker', 'duckdb'],
  limitSeconds: 120,
  input: Type.Object({
    fields: Type.Optional(MainFields),
    schema: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'JSON Schema of a row, instead of fields: an object whose properties become the columns.',
      }),
    ),
    rows: Type.Integer({ default: 100, minimum: 1, maximum: 1_000_000 }),
    seed: Type.Integer({ default: 1, minimum: 0, maximum: 4_294_967_295 }),
    locale: Choice(LOCALES, { default: 'en' }),
    refDate: Type.String({ default: '2026-01-01', pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
    unique: Unique,
    table: TableName({ default: 'data', description: 'The name of the table.' }),
    relations: Relations,
    outFormat: Choice([...TABLE_FORMATS, 'sql'], {
      default: 'json',
      description: 'Several tables are several files, for xlsx sheets, for sql one script.',
    }),
    outCsv: Type.Optional(Type.Object(OutDialect.properties)),
    sql: Type.Optional(
      Type.Object({
        dialect: Choice(['postgres', 'mysql', 'sqlite'], { default: 'postgres' }),
        create: Type.Boolean({ default: true, description: 'Begin with CREATE TABLE.' }),
      }),
    ),
    preview: Type.Integer({ default: 5, minimum: 0, maximum: 50, description: 'Rows to show in the answer.' }),
  }),
  output: Type.Object({
    output: Type.Optional(FileOutput([...Object.values(TABLE_TYPES), 'application/sql'])),
    files: Type.Optional(FileManifest(Object.values(TABLE_TYPES), { name: Type.String(), rows: Count })),
    rowsOut: Count,
    columns: Columns,
    preview: Preview,
    tables: Type.Optional(Type.Array(Type.Object({ name: Type.String(), rows: Count, columns: Columns }))),
    seed: Type.Integer(),
    generatorVersion: Type.String({ description: 'Another version makes other data from the same seed.' }),
  }),
  errors: [
    ...(['MOCK_TYPE_UNKNOWN', 'UNIQUE_EXHAUSTED', 'SCHEMA_INVALID', 'REGEX_INVALID', 'TOO_MANY_ROWS'] as const),
    ...(['OUTPUT_TOO_LARGE', 'MISSING_FIELD', 'CONFLICTING_OPTIONS', 'INVALID_PARAM'] as const),
    ...(['TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'] as const),
  ],
  examples: [
    {
      title: 'Three people',
      input: {
        fields: [
          { name: 'id', type: 'sequence' },
          { name: 'firstName', type: 'firstName' },
          { name: 'lastName', type: 'lastName' },
          { name: 'email', type: 'email' },
        ],
        rows: 3,
        seed: 7,
      },
      answer: { rowsOut: 3, seed: 7 },
    },
    {
      title: 'Customers with their orders, as SQL',
      input: {
        table: 'customers',
        rows: 2,
        fields: [
          { name: 'id', type: 'uuid' },
          { name: 'city', type: 'city' },
        ],
        relations: [
          {
            table: 'orders',
            perRow: { min: 1, max: 3 },
            fields: [
              { name: 'customer', type: 'ref', field: 'id' },
              { name: 'total', type: 'decimal', min: 5, max: 90 },
            ],
          },
        ],
        outFormat: 'sql',
      },
    },
  ],

  run: (input, tools) => makeTables(input, tools),
})
