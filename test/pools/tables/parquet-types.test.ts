import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

/** Written by pyarrow: the number 1.5 as a decimal of 50 digits, and of 38. */
const WIDE =
  'UEFSMRUAFTYVNiwVAhUAFQYVBhwAAAACAAAAAgEAAAAAAAAAAAAAAAAAAAAAA34R1gAVBBksNQAYBnNjaGVtYRUCABUOFSoVAhgBYSUKFRQVZCxcFRQVZAAAABYCGRwZHCYAHBUOGSUGABkYAWEVABYCFlwWXCYISRwVABUAFQIAPCkGGSYAAgAAABZcFgImCBZcACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNS4wLjEZHBwAAACKAAAAUEFSMQ=='
const NARROW =
  'UEFSMRUAFSwVLCwVAhUAFQYVBhwAAAACAAAAAgEAAAAAAAAAAAAAAAN+EdYAFQQZLDUAGAZzY2hlbWEVAgAVDhUgFQIYAWElChUUFUwsXBUUFUwAAAAWAhkcGRwmABwVDhklBgAZGAFhFQAWAhZSFlImCEkcFQAVABUCADwpBhkmAAIAAAAWUhYCJggWUgAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGRwcAAAAigAAAFBBUjE='
/** Written by DuckDB: two times, the first of which has nanoseconds. */
const NANOSECONDS =
  'UEFSMRUAFSwVMCwVBBUAFQYVBgAAFlQCAAAABAEVzYU9/pyXFwDKhT3+nJcXFQAVHBUgLBUEFQAVBhUGAAAONAIAAAAEAQEAAAACAAAAFQIZPDUAGA1kdWNrZGJfc2NoZW1hFQQAFQQlAhgBdGyMEhw8AAAAAAAVAiUCGAFhJSIAFgQZHBksJgAcFQQZFQAZGAF0FQIWBBZOFlImCDwYCBXNhT3+nJcXGAgAyoU9/pyXFxYAKAgVzYU9/pyXFxgIAMqFPf6clxcREQAAACYAHBUCGRUAGRgBYRUCFgQWPhZCJlo8GAQCAAAAGAQBAAAAFgAoBAIAAAAYBAEAAAAREQAAABaMARYEJggWlAEAKChEdWNrREIgdmVyc2lvbiB2MS41LjUgKGJ1aWxkIGQ4Y2RhYTMzZmQpGSwcAAAcAAAA8wAAAFBBUjE='

test('warns of times that lose their nanoseconds, and keeps them as text', async () => {
  const read = await runTable('slice', { file: { inline: NANOSECONDS }, limit: 5, outFormat: 'csv' })
  expect(read.preview[0]).toEqual({ t: '2023-11-14T22:13:20.123456', a: 1 })
  expect(read.warnings).toMatchObject([{ code: 'TIMES_SHORTENED', message: expect.stringContaining('in t;') }])
  const file = { inline: NANOSECONDS, types: { t: 'string' } }
  const kept = await runTable('slice', { file, limit: 5, outFormat: 'csv' })
  expect(kept.preview[0]).toEqual({ t: '2023-11-14T22:13:20.123456789', a: 1 })
  expect(kept.warnings ?? []).toEqual([])
})

test('refuses decimals of more digits than the engine has, which it would read as other numbers', async () => {
  await expect(runTable('slice', { file: { inline: WIDE }, limit: 1 })).rejects.toMatchObject({
    code: 'PARQUET_PARSE_FAILED',
    hints: { detail: expect.stringContaining('column a has decimals of 50 digits') },
  })
  expect((await runTable('slice', { file: { inline: NARROW }, limit: 1 })).preview).toEqual([{ a: '1.5000000000' }])
})

test.each(['json', 'csv', 'xlsx', 'parquet'])('writes lists of decimals as %s', async outFormat => {
  const sql = 'SELECT [1.10::DECIMAL(20,2), 2.25] AS l, {d: 1.5::DECIMAL(4,1)} AS s'
  const { columns, preview, output } = await runTable('sql', { file: { text: 'a\n1\n' }, sql, outFormat })
  expect(columns.map(({ type }) => type)).toEqual(['json', 'json'])
  expect(preview).toEqual([{ l: [1.1, 2.25], s: { d: 1.5 } }])
  const inline = Buffer.from(output!.bytes!).toString('base64')
  const file = { inline, ...(outFormat === 'csv' && { types: { l: 'json', s: 'json' } }) }
  const read = await runTable('slice', { file, limit: 1, outFormat: 'json' })
  const [row] = read.preview
  const cells = outFormat === 'xlsx' ? [row!.l, row!.s].map(cell => JSON.parse(String(cell))) : [row!.l, row!.s]
  expect(cells).toEqual([[1.1, 2.25], { d: 1.5 }])
})

test.each(['json', 'csv'])('writes times within lists and objects as those of columns, in %s', async outFormat => {
  const sql = `SELECT ts, [ts, NULL] AS l, {'a b': [ts AT TIME ZONE 'UTC'], s: '2024-02-29 10:00:00', d: 1.5::DECIMAL(4,1)} AS s,
    MAP {'k': ts} AS m, NULL::STRUCT(t TIMESTAMP) AS n FROM input`
  const { preview, written } = await runTable('sql', { file: { text: 'ts\n2024-02-29T10:00:00Z\n' }, sql, outFormat })
  const [zoned, plain] = ['2024-02-29T10:00:00Z', '2024-02-29T10:00:00']
  const s = { 'a b': [plain], s: '2024-02-29 10:00:00', d: 1.5 }
  expect(preview).toEqual([{ ts: zoned, l: [zoned, null], s, m: { k: zoned }, n: null }])
  if (outFormat === 'json') expect(JSON.parse(written)).toEqual(preview)
  else expect(written).toContain('[""2024-02-29T10:00:00Z"",null]')
})

test.each(['json', 'csv', 'xlsx'])(
  'writes numbers and bytes within lists and objects as those of columns, in %s',
  async outFormat => {
    const sql = `SELECT ['NaN'::DOUBLE, 1.5, '-Infinity'::DOUBLE] AS l, {f: 'Infinity'::FLOAT, b: '\\x00\\xFF'::BLOB} AS s, MAP {'k': 'NaN'::DOUBLE} AS m`
    const { preview, output, written } = await runTable('sql', { file: { text: 'a\n1\n' }, sql, outFormat })
    const expected = { l: [null, 1.5, null], s: { f: null, b: 'AP8=' }, m: { k: null } }
    expect(preview).toEqual([expected])
    if (outFormat === 'json') expect(JSON.parse(written)).toEqual([expected])
    if (outFormat === 'csv') expect(written).toContain('"[null,1.5,null]"')
    const inline = Buffer.from(output!.bytes!).toString('base64')
    const cells = (await runTable('slice', { file: { inline }, limit: 1, outFormat: 'json' })).preview[0]!
    const shown = outFormat === 'json' ? cells.l : JSON.parse(String(cells.l))
    expect(shown).toEqual([null, 1.5, null])
  },
)
