import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const sql = (text: string, options: object) =>
  runTable('sql', { tables: { rows: { text: 'a\n1\n' } }, sql: text, preview: 50, ...options })

test('keeps Infinity and NaN where the format has them, and warns where it has not', async () => {
  const text = "SELECT 'inf'::DOUBLE AS x, 'nan'::DOUBLE AS y, 1.5::DOUBLE AS z"
  expect(await sql(text, { outFormat: 'csv' })).toMatchObject({ written: 'x,y,z\ninf,nan,1.5\n' })
  const inline = Buffer.from((await sql(text, { outFormat: 'parquet' })).output!.bytes!).toString('base64')
  const kept = 'SELECT isinf(x) AS x, isnan(y) AS y, z FROM input'
  expect(await runTable('sql', { file: { inline }, sql: kept })).toMatchObject({
    preview: [{ x: true, y: true, z: 1.5 }],
  })
  for (const outFormat of ['json', 'ndjson', 'xlsx']) {
    const { preview, warnings } = await sql(text, { outFormat })
    expect(preview).toEqual([{ x: null, y: null, z: 1.5 }])
    expect(warnings).toEqual([{ code: 'NUMBERS_LOST', message: expect.stringContaining('in x, y;') }])
  }
})

test('writes a number of 32 bits with the same digits in every format', async () => {
  const text = "SELECT 0.1::FLOAT AS x, [0.1::FLOAT, 16777216::FLOAT] AS l, MAP {'a': {'b': 0.3::FLOAT}} AS m"
  const row = { x: 0.1, l: [0.1, 16777216], m: { a: { b: 0.3 } } }
  const csv = await sql(text, { outFormat: 'csv' })
  expect(csv).toMatchObject({
    preview: [row],
    written: 'x,l,m\n0.1,"[0.1,16777216.0]","{""a"":{""b"":0.3}}"\n',
  })
  const { written } = await sql(text, { outFormat: 'ndjson' })
  expect(JSON.parse(written!)).toEqual(row)
  const inline = Buffer.from((await sql(text, { outFormat: 'xlsx' })).output!.bytes!).toString('base64')
  const kept = await runTable('from-xlsx', { file: { inline }, preview: 1 })
  expect(kept.preview).toMatchObject([{ x: 0.1 }])
})

test.each([
  ["['nan'::DOUBLE, 1]", [null, 1]],
  ["{'a': 'inf'::FLOAT, 'b': 'c'}", { a: null, b: 'c' }],
  ["MAP {'k': ['-inf'::DOUBLE]}", { k: [null] }],
])('warns of Infinity and NaN within %s', async (value, shown) => {
  const text = `SELECT ${value} AS l, [1.5] AS fine UNION ALL SELECT NULL, NULL`
  for (const outFormat of ['json', 'ndjson', 'xlsx', 'csv']) {
    const { preview, warnings } = await sql(text, { outFormat })
    expect(preview![0]).toEqual({ l: shown, fine: [1.5] })
    expect(warnings).toEqual([{ code: 'NUMBERS_LOST', message: expect.stringContaining('in l; Parquet keeps') }])
  }
  expect((await sql(text, { outFormat: 'parquet' })).warnings ?? []).toEqual([])
  const finite = await sql("SELECT [1.5, NULL] AS l, {'a': NULL::DOUBLE} AS m", { outFormat: 'json' })
  expect(finite.warnings ?? []).toEqual([])
})
