import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const TEXT = 'id,kind,day,note\n1,a,2024-01-01,\n2,b,2024-01-02,x\n3,a,2024-01-03,y\n4,b,,z\n'
const infer = async (dialect: string, options: object = {}) =>
  (await runTable('schema-infer', { file: { text: TEXT }, dialect, ...options })) as unknown as {
    schema: never
    columns: object[]
  }

test('finds a JSON Schema, with enumerations and optional columns', async () => {
  const { schema } = await infer('json-schema')
  expect(schema).toMatchObject({
    properties: {
      id: { type: 'integer' },
      kind: { type: 'string', enum: ['a', 'b'] },
      day: { type: ['string', 'null'], format: 'date' },
    },
    required: ['id', 'kind'],
  })
  const lenient = await infer('json-schema', { requiredThreshold: 0.7, enumMax: 0 })
  expect(lenient.schema).toMatchObject({ required: ['id', 'kind', 'day', 'note'] })
})

test.each([
  ['duckdb', '"id" BIGINT NOT NULL'],
  ['postgres', '"day" date'],
  ['zod', 'kind: z.enum(["a","b"])'],
  ['typescript', 'note: string | null'],
])('writes %s', async (dialect, part) => {
  expect((await infer(dialect)).schema).toContain(part)
})

test('tells a column from its own name for values', async () => {
  const { schema } = await runTable('schema-infer', { file: { text: 'value,n\na,1\na,1\n' } })
  expect(schema).toMatchObject({ properties: { value: { enum: ['a'] }, n: { type: 'integer' } } })
})

test('takes empty cells in quotes for missing ones, except in columns of texts', async () => {
  const cells = [
    '"1","0.5","2024-01-01","true","2024-01-01T00:00:00Z","x",""',
    '"","","","","","",""',
    '2,1.5,"",,"","",',
  ]
  const file = { text: `i,n,d,b,z,t,e\n${cells.join('\n')}\n` }
  const { columns } = await runTable('schema-infer', { file })
  expect(columns.map(({ type }) => type)).toEqual([
    ...['integer', 'number', 'date', 'boolean', 'timestamptz', 'string', 'string'],
  ])
  const { preview } = await runTable('slice', { file, limit: 5 })
  const none = { i: null, n: null, d: null, b: null, z: null }
  expect(preview[1]).toEqual({ ...none, t: '', e: '' })
  const typed = { ...file, types: { i: 'number' }, csv: { header: true } }
  expect((await runTable('slice', { file: typed, limit: 5 })).preview[1]).toMatchObject({ i: null })
  const strict = runTable('slice', { file: { ...typed, csv: { nullValues: ['NA'] } }, limit: 5 })
  await expect(strict).rejects.toMatchObject({ code: 'TYPE_MISMATCH', hints: { row: 2, value: '' } })
})

test('writes BigQuery, and follows nested JSON', async () => {
  expect((await infer('bigquery')).schema).toContainEqual({ name: 'day', type: 'DATE', mode: 'NULLABLE' })
  const nested = await runTable('schema-infer', { file: { rows: [{ a: { b: [1], c: 'x' } }, { a: { b: [2] } }] } })
  expect(nested.schema).toMatchObject({
    properties: {
      a: { type: 'object', properties: { b: { type: 'array', items: { type: 'integer' } }, c: { type: 'string' } } },
    },
  })
})

const EMPTY_TYPES = { file: { text: 'id,note\n1,\n2,\n' } }

test.each([
  ['json-schema', { properties: { id: { type: 'integer' }, note: {} } }],
  ['postgres', expect.stringContaining('"note" text\n')],
  ['zod', expect.stringContaining('note: z.unknown().nullable(),')],
  ['typescript', expect.stringContaining('note: unknown\n')],
  ['bigquery', expect.arrayContaining([{ name: 'note', type: 'STRING', mode: 'NULLABLE' }])],
] as const)('knows no type of a column without values, as %s', async (dialect, wanted) => {
  const { schema, columns } = await runTable('schema-infer', { ...EMPTY_TYPES, dialect })
  expect(columns).toEqual([
    { name: 'id', type: 'integer', required: true },
    { name: 'note', type: 'unknown', required: false },
  ])
  expect({ schema }).toMatchObject({ schema: wanted })
  expect((schema as { properties?: { note: object } }).properties?.note ?? {}).toEqual({})
})

test('keeps the type of a column without values that the caller has given, and calls texts in quotes texts', async () => {
  const given = { file: { ...EMPTY_TYPES.file, types: { note: 'date' } } }
  expect((await runTable('schema-infer', given)).columns[1]).toMatchObject({ type: 'date' })
  const nulls = await runTable('schema-infer', { file: { rows: [{ a: null, b: '' }] } })
  expect(nulls.columns.map(({ type }) => type)).toEqual(['unknown', 'string'])
  const { columns } = await runTable('profile', EMPTY_TYPES)
  expect(columns.map(({ type }) => type)).toEqual(['integer', 'unknown'])
})
