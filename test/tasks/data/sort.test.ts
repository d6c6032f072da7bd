import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const sort = async (by: object[], text: string, options: object = {}) =>
  (await runTable('sort', { file: { text }, by, outFormat: 'json', ...options })).preview.map(row => row.k)

test.each([
  [[{ column: 'k' }], 'k\n10\n9\n\n-1\n', [-1, 9, 10, null].slice(0, 3)],
  [[{ column: 'k', dir: 'desc' }], 'k\n10\n9\n-1\n', [10, 9, -1]],
  [[{ column: 'k', natural: true }], 'k\nfile10\nFile2\nfile1\n', ['file1', 'File2', 'file10']],
  [[{ column: 'k', collate: 'de' }], 'k\nz\nä\na\n', ['a', 'ä', 'z']],
  [[{ column: 'k' }], 'k\nz\nä\na\n', ['a', 'z', 'ä']],
  [[{ column: 'g', dir: 'desc' }, { column: 'k' }], 'g,k\n1,b\n2,a\n1,a\n', ['a', 'a', 'b']],
])('sorts by %j', async (by, text, expected) => {
  expect(await sort(by, text)).toEqual(expected)
})

test.each([
  ['k\n"1.234,56"\n"-0,5"\n12\n', true],
  ['k\n31.12.2024\n01.02.2025\n\n', true],
  ['k\n$5.00\n$12.50\n', true],
  ['k\n01234\n00200\n', false],
  ['k\n10.0.0.1\n9.0.0.1\n', false],
  ['k\nfile10\nfile2\n', false],
  ['k\n10\n9\n', false],
])('tells of %j whether amounts or days were sorted as texts', async (text, isOdd) => {
  const { warnings = [] } = await runTable('sort', { file: { text }, by: [{ column: 'k' }] })
  expect(warnings.map(({ code }) => code)).toEqual(isOdd ? ['COMPARED_AS_TEXT'] : [])
})

test('keeps the order of equal rows, places nulls, and stops at a limit', async () => {
  const text = `g,k\n${Array.from({ length: 50 }, (_, index) => `${index % 2},${index}`).join('\n')}\n`
  const sorted = await sort([{ column: 'g' }], text, { preview: 50 })
  expect(sorted).toEqual([
    ...Array.from({ length: 25 }, (_, index) => index * 2),
    ...Array.from({ length: 25 }, (_, index) => index * 2 + 1),
  ])
  expect(await sort([{ column: 'k', nulls: 'first' }], 'k,x\n2,a\n,b\n1,c\n')).toEqual([null, 1, 2])
  expect(await sort([{ column: 'k' }], 'k\n3\n1\n2\n', { limit: 2 })).toEqual([1, 2])
})

test.each([
  [[{ column: 'q' }], 'COLUMN_NOT_FOUND'],
  [[{ column: 'k', collate: 'xx' }], 'INVALID_PARAM'],
])('rejects %j', async (by, code) => {
  await expect(sort(by, 'k\n1\n')).rejects.toMatchObject({ code })
})

test('a column may have the name of a number of rows', async () => {
  const { written } = await runTable('sort', {
    file: { text: '#row,rowid\n2,1\n1,2\n' },
    by: [{ column: 'rowid', dir: 'desc' }],
  })
  expect(written).toBe('"#row",rowid\n1,2\n2,1\n')
})
