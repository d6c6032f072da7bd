import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const slice = async (options: object) =>
  (await runTable('slice', { file: { text: 'i\n1\n2\n3\n4\n5\n6\n7\n' }, outFormat: 'json', ...options })).preview
    .map(row => row.i)
    .join('')

test.each([
  [{ limit: 3 }, '123'],
  [{ offset: 5, limit: 9 }, '67'],
  [{ offset: -3, limit: 2 }, '56'],
  [{ offset: 1, limit: 2, step: 3 }, '25'],
  [{ from: 2, to: 4 }, '234'],
  [{ from: 3, step: 2 }, '357'],
  [{ to: 2 }, '12'],
  [{ offset: 50, limit: 1 }, ''],
])('takes %j', async (options, expected) => {
  expect(await slice(options)).toBe(expected)
})

test('keeps both kinds of line ends in cells', async () => {
  const rows = [{ shown: 'x\r\ny' }, { shown: 'x\ny' }]
  expect((await runTable('slice', { file: { rows }, offset: 0, limit: 2 })).preview).toEqual(rows)
})

test.each([
  [{ text: ',name,age\n0,Ada,36\n1,Bob,9\n' }, { column1: 0, name: 'Ada', age: 36 }],
  [{ text: 'name,,age\nAda,x,36\nBob,y,9\n' }, { name: 'Ada', column2: 'x', age: 36 }],
  [{ text: 'name,age,\nAda,36,\n' }, { name: 'Ada', age: 36, column3: null }],
])('names a column that the header does not: %j', async (file, first) => {
  const { preview, warnings } = await runTable('slice', { file, limit: 1 })
  expect([preview, warnings ?? []]).toEqual([[first], []])
})

test.each([
  [{ rows: [{ a: 1, A: 2 }] }, 'A_2'],
  [{ text: 'a,a\n1,2\n' }, 'a_2'],
])('warns that it made names distinct: %j', async (file, renamed) => {
  const { preview, warnings } = await runTable('slice', { file, limit: 1 })
  expect(preview).toEqual([{ a: 1, [renamed]: 2 }])
  expect(warnings).toMatchObject([{ code: 'DUPLICATE_COLUMN', message: expect.stringContaining(renamed) }])
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ offset: 1 }, 'MISSING_FIELD'],
  [{ from: 4, to: 2 }, 'BAD_RANGE'],
  [{ from: 20 }, 'BAD_RANGE'],
  [{ from: 1, limit: 2 }, 'CONFLICTING_OPTIONS'],
])('rejects %j', async (options, code) => {
  await expect(slice(options)).rejects.toMatchObject({ code })
})
