import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const TEXT = 'shop,day,qty\na,1,5\na,2,7\nb,1,3\n'
const derive = (columns: object[], options: object = {}) =>
  runTable('derive', { file: { text: TEXT }, columns, outFormat: 'json', ...options })
const values = async (column: object) => (await derive([{ name: 'x', ...column }])).preview.map(row => row.x)

test.each([
  [{ expr: 'qty * 2' }, [10, 14, 6]],
  [{ expr: "shop || '-' || day" }, ['a-1', 'a-2', 'b-1']],
  [{ window: { fn: 'lag', column: 'qty' } }, [null, 5, 7]],
  [{ window: { fn: 'sum', column: 'qty', partitionBy: ['shop'] } }, [12, 12, 3]],
  [{ window: { fn: 'sum', column: 'qty', partitionBy: ['shop'], orderBy: [{ column: 'day' }] } }, [5, 12, 3]],
  [{ window: { fn: 'rank', orderBy: [{ column: 'qty', dir: 'desc' }] } }, [2, 1, 3]],
  [{ window: { fn: 'row_number' } }, [1, 2, 3]],
])('derives %j', async (column, expected) => {
  expect(await values(column)).toEqual(expected)
})

test('later columns see earlier ones, and existing ones are replaced only on request', async () => {
  const columns = [
    { name: 'a', expr: 'qty + 1' },
    { name: 'b', expr: 'a * 2' },
  ]
  expect((await derive(columns)).preview[0]).toMatchObject({ a: 6, b: 12 })
  await expect(derive([{ name: 'QTY', expr: '1' }])).rejects.toMatchObject({ code: 'COLUMN_EXISTS' })
  expect((await derive([{ name: 'qty', expr: 'qty * 10' }], { replace: true })).preview[0]).toMatchObject({ qty: 50 })
})

test('equal rows have the same rank', async () => {
  const by = (fn: string) => ({ name: fn, window: { fn, orderBy: [{ column: 'v' }] } })
  const columns = ['rank', 'dense_rank', 'percent_rank', 'cume_dist', 'row_number'].map(by)
  const { written } = await runTable('derive', { file: { text: 'v\n1\n1\n2\n' }, columns })
  expect(written).toBe(
    'v,rank,dense_rank,percent_rank,cume_dist,row_number\n1,1,1,0,0.6666666666666666,1\n1,1,1,0,0.6666666666666666,2\n2,3,2,1,1,3\n',
  )
  await expect(derive([{ name: 'x', window: { fn: 'rank', n: 2 } }])).rejects.toMatchObject({
    code: 'CONFLICTING_OPTIONS',
  })
})

test.each([
  ['qty +', 'EXPRESSION_INVALID'],
  ['nothing + 1', 'COLUMN_NOT_FOUND'],
  ["qty + date '2020-01-01' - 'x'", 'EXPRESSION_INVALID'],
  ['shop::INTEGER', 'EXPRESSION_INVALID'],
  ["read_text('/etc/passwd')", 'EXPRESSION_FORBIDDEN'],
  ['(SELECT 1)', 'EXPRESSION_FORBIDDEN'],
  ['sum(qty)', 'EXPRESSION_FORBIDDEN'],
  ['sum(qty) OVER ()', 'EXPRESSION_FORBIDDEN'],
  ['$1', 'EXPRESSION_FORBIDDEN'],
  ["repeat('a', 100000000)", 'EXPRESSION_FORBIDDEN'],
  ['1) FROM input WHERE (true', 'EXPRESSION_INVALID'],
  ['1) AS a, (2', 'EXPRESSION_FORBIDDEN'],
])('rejects the expression %s', async (expr, code) => {
  await expect(derive([{ name: 'x', expr }])).rejects.toMatchObject({ code })
})
