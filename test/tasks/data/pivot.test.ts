import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const TEXT = 'city,month,n\nRome,Jan,1\nRome,Feb,2\nOslo,Jan,4\nRome,Jan,8\nOslo,,16\n'
const pivot = async (options: object, text = TEXT) =>
  (await runTable('pivot', { file: { text }, outFormat: 'json', ...options })).preview
const WIDE = { index: ['city'], columns: 'month' }

test('names a column by a whole number as it was written', async () => {
  const rows = await pivot({ index: ['city'], columns: 'size', values: 'n' }, 'city,size,n\nRome,30,1\nRome,12.5,2\n')
  expect(rows).toEqual([{ city: 'Rome', '12.5': 2, '30': 1 }])
})

test.each([
  [
    { ...WIDE, values: 'n' },
    [
      { city: 'Oslo', Feb: null, Jan: 4, null: 16 },
      { city: 'Rome', Feb: 2, Jan: 9, null: null },
    ],
  ],
  [
    { ...WIDE, values: 'n', agg: 'first', fill: 0 },
    [
      { city: 'Oslo', Feb: 0, Jan: 4, null: 16 },
      { city: 'Rome', Feb: 2, Jan: 1, null: 0 },
    ],
  ],
  [
    { ...WIDE, agg: 'count' },
    [
      { city: 'Oslo', Feb: 0, Jan: 1, null: 1 },
      { city: 'Rome', Feb: 1, Jan: 2, null: 0 },
    ],
  ],
])('makes columns with %j', async (options, expected) => {
  expect(await pivot(options)).toEqual(expected)
})

test('makes rows', async () => {
  expect(await pivot({ direction: 'long', idVars: ['id'] }, 'id,a,b\n1,2,3.5\n')).toEqual([
    { id: 1, name: 'a', value: 2 },
    { id: 1, name: 'b', value: 3.5 },
  ])
  expect(await pivot({ direction: 'long', valueVars: ['a'], nameTo: 'k', valueTo: 'v' }, 'id,a,b\n1,2,x\n')).toEqual([
    { id: 1, b: 'x', k: 'a', v: 2 },
  ])
  expect(await pivot({ direction: 'long', idVars: ['id'] }, 'id,a,b,c\n1,123456789012345677,0.5,\n')).toEqual([
    { id: 1, name: 'a', value: '123456789012345677' },
    { id: 1, name: 'b', value: '0.5' },
    { id: 1, name: 'c', value: null },
  ])
})

test.each([
  [{ columns: 'month' }, 'MISSING_FIELD'],
  [WIDE, 'MISSING_FIELD'],
  [{ ...WIDE, values: 'month' }, 'AGG_TYPE'],
  [{ ...WIDE, values: 'n', maxColumns: 2 }, 'TOO_MANY_COLUMNS'],
  [{ ...WIDE, values: 'n', fill: 'none' }, 'INVALID_PARAM'],
  [{ direction: 'long', index: ['city'] }, 'CONFLICTING_OPTIONS'],
  [{ direction: 'long', idVars: ['city'], agg: 'mean' }, 'CONFLICTING_OPTIONS'],
  [{ direction: 'long', idVars: ['city'], nameTo: 'City' }, 'COLUMN_EXISTS'],
  [{ direction: 'long', idVars: ['city', 'month', 'n'] }, 'COLUMN_NOT_FOUND'],
])('rejects %j', async (options, code) => {
  await expect(pivot(options)).rejects.toMatchObject({ code })
})
