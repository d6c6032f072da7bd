import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figure, Reading } from '../../figure.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload } from '../../stack.ts'
import { type Comparison, compareCall } from './compare-call.ts'
import { buildProducts, buildSales, MILLION } from './sample-tables.ts'

/** The engine is called directly over the same files; the service also checks every cell, charges and confines it. */
export default {
  id: 'P65',
  title: 'data/sql, groupby, filter and join of a million rows on the disk, one client, over DuckDB called directly',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const folder = await mkdtemp(join(bench.environment.folder, 'tables-'))
    const readings: Reading[] = []
    for (const comparison of await prepare(stack, folder))
      readings.push(await compareCall(bench, stack, join(folder, 'out.csv'), comparison))
    await rm(folder, { recursive: true, force: true })
    await requireNoFailedJobs(stack)
    return readings
  },
} satisfies Figure

async function prepare(stack: Stack, folder: string): Promise<Comparison[]> {
  const place = async (name: string, bytes: Buffer) => {
    const path = join(folder, name)
    await writeFile(path, bytes)
    const inputKey = await storeUpload(stack, stack.accounts[0]!, bytes, 'text/csv')
    return { from: `read_csv('${path}')`, file: { inputKey } }
  }
  const sales = await place('sales.csv', buildSales(MILLION))
  const products = await place('products.csv', buildProducts())
  const sums = 'city, sum(amount) AS total, count(*) AS sales'
  const joined = `SELECT s.*, p.* FROM ${sales.from} AS s JOIN ${products.from} AS p ON s.product = p.number`
  const merged = { left: sales.file, right: products.file, leftOn: ['product'], rightOn: ['number'] }
  const aggs = [
    { column: 'amount', fn: 'sum', as: 'total' },
    { fn: 'count', as: 'sales' },
  ]
  return [
    {
      label: 'sql, sums by group',
      path: '/v1/data/sql',
      body: { file: sales.file, sql: `SELECT ${sums} FROM input GROUP BY city ORDER BY total`, outFormat: 'csv' },
      query: `SELECT ${sums} FROM ${sales.from} GROUP BY city ORDER BY total`,
    },
    {
      label: 'groupby, the same sums',
      path: '/v1/data/groupby',
      body: { file: sales.file, by: ['city'], aggs },
      query: `SELECT ${sums} FROM ${sales.from} GROUP BY city ORDER BY city`,
    },
    {
      label: 'filter, half of the rows',
      path: '/v1/data/filter',
      body: { file: sales.file, where: { column: 'amount', op: 'gt', value: 500 } },
      query: `SELECT * FROM ${sales.from} WHERE amount > 500`,
    },
    { label: 'join, rows in any order', path: '/v1/data/join', body: merged, query: joined },
    {
      label: 'join, rows in the order of the file',
      path: '/v1/data/join',
      body: merged,
      query: `SELECT s.* EXCLUDE (place), p.* FROM (SELECT *, row_number() OVER () AS place FROM ${sales.from}) AS s JOIN ${products.from} AS p ON s.product = p.number ORDER BY s.place`,
    },
  ]
}
