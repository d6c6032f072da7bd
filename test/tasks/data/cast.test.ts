import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const cast = (text: string, options: object) => runTable('cast', { file: { text }, outFormat: 'json', ...options })

test.each([
  [{ types: { a: 'number' } }, '"1,234.50"', 1234.5],
  [{ types: { a: 'number' } }, '(12)', -12],
  [{ types: { a: 'number' }, decimal: ',' }, '"1.234,5"', 1234.5],
  [{ types: { a: 'integer' } }, '2.0', 2],
  [{ types: { a: 'bigint' } }, '"12,345,678,901,234,567,890.00"', '12345678901234567890'],
  [{ types: { a: 'integer' } }, '007', 7],
  [{ types: { a: 'integer' } }, '1e3', 1000],
  [{ types: { a: 'bigint' } }, '-1.2345678901234567891E+19', '-12345678901234567891'],
  [{ types: { a: 'decimal(10,2)' } }, '125e-2', 1.25],
  [{ types: { a: 'integer' }, decimal: ',' }, '"1,5e1"', 15],
  [{ types: { a: 'bigint' } }, '12345678901234567890', '12345678901234567890'],
  [{ types: { a: 'decimal(10,2)' } }, '1.10', 1.1],
  [{ types: { a: 'boolean' } }, 'Yes', true],
  [{ types: { a: 'date' }, dateFormat: { a: '%d.%m.%Y' } }, '31.12.2025', '2025-12-31'],
  [{ types: { a: 'date' }, from: { a: 'excelSerial' } }, '60', '1900-02-28'],
  [{ types: { a: 'date' }, from: { a: 'excelSerial' } }, '45292', '2024-01-01'],
  [{ types: { a: 'datetime' }, from: { a: 'excelSerial' } }, '45292.5', '2024-01-01T12:00:00'],
  [{ types: { a: 'timestamptz' } }, '2024-01-01T12:00:00+02:00', '2024-01-01T10:00:00Z'],
  [{ types: { a: 'datetime' } }, '2024-10-27T02:30:00+02:00', '2024-10-27T00:30:00'],
  [{ types: { a: 'datetime' } }, '2024-10-27T00:30:00Z', '2024-10-27T00:30:00'],
  [{ types: { a: 'datetime' } }, '2024-10-27 02:30:00', '2024-10-27T02:30:00'],
  [
    { types: { a: 'datetime' }, dateFormat: { a: '%d.%m.%Y %H:%M %z' } },
    '27.10.2024 02:30 +0200',
    '2024-10-27T00:30:00',
  ],
  [{ types: { a: 'json' } }, '"{""b"":[1]}"', { b: [1] }],
  [{ types: { a: 'string' } }, '12', '12'],
])('casts with %j the cell %s', async (options, cell, value) => {
  expect((await cast(`a\n${cell}\n`, options)).preview).toEqual([{ a: value }])
})

test('says which cell does not fit, or makes it null, or keeps the column', async () => {
  const text = 'a\n1\nx\n'
  await expect(cast(text, { types: { a: 'integer' } })).rejects.toMatchObject({
    code: 'TYPE_MISMATCH',
    hints: { column: 'a', row: 2, value: 'x' },
  })
  expect(await cast(text, { types: { a: 'integer' }, onError: 'null' })).toMatchObject({
    preview: [{ a: 1 }, { a: null }],
    failed: { a: 1 },
  })
  const kept = await cast(text, { types: { a: 'integer' }, onError: 'keep' })
  expect(kept.preview).toEqual([{ a: '1' }, { a: 'x' }])
  expect(kept.warnings).toMatchObject([{ code: 'COLUMN_KEPT' }])
})

test.each([' ', '\u00a0', '\u2009', '\u202f', "'", '\u2019'])('takes %j for a mark between thousands', async mark => {
  const pointed = await cast(`a\n1${mark}234${mark}567.5\n`, { types: { a: 'number' } })
  const comma = await cast(`a\n"1${mark}234${mark}567,5"\n`, { types: { a: 'number' }, decimal: ',' })
  expect([...pointed.preview, ...comma.preview]).toEqual([{ a: 1_234_567.5 }, { a: 1_234_567.5 }])
})

test.each([
  [{ types: { a: 'number' } }, '12 34.5'],
  [{ types: { a: 'number' } }, '"1,234 567"'],
  [{ types: { a: 'number' }, decimal: ',' }, '1.5'],
  [{ types: { a: 'integer' } }, '2.5'],
  [{ types: { a: 'integer' } }, '2.55e1'],
  [{ types: { a: 'decimal(10,2)' } }, '1e-3'],
  [{ types: { a: 'integer' }, decimal: ',' }, '1.5e3'],
])('with %j the cell %s does not fit', async (options, cell) => {
  await expect(cast(`a\n${cell}\n`, options)).rejects.toMatchObject({ code: 'TYPE_MISMATCH' })
})

test('casts the text that the file has', async () => {
  const text = 'n,at,p\n1.10,2024-02-03 04:05:06,1e400\n'
  const types = { n: 'string', at: 'datetime' }
  const { written } = await cast(text, { types, dateFormat: { at: '%Y-%m-%d %H:%M:%S' }, outFormat: 'csv' })
  expect(written).toBe('n,at,p\n1.10,2024-02-03T04:05:06,1e400\n')
  await expect(cast(text, { types: { p: 'number' } })).rejects.toMatchObject({ code: 'TYPE_MISMATCH' })
})

test.each([
  [{ types: { b: 'integer' } }, 'COLUMN_NOT_FOUND'],
  [{ types: { a: 'date' }, dateFormat: { a: '%Q' } }, 'INVALID_PARAM'],
  [{ types: { a: 'date' }, dateFormat: { a: '%d' }, from: { a: 'excelSerial' } }, 'CONFLICTING_OPTIONS'],
  [{ types: { a: 'integer' }, dateFormat: { a: '%Y' } }, 'INVALID_PARAM'],
])('rejects %j', async (options, code) => {
  await expect(cast('a\n1\n', options)).rejects.toMatchObject({ code })
})
