import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { JSON_HEADERS } from '../../calls.ts'
import { measureTarget } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'
import { type DirectRuns, measureEngine, writeCsv } from './direct-engine.ts'
import { buildProducts, buildSales, MILLION } from './sample-tables.ts'

/** A call takes a fifth of a second, so a burst of the usual length would count too few calls. */
const SECONDS = 8

interface Comparison {
  label: string
  path: string
  body: object
  /** The same work as a query; it reads the files itself. */
  query: string
}

/** The engine is called directly over the same files; the service also checks every cell, charges and confines it. */
export default {
  id: 'P61',
  title: 'data/sql, groupby, filter and join of a million rows on the disk, one client, over DuckDB called directly',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const folder = await mkdtemp(join(bench.environment.folder, 'tables-'))
    const readings: Reading[] = []
    for (const comparison of await prepare(stack, folder))
      readings.push(await compare(bench, stack, folder, comparison))
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

async function compare(bench: Bench, stack: Stack, folder: string, given: Comparison): Promise<Reading> {
  const { label, path, query } = given
  const body = JSON.stringify({ ...given.body, inlineOutput: 'never' })
  const call = { path, headers: JSON_HEADERS, body, keys: stack.keys }
  await verifyCall(stack, call)
  const target = targetService(bench.environment, stack, call)
  const seconds = bench.profile.bulk < 1 ? SECONDS / 2 : SECONDS
  const direct: DirectRuns[] = []
  const measurements = []
  for (let round = 0; round < bench.profile.rounds; round++) {
    direct.push(await measureEngine([writeCsv(query, join(folder, 'out.csv'))], seconds))
    measurements.push(await measureTarget(bench, target, 1, seconds))
  }
  return {
    label,
    unit: 'calls/s',
    ours: median(measurements.map(({ burst }) => burst.perSecond)),
    floor: median(direct.map(({ perSecond }) => perSecond)),
    goal: { atLeast: 0.8 },
    judgedBy: 'ratio',
    limitedBy: `${formatCost(measurements.at(-1)!.cost)}; direct ${Math.round(direct.at(-1)!.cpuMs)} ms`,
    facts: { measurements, direct },
  }
}
