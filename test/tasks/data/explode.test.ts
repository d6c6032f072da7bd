import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const explode = async (file: object, options: object) =>
  (await runTable('explode', { file, outFormat: 'json', ...options })).preview

test.each([
  [
    [
      { i: 1, a: [1, 2] },
      { i: 2, a: [] },
    ],
    {},
    [
      { i: 1, a: 1 },
      { i: 1, a: 2 },
      { i: 2, a: null },
    ],
  ],
  [
    [
      { i: 1, a: [1, 2] },
      { i: 2, a: [] },
    ],
    { keepEmpty: false },
    [
      { i: 1, a: 1 },
      { i: 1, a: 2 },
    ],
  ],
  [
    [{ i: 1, a: ['x', 'y'] }],
    { indexColumn: 'n' },
    [
      { i: 1, a: 'x', n: 1 },
      { i: 1, a: 'y', n: 2 },
    ],
  ],
  [
    [{ i: 1, a: [{ b: 1 }, { b: 2 }] }],
    {},
    [
      { i: 1, a: { b: 1 } },
      { i: 1, a: { b: 2 } },
    ],
  ],
  [
    [{ i: 1, a: { 'k"1': 5, k2: 6 } }],
    { explodeObject: true },
    [
      { i: 1, a: 5, a_key: 'k"1' },
      { i: 1, a: 6, a_key: 'k2' },
    ],
  ],
  [
    [{ i: 1, a: 'x|y' }],
    { separator: '|' },
    [
      { i: 1, a: 'x' },
      { i: 1, a: 'y' },
    ],
  ],
])('explodes %j with %j', async (rows, options, expected) => {
  expect(await explode({ rows }, { column: 'a', ...options })).toEqual(expected)
})

test('keeps integers beyond 64 bits with a sign', async () => {
  const rows = await explode({ text: '[{"a":[12345678901234567890,2]}]' }, { column: 'a' })
  expect(rows).toEqual([{ a: '12345678901234567890' }, { a: 2 }])
})

test.each([
  [{ column: 'b' }, 'COLUMN_NOT_FOUND'],
  [{ column: 'a' }, 'TYPE_MISMATCH'],
  [{ column: 'a', explodeObject: true }, 'TYPE_MISMATCH'],
  [{ column: 'a', separator: ',', explodeObject: true }, 'CONFLICTING_OPTIONS'],
  [{ column: 'a', separator: ',', indexColumn: 'a' }, 'COLUMN_EXISTS'],
])('rejects %j', async (options, code) => {
  await expect(explode({ text: 'a\n"x,y"\n' }, options)).rejects.toMatchObject({ code })
})
