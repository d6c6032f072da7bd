import { expect, test } from 'vitest'
import { querySqlite, runTable } from '../../support/data/tables.ts'

const TEXT = 'city,shop,qty,ok\nRome,b,1,true\nOslo,a,2,false\nRome,a,,true\nRome,b,4,false\n,a,8,true\n'
const group = (options: object, text = TEXT) =>
  runTable('groupby', { file: { text }, by: ['city'], outFormat: 'json', preview: 50, ...options })

test('computes what another database computes', async () => {
  const numbers = Array.from(
    { length: 500 },
    (_, index) => `${'abcde'[(index * 7) % 5]},${(index * 37) % 101},${index % 3 === 0 ? '' : index / 4}`,
  )
  const text = `k,n,x\n${numbers.join('\n')}\n`
  const aggs = [
    { fn: 'count', as: 'rows' },
    { column: 'x', fn: 'count', as: 'filled' },
    { column: 'n', fn: 'sum', as: 'total' },
    { column: 'n', fn: 'min', as: 'low' },
    { column: 'n', fn: 'max', as: 'high' },
    { column: 'n', fn: 'countDistinct', as: 'kinds' },
  ]
  const { preview } = await group({ by: ['k'], aggs }, text)
  const sql =
    'SELECT k, count(*) AS rows, count(x) AS filled, sum(n) AS total, min(n) AS low, max(n) AS high, count(DISTINCT n) AS kinds FROM t GROUP BY k ORDER BY k'
  expect(preview).toEqual((await querySqlite({ t: text }, [sql]))[0])
})

test.each([
  [{ column: 'qty', fn: 'mean' }, [2, 2.5, 8]],
  [{ column: 'qty', fn: 'median' }, [2, 2.5, 8]],
  [{ column: 'qty', fn: 'quantile', q: 1 }, [2, 4, 8]],
  [{ column: 'shop', fn: 'first' }, ['a', 'b', 'a']],
  [{ column: 'qty', fn: 'last' }, [2, 4, 8]],
  [{ column: 'shop', fn: 'concat', sep: '+' }, ['a', 'b+a+b', 'a']],
  [{ column: 'qty', fn: 'list' }, [[2], [1, null, 4], [8]]],
  [{ column: 'ok', fn: 'any' }, [false, true, true]],
  [{ column: 'ok', fn: 'all' }, [false, false, true]],
  [{ column: 'qty', fn: 'sum', where: { column: 'shop', op: 'eq', value: 'b' } }, [null, 5, null]],
  [{ column: 'shop', fn: 'mode' }, ['a', 'b', 'a']],
])('aggregates %j', async (aggregate, expected) => {
  const { preview } = await group({ aggs: [{ ...aggregate, as: 'x' }] })
  expect(preview.map(row => row.city)).toEqual(['Oslo', 'Rome', null])
  expect(preview.map(row => row.x)).toEqual(expected)
})

test('adds totals, filters groups and sorts them', async () => {
  const aggs = [{ column: 'qty', fn: 'sum', as: 'total' }]
  expect((await group({ aggs, totals: 'grand' })).preview.at(-1)).toEqual({ city: null, total: 15 })
  expect((await group({ by: ['city', 'shop'], aggs, totals: 'rollup' })).rowsOut).toBe(4 + 3 + 1)
  expect((await group({ aggs, having: 'total > 2' })).rowsOut).toBe(2)
  const sorted = await group({ aggs, sort: [{ column: 'total', dir: 'desc' }] })
  expect(sorted.preview.map(row => row.total)).toEqual([8, 5, 2])
})

test('sums large integers exactly', async () => {
  const { preview } = await group(
    { by: [], aggs: [{ column: 'n', fn: 'sum', as: 's' }] },
    'n\n900719925474099300\n900719925474099301\n',
  )
  expect(preview).toEqual([{ s: '1801439850948198601' }])
})

test('sums a column of a file that has only a header', async () => {
  const aggs = [{ column: 'n', fn: 'sum' }]
  expect(await group({ by: ['k'], aggs }, 'k,n\n')).toMatchObject({ rowsOut: 0 })
  expect((await group({ by: [], aggs }, 'k,n\n')).preview).toEqual([{ n_sum: null }])
})

test.each([
  [{ aggs: [{ column: 'city', fn: 'sum' }] }, 'AGG_TYPE'],
  [{ aggs: [{ column: 'qty', fn: 'any' }] }, 'AGG_TYPE'],
  [{ aggs: [{ fn: 'sum' }] }, 'MISSING_FIELD'],
  [{ aggs: [{ column: 'qty', fn: 'sum', q: 0.5 }] }, 'CONFLICTING_OPTIONS'],
  [{ aggs: [{ column: 'qty', fn: 'quantile' }] }, 'MISSING_FIELD'],
  [{ aggs: [{ fn: 'count', as: 'City' }] }, 'COLUMN_EXISTS'],
  [{ by: ['nope'], aggs: [{ fn: 'count' }] }, 'COLUMN_NOT_FOUND'],
])('rejects %j', async (options, code) => {
  await expect(group(options)).rejects.toMatchObject({ code })
})
