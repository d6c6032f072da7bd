import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figure } from '../../figure.ts'
import { openStack, requireNoFailedJobs, storeUpload } from '../../stack.ts'
import { compareCall, compareRuns } from './compare-call.ts'
import { measureCodec } from './direct-engine.ts'
import { buildSales, MILLION } from './sample-tables.ts'

const ROWS = 100_000

/** Five steps one after another, and the statement that does the same. */
const STEPS = [
  { op: 'data/filter', params: { where: { column: 'amount', op: 'gt', value: 250 } } },
  { op: 'data/derive', params: { columns: [{ name: 'gross', expr: 'amount * 1.2' }] } },
  { op: 'data/filter', params: { where: { column: 'product', op: 'lt', value: 60 } } },
  { op: 'data/groupby', params: { by: ['city'], aggs: [{ column: 'gross', fn: 'sum', as: 'total' }] } },
  { op: 'data/sort', params: { by: [{ column: 'total', dir: 'desc' }] } },
]

export default {
  id: 'P66',
  title:
    'to-xlsx and from-xlsx of 100,000 rows over the codec, and a pipeline over the one statement that does the same',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const folder = await mkdtemp(join(bench.environment.folder, 'workbooks-'))
    const place = async (name: string, bytes: Buffer, type: string) => {
      await writeFile(join(folder, name), bytes)
      return { inputKey: await storeUpload(stack, stack.accounts[0]!, bytes, type) }
    }
    const file = await place('rows.csv', buildSales(ROWS), 'text/csv')
    const [csv, xlsx, out] = ['rows.csv', 'rows.xlsx', 'out.csv'].map(name => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const toXlsx = { label: 'to-xlsx', path: '/v1/data/to-xlsx', body: { file }, goal: { atLeast: 0.85 } }
    const readings = [await compareRuns(bench, stack, toXlsx, seconds => measureCodec(csv, xlsx, seconds))]
    const workbook = await place('copy.xlsx', await readFile(xlsx), 'application/octet-stream')
    const fromXlsx = { ...toXlsx, label: 'from-xlsx', path: '/v1/data/from-xlsx', body: { file: workbook } }
    readings.push(await compareRuns(bench, stack, fromXlsx, seconds => measureCodec(xlsx, out, seconds)))
    const sales = await place('sales.csv', buildSales(MILLION), 'text/csv')
    readings.push(
      await compareCall(bench, stack, out, {
        label: 'pipeline of five steps',
        path: '/v1/pipeline',
        body: { file: sales, steps: STEPS },
        query: `SELECT city, sum(amount * 1.2) AS total FROM read_csv('${join(folder, 'sales.csv')}') WHERE amount > 250 AND product < 60 GROUP BY city ORDER BY total DESC`,
        goal: { atLeast: 1 / 1.3 },
      }),
    )
    await rm(folder, { recursive: true, force: true })
    await requireNoFailedJobs(stack)
    return readings
  },
} satisfies Figure
