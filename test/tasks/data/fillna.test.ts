import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const TEXT = 'g,t,v\na,x,1\na,,\nb,y,3\nb,,\nb,y,5\n'
const fill = async (options: object) =>
  (await runTable('fillna', { file: { text: TEXT }, outFormat: 'json', ...options })).preview

test.each([
  [{ values: { t: 'z', v: 9 } }, ['x', 'z', 'y', 'z', 'y'], [1, 9, 3, 9, 5]],
  [{ value: 0 }, ['x', '0', 'y', '0', 'y'], [1, 0, 3, 0, 5]],
  [{ method: 'ffill' }, ['x', 'x', 'y', 'y', 'y'], [1, 1, 3, 3, 5]],
  [{ method: 'bfill' }, ['x', 'y', 'y', 'y', 'y'], [1, 3, 3, 5, 5]],
  [{ method: 'mean' }, ['x', null, 'y', null, 'y'], [1, 3, 3, 3, 5]],
  [{ method: 'median', partitionBy: ['g'] }, ['x', null, 'y', null, 'y'], [1, 1, 3, 4, 5]],
  [{ method: 'mode', columns: ['t'] }, ['x', 'y', 'y', 'y', 'y'], [1, null, 3, null, 5]],
  [{ method: 'zero' }, ['x', null, 'y', null, 'y'], [1, 0, 3, 0, 5]],
  [{ method: 'interpolate' }, ['x', null, 'y', null, 'y'], [1, 2, 3, 4, 5]],
])('fills with %j', async (options, texts, numbers) => {
  const rows = await fill(options)
  expect(rows.map(row => row.t)).toEqual(texts)
  expect(rows.map(row => row.v)).toEqual(numbers)
})

test('rounds nothing, and fills no boolean with a number', async () => {
  const text = 'id,ok\n123456789012345677,true\n,\n'
  const filled = await runTable('fillna', { file: { text }, value: 0.5 })
  expect(filled.written).toBe('id,ok\n123456789012345677,true\n,\n')
  expect((await runTable('fillna', { file: { text }, method: 'mean' })).written).toBe(text)
  await expect(fill({ values: { v: 0.5 } })).rejects.toMatchObject({ code: 'TYPE_MISMATCH' })
  const named = runTable('fillna', { file: { text }, method: 'interpolate', columns: ['id'] })
  await expect(named).rejects.toMatchObject({ code: 'TYPE_MISMATCH' })
})

test.each(['mean', 'median', 'interpolate'])('leaves a column without a gap as it is: %s', async method => {
  const file = { text: 'id,p\n1,10\n2,\n4,40\n' }
  const { written, columns } = await runTable('fillna', { file, method })
  expect(written).toBe('id,p\n1,10\n2,25\n4,40\n')
  expect(columns).toMatchObject([{ type: 'integer' }, { type: 'number' }])
})

test('fills empty cells in quotes between numbers', async () => {
  const file = { text: '"id","p"\n"1","10"\n"2",""\n"4","40"\n' }
  expect((await runTable('fillna', { file, method: 'zero' })).written).toBe('id,p\n1,10\n2,0\n4,40\n')
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ value: 1, partitionBy: ['g'] }, 'CONFLICTING_OPTIONS'],
  [{ method: 'mean', orderBy: [{ column: 'v' }] }, 'CONFLICTING_OPTIONS'],
  [{ values: { v: 1 }, columns: ['v'] }, 'CONFLICTING_OPTIONS'],
  [{ value: 1, method: 'zero' }, 'CONFLICTING_OPTIONS'],
  [{ values: { v: 'x' } }, 'TYPE_MISMATCH'],
  [{ method: 'mean', columns: ['t'] }, 'TYPE_MISMATCH'],
  [{ method: 'ffill', columns: ['q'] }, 'COLUMN_NOT_FOUND'],
])('rejects %j', async (options, code) => {
  await expect(fill(options)).rejects.toMatchObject({ code })
})
