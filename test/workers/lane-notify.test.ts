import { expect, test } from 'vitest'
import { value } from '../../sql/db.ts'
import { type Stack, startStack } from '../support/stack/start.ts'

const CALLS = 200

test('jobs of one lane do not make the runners of other lanes search their queues', async () => {
  await using stack = await startStack({ worker: false })
  // So that it searches its queue once a second unasked.
  await stack.writeSetting('lane.native.concurrency', 1)
  await stack.startWorker()
  const customer = await stack.customer(1_000_000n)
  const call = () => customer.post('/v1/text/slugify', { text: 'abc' }, { prefer: 'respond-async, wait=25' })
  expect((await call()).status).toBe(200)
  const before = { thread: await countIndexScans(stack, 'thread'), native: await countIndexScans(stack, 'native') }
  for (let count = 0; count < CALLS; count++) await call()
  const countNewScans = async (lane: keyof typeof before) => (await countIndexScans(stack, lane)) - before[lane]
  await expect.poll(() => countNewScans('thread'), { timeout: 20_000, interval: 250 }).toBeGreaterThan(CALLS * 0.7)
  expect(await countNewScans('native')).toBeLessThan(CALLS / 2)
}, 120_000)

/** How often the queue of a lane was searched, as far as its backends have reported. */
async function countIndexScans({ db }: Stack, lane: string): Promise<number> {
  const text = `select coalesce(sum(idx_scan), 0) from pg_stat_user_indexes
    where schemaname = $1 and relname = '_private_jobs'`
  return Number(await value<string>(db, text, [`lane_${lane}`]))
}
