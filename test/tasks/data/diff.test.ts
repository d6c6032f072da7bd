import { expect, test } from 'vitest'
import { runTable, wideTable } from '../../support/data/tables.ts'

const LEFT = 'id,name,price\n1,Ada,10\n2,Bob,20\n3,Cy,30\n'
const RIGHT = 'id,name,price\n1,ada,10.004\n2,Bob,25\n4,Di,40\n'
const diff = (options: object = {}, left = LEFT, right = RIGHT) =>
  runTable('diff', { left: { text: left }, right: { text: right }, keys: ['id'], outFormat: 'json', ...options })

test('tags what was added, removed and changed', async () => {
  const { preview, summary } = await diff()
  expect(summary).toEqual({ added: 1, removed: 1, changed: 2, unchanged: 0 })
  expect(preview).toEqual([
    {
      id: 1,
      name: 'ada',
      price: 10.004,
      _change: 'changed',
      _changedColumns: 'name,price',
      _old: { name: 'Ada', price: '10' },
    },
    { id: 2, name: 'Bob', price: 25, _change: 'changed', _changedColumns: 'price', _old: { price: '20' } },
    { id: 4, name: 'Di', price: 40, _change: 'added', _changedColumns: null, _old: null },
    { id: 3, name: 'Cy', price: 30, _change: 'removed', _changedColumns: null, _old: null },
  ])
})

test('tolerates small differences and case, and ignores columns', async () => {
  expect((await diff({ tolerance: 0.01, caseInsensitive: true })).summary).toMatchObject({ changed: 1, unchanged: 1 })
  expect((await diff({ ignore: ['name', 'price'] })).summary).toMatchObject({ changed: 0, unchanged: 2 })
  expect((await diff({ compare: ['name'] })).summary).toMatchObject({ changed: 1 })
})

test('shows everything, or only the counts', async () => {
  expect((await diff({ output: 'full', ignore: ['name', 'price'] })).rowsOut).toBe(4)
  expect((await diff({ output: 'summary' })).preview[0]).toEqual({ change: 'added', rows: 1 })
})

test('tells which columns one table alone has, and compares them where they are named', async () => {
  const [left, right] = ['id,v,old\n1,2,x\n3,4,\n', 'id,v,w\n1,2,5\n3,4,\n']
  const plain = await diff({}, left, right)
  expect(plain).toMatchObject({ summary: { unchanged: 2 }, addedColumns: ['w'], removedColumns: ['old'] })
  expect(plain.warnings).toMatchObject([
    { code: 'COLUMNS_DIFFER', message: expect.stringContaining('right table has w') },
  ])
  const named = await diff({ compare: ['W', 'old'] }, left, right)
  expect(named.preview).toEqual([
    { id: 1, w: 5, old: null, _change: 'changed', _changedColumns: 'w,old', _old: { w: null, old: 'x' } },
  ])
  expect([named.summary, named.warnings ?? []]).toMatchObject([{ changed: 1, unchanged: 1 }, []])
  const ignoring = await diff({ ignore: ['w', 'old'] }, left, right)
  expect(ignoring).toMatchObject({ addedColumns: [], removedColumns: [] })
  expect(ignoring.warnings ?? []).toEqual([])
  await expect(diff({ compare: ['x'] }, left, right)).rejects.toMatchObject({ code: 'COLUMN_NOT_FOUND' })
})

test('refuses keys that repeat', async () => {
  await expect(diff({}, `${LEFT}1,Eve,1\n`)).rejects.toMatchObject({
    code: 'DUPLICATE_KEY',
    hints: { side: 'left', key: '1' },
  })
  await expect(diff({ ignore: ['x'] })).rejects.toMatchObject({ code: 'COLUMN_NOT_FOUND' })
  await expect(diff({ keys: ['x'] })).rejects.toMatchObject({ code: 'COLUMN_NOT_FOUND' })
})

test('compares tables with as many columns as a table may have', async () => {
  const text = wideTable(40)
  const options = { keys: ['c0'], outFormat: 'csv', output: 'full' }
  const { summary, preview } = await diff(options, text, text.replace(',5\n', ',6\n'))
  expect(summary).toMatchObject({ changed: 1, unchanged: 39 })
  expect(preview).toHaveLength(5)
})
