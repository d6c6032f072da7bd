import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows, value } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { LONG_CALL_PATH, longCallBody } from '../support/stack/long-job.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** More than a worker fetches ahead. */
const BACKLOG = 140
const CALLS = 60
const PLACES = 12

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ worker: false, env: { LANES: 'thread,native' } })
  await stack.writeSetting('lane.thread.concurrency', 1)
  await stack.writeSetting('lane.native.concurrency', PLACES)
})
afterAll(() => stack[Symbol.asyncDispose]())

async function queue(customer: Customer, text: string): Promise<string> {
  const { body } = await customer.post('/v1/text/slugify', { text }, { prefer: 'respond-async' })
  return body.ticket
}

async function countFetched(): Promise<number> {
  const [row] = await rows<{ count: bigint }>(
    stack.db,
    'select count(*) from lane_thread._private_jobs where locked_at is not null',
  )
  return Number(row!.count)
}

test('jobs of one lane do not make the runners of other lanes search their queues', async () => {
  await using worker = await stack.startWorker()
  const customer = await stack.customer(1_000_000n)
  const call = () => customer.post('/v1/text/slugify', { text: 'abc' }, { prefer: 'respond-async, wait=25' })
  expect((await call()).status).toBe(200)
  const before = { thread: await countIndexScans('thread'), native: await countIndexScans('native') }
  const startedAt = performance.now()
  for (let count = 0; count < CALLS; count++) await call()
  const countNewScans = async (lane: keyof typeof before) => (await countIndexScans(lane)) - before[lane]
  await expect.poll(() => countNewScans('thread'), { timeout: 60_000, interval: 250 }).toBeGreaterThan(CALLS * 0.7)
  // On a busy machine the calls take long, and every second its own search is due.
  const seconds = (performance.now() - startedAt) / 1000
  expect(await countNewScans('native')).toBeLessThan(CALLS / 2 + seconds)
  await worker.stop()
})

test('an idle lane searches its queue once a second, however many places it has', async () => {
  await using worker = await stack.startWorker()
  const before = { thread: await countIndexScans('thread'), native: await countIndexScans('native') }
  const countNewScans = async (lane: keyof typeof before) => (await countIndexScans(lane)) - before[lane]
  // The thread lane has one loop that searches, and what backends report may be some seconds late.
  const searches = await eventually('a dozen searches', async () => {
    const count = await countNewScans('thread')
    return count > 12 && count
  })
  // Each place also searches when the worker starts.
  expect(await countNewScans('native')).toBeLessThan(PLACES * 2 + searches * 3)
  await worker.stop()
})

/** How often the queue of a lane was searched, as far as its backends have reported. */
async function countIndexScans(lane: string): Promise<number> {
  const text = `select coalesce(sum(idx_scan), 0) from pg_stat_user_indexes
    where schemaname = $1 and relname = '_private_jobs'`
  return Number(await value<string>(stack.db, text, [`lane_${lane}`]))
}

test('a job starts before the backlog of another account, even before jobs that were fetched ahead', async () => {
  const [heavy, light] = [await stack.customer(), await stack.customer()]
  await queue(heavy, 'Crème brûlée '.repeat(60_000))
  await Promise.all(Array.from({ length: BACKLOG }, () => queue(heavy, 'small')))
  await using worker = await stack.startWorker()
  await eventually('jobs to be fetched ahead', async () => (await countFetched()) > 1)
  const ticket = await queue(light, 'light')
  await light.waitForEnd(ticket)
  const [row] = await rows<{ count: bigint }>(
    stack.db,
    `select count(*) from svc.job l join svc.job j on j.account_id <> l.account_id and j.started_at > l.created_at
      and j.started_at < l.started_at where l.id = $1`,
    [ticket],
  )
  expect(Number(row!.count)).toBeLessThan(BACKLOG / 4)
  await worker.stop()
})

test('a job waits for no end of jobs beyond the share of another account, and those wait for a place', async () => {
  await stack.writeSetting('lane.native.concurrency', 2)
  await stack.writeSetting('queue.spare_places', 1)
  await using worker = await stack.startWorker()
  const [heavy, light] = [await stack.customer(), await stack.customer()]
  const queueImage = async (customer: Customer, width: number): Promise<string> =>
    (await customer.post(LONG_CALL_PATH, longCallBody(width), { prefer: 'respond-async' })).body.ticket
  const [first, second] = [await queueImage(heavy, 2_500), await queueImage(heavy, 2_500)]
  await Promise.all([first, second].map(ticket => heavy.waitForStart(ticket)))
  const third = await queueImage(heavy, 20)
  await light.waitForEnd(await queueImage(light, 20))
  const statuses = [first, second, third].map(async id => (await heavy.get(`/v1/jobs/${id}`)).body.status)
  expect(await Promise.all(statuses)).toEqual(['running', 'running', 'submitted'])
  for (const ticket of [first, second, third])
    expect((await heavy.waitForEnd(ticket, 150_000)).status).toBe('succeeded')
  await worker.stop()
})
