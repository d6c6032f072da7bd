import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const union = (files: string[], options: object = {}) =>
  runTable('union', {
    files: files.map((text, index) => ({ text, name: `f${index}.csv` })),
    outFormat: 'json',
    ...options,
  })

test('appends by name and by position', async () => {
  expect((await union(['a,b\n1,x\n', 'B,c\ny,2\n'])).preview).toEqual([
    { a: 1, b: 'x', c: null },
    { a: null, b: 'y', c: 2 },
  ])
  expect((await union(['a,b\n1,x\n', 'p,q\n2,y\n'], { mode: 'by-position' })).preview).toEqual([
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ])
})

test('removes duplicates, names the source and makes conflicts text', async () => {
  expect((await union(['a\n1\n2\n', 'a\n2\n3\n'], { distinct: true })).preview).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
  expect((await union(['a\n1\n', 'a\n2\n'], { sourceColumn: 'from' })).preview).toEqual([
    { a: 1, from: 'f0.csv' },
    { a: 2, from: 'f1.csv' },
  ])
  const mixed = await union(['a,b\n1,1\n', 'a,b\nx,2.5\n'])
  expect(mixed.preview).toEqual([
    { a: '1', b: 1 },
    { a: 'x', b: 2.5 },
  ])
  expect(mixed.warnings).toMatchObject([{ code: 'TYPE_CONFLICT' }])
})

test('rounds no number, and lets a column without values be of any type', async () => {
  const large = await union(['a\n123456789012345677\n', 'a\n0.5\n'])
  expect(large.preview).toEqual([{ a: '123456789012345677' }, { a: '0.5' }])
  const empty = await union(['a,b\n1,1.5\n', 'a,b\n', 'b,a\n,7\n'])
  expect(empty.columns.map(column => column.type)).toEqual(['integer', 'number'])
  expect([empty.warnings ?? [], empty.rowsOut]).toEqual([[], 2])
})

test('warns that names that differ in capitals are one column', async () => {
  const { columns, warnings } = await union(['a,b\n1,x\n', 'A,b\n2,y\n'])
  expect(columns.map(column => column.name)).toEqual(['a', 'b'])
  expect(warnings).toMatchObject([{ code: 'DUPLICATE_COLUMN', message: expect.stringContaining('a and A') }])
  expect((await union(['a\n1\n', 'a\n2\n'])).warnings ?? []).toEqual([])
})

test.each([
  [{ missing: 'error' }, 'SCHEMA_MISMATCH'],
  [{ mode: 'by-position' }, 'SCHEMA_MISMATCH'],
  [{ sourceColumn: 'A' }, 'COLUMN_EXISTS'],
])('rejects %j', async (options, code) => {
  await expect(union(['a\n1\n', 'a,b\n1,2\n'], options)).rejects.toMatchObject({ code })
})
