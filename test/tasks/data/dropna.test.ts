import { expect, test } from 'vitest'
import { runTable, wideTable } from '../../support/data/tables.ts'

const TEXT = '[{"a":1,"b":null,"c":""},{"a":2,"b":"x","c":"y"},{"a":null,"b":null,"c":null}]'
const dropna = async (options: object) => (await runTable('dropna', { file: { text: TEXT }, ...options })).preview

test.each([
  [{}, [{ a: 2, b: 'x', c: 'y' }]],
  [
    { how: 'all' },
    [
      { a: 1, b: null, c: '' },
      { a: 2, b: 'x', c: 'y' },
    ],
  ],
  [
    { columns: ['a'] },
    [
      { a: 1, b: null, c: '' },
      { a: 2, b: 'x', c: 'y' },
    ],
  ],
  [
    { thresh: 2, emptyAsNull: false },
    [
      { a: 1, b: null, c: '' },
      { a: 2, b: 'x', c: 'y' },
    ],
  ],
  [{ axis: 'columns', thresh: 2 }, [{ a: 1 }, { a: 2 }, { a: null }]],
  [
    { axis: 'columns', how: 'all' },
    [
      { a: 1, b: null, c: '' },
      { a: 2, b: 'x', c: 'y' },
      { a: null, b: null, c: null },
    ],
  ],
])('drops with %j', async (options, rows) => {
  expect(await dropna(options)).toEqual(rows)
})

test('refuses to drop every column', async () => {
  await expect(dropna({ axis: 'columns' })).rejects.toMatchObject({ code: 'NOT_TABULAR' })
})

test('takes as many columns as a table may have', async () => {
  const { rowsOut } = await runTable('dropna', { file: { text: wideTable(3) } })
  expect(rowsOut).toBe(3)
})
