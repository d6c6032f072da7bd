import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { rows, value } from '../../sql/db.ts'
import { listWorkers } from '../../sql/worker.ts'
import { eventually } from '../support/machine/eventually.ts'
import { isAlive, listDescendants } from '../support/machine/processes.ts'
import { LONG_CALL_PATH, longCallBody } from '../support/stack/long-job.ts'
import type { Role } from '../support/stack/role.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** Generous: a silent worker is considered dead after 15 seconds. */
const TAKEOVER_TIMEOUT_MS = 120_000
const TEST_TIMEOUT_MS = 400_000

/** Kills what a test that fails has left, so that it does not take the jobs of the next ones. */
const workers: Role[] = []
afterEach(() => Promise.all(workers.splice(0).map(worker => worker.kill())))

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ worker: false, env: { LANES: 'thread,native' } })
})
afterAll(() => stack[Symbol.asyncDispose]())

/** Starts a worker and a long job that runs on it. */
async function startBusyWorker(customer: Customer, width?: number): Promise<{ worker: Role; id: string }> {
  const worker = await stack.startWorker({})
  workers.push(worker)
  // The first answer prepares the check of answers, which on a busy machine takes longer than the job.
  await customer.get('/v1/jobs')
  const { body } = await customer.post(LONG_CALL_PATH, longCallBody(width), { prefer: 'respond-async' })
  await customer.waitForStart(body.ticket)
  return { worker, id: body.ticket }
}

/** A process may have ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, name)
}

async function readAttempt(id: string): Promise<number> {
  const [row] = await rows<{ attempt: number }>(stack.db, 'select attempt from svc.job where id = $1', [id])
  return row!.attempt
}

/** Expects that the job succeeded once: with one charge and one output that can be downloaded. */
async function expectDoneOnce(customer: Customer, id: string): Promise<void> {
  const job = await customer.waitForEnd(id, 300_000)
  expect(job.status).toBe('succeeded')
  const lines = (await customer.get('/v1/account/ledger?type=charge')).body.data
  expect(lines).toMatchObject([{ jobId: id, status: 'settled', amountMicros: job.actualMicros }])
  expect(await customer.money()).toEqual({ balance: 1_000_000n - BigInt(job.actualMicros!), held: 0n })
  const { output } = job.result as { output: { outputUrl: string; sizeBytes: number } }
  const { pathname, search } = new URL(output.outputUrl)
  const file = await fetch(stack.url + pathname + search)
  expect((await file.arrayBuffer()).byteLength).toBe(output.sizeBytes)
  await eventually('one output', async () => (await listOutputs(customer)).length === 1, TAKEOVER_TIMEOUT_MS)
}

async function isRegistered({ pid }: Role): Promise<boolean> {
  return (await listWorkers(stack.db)).some(worker => worker.pid === pid)
}

async function listOutputs({ accountId }: Customer): Promise<string[]> {
  const names = await readdir(join(stack.dataDir, 'objects'), { recursive: true })
  return names.filter(name => name.includes(accountId) && !name.endsWith('.type'))
}

/** Until it is unlocked, no job that has an output can end. */
async function lockOutputs(): Promise<{ isAwaited(): Promise<boolean>; unlock(): Promise<void> }> {
  const client = new pg.Client({ connectionString: stack.databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('lock table svc.object in share mode')
  // Other statements wait for it too, such as those of chores.
  const isAwaited = () =>
    value<boolean>(
      stack.db,
      `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%job.finish_batch%')`,
    )
  return { isAwaited, unlock: () => client.end() }
}

test(
  'another worker takes over the job of a killed worker, and it runs to its end once',
  async () => {
    const customer = await stack.customer()
    const { worker, id } = await startBusyWorker(customer)
    const children = listDescendants(worker.pid)
    // The job must not end before the other worker has started.
    for (const { pid } of children) signal(pid, 'SIGSTOP')
    await using _other = await stack.startWorker({})
    await worker.kill()
    for (const { pid } of children) signal(pid, 'SIGCONT')
    await eventually('another attempt', async () => (await readAttempt(id)) === 2, TAKEOVER_TIMEOUT_MS)
    await expectDoneOnce(customer, id)
    await eventually(
      'the children of the killed worker to be gone',
      () => !children.some(({ pid }) => isAlive(pid)),
      TAKEOVER_TIMEOUT_MS,
    )
  },
  TEST_TIMEOUT_MS,
)

test(
  'a job survives the deaths of more workers than it may crash its tools',
  async () => {
    const customer = await stack.customer()
    const { worker, id } = await startBusyWorker(customer)
    await worker.kill()
    for (const attempt of [2, 3, 4]) {
      const next = await stack.startWorker({})
      await eventually(`attempt ${attempt}`, async () => (await readAttempt(id)) === attempt, TAKEOVER_TIMEOUT_MS)
      await next.kill()
    }
    await using _last = await stack.startWorker({})
    await expectDoneOnce(customer, id)
    expect(await rows(stack.db, 'select lost, crashed from svc.job where id = $1', [id])).toEqual([
      { lost: 4, crashed: 0 },
    ])
  },
  TEST_TIMEOUT_MS,
)

test(
  'a job under which ten workers have died fails, for free',
  async () => {
    const customer = await stack.customer()
    const { worker, id } = await startBusyWorker(customer, 9_500)
    await rows(stack.db, 'update svc.job set lost = 9 where id = $1', [id])
    await worker.kill()
    await using _next = await stack.startWorker({})
    const job = await customer.waitForEnd(id, 300_000)
    expect(job).toMatchObject({ status: 'failed', actualMicros: '0', error: { code: 'INTERNAL' } })
    expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
  },
  TEST_TIMEOUT_MS,
)

test(
  'a worker that starts where another died takes over at once',
  async () => {
    const customer = await stack.customer()
    const { worker, id } = await startBusyWorker(customer)
    await worker.kill()
    await using _next = await stack.startWorker({})
    await eventually('another attempt', async () => (await readAttempt(id)) === 2, TAKEOVER_TIMEOUT_MS)
    await expectDoneOnce(customer, id)
  },
  TEST_TIMEOUT_MS,
)

test(
  'a worker that was paused until it was considered dead changes nothing, and works again',
  async () => {
    const customer = await stack.customer()
    const { worker, id } = await startBusyWorker(customer)
    worker.signal('SIGSTOP')
    const other = await stack.startWorker({})
    await eventually('another attempt', async () => (await readAttempt(id)) === 2, TAKEOVER_TIMEOUT_MS)
    worker.signal('SIGCONT')
    await expectDoneOnce(customer, id)
    await eventually('the paused worker to join again', () => isRegistered(worker), TAKEOVER_TIMEOUT_MS)
    await other.stop()
    expect((await customer.post('/v1/text/slugify', { text: 'Awake' })).body).toEqual({ slug: 'awake' })
    expect(await worker.stop()).toBe(0)
  },
  TEST_TIMEOUT_MS,
)

test(
  'a stopping worker finishes its running job and leaves nothing behind',
  async () => {
    const customer = await stack.customer()
    // The job has run, and cannot end before its output can be recorded.
    const outputs = await lockOutputs()
    const worker = await stack.startWorker({})
    workers.push(worker)
    const call = await customer.post(LONG_CALL_PATH, longCallBody(50), { prefer: 'respond-async' })
    const id: string = call.body.ticket
    await eventually('the end of the job to wait', () => outputs.isAwaited(), TAKEOVER_TIMEOUT_MS)
    const children = listDescendants(worker.pid)
    const stopped = worker.stop()
    await eventually('the worker to stop', () => worker.log().includes('worker stopping'), TAKEOVER_TIMEOUT_MS)
    await outputs.unlock()
    expect(await stopped).toBe(0)
    expect((await customer.get(`/v1/jobs/${id}`)).body).toMatchObject({ status: 'succeeded' })
    expect(await readAttempt(id)).toBe(1)
    expect(children.filter(({ pid }) => isAlive(pid))).toEqual([])
    expect(await rows(stack.db, 'select id from svc.worker')).toEqual([])
  },
  TEST_TIMEOUT_MS,
)

test(
  'a stopping worker releases a job that does not end in time, and the next worker runs it',
  async () => {
    const customer = await stack.customer()
    const { worker, id } = await startBusyWorker(customer, 9_500)
    expect(await worker.stop()).toBe(0)
    expect((await customer.get(`/v1/jobs/${id}`)).body.status).toBe('running')
    const work = `select locked_by from lane_native._private_jobs where payload ->> 'id' = $1`
    expect(await rows(stack.db, work, [id])).toEqual([{ locked_by: null }])
    await using _next = await stack.startWorker({})
    await eventually('another attempt', async () => (await readAttempt(id)) === 2, TAKEOVER_TIMEOUT_MS)
    await customer.delete(`/v1/jobs/${id}`)
    expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
  },
  TEST_TIMEOUT_MS,
)

test(
  'a job that no worker takes expires at its deadline, and its money is released',
  async () => {
    for (const name of ['cputools.exec.sync_timeout_s', 'cputools.exec.queue_timeout_s'])
      await stack.writeSetting(name, 1)
    await using _busyElsewhere = await stack.startWorker({ LANES: 'remote' })
    const customer = await stack.customer()
    const answer = await customer.post('/v1/text/slugify', { text: 'too late' })
    expect([answer.status, answer.body.code]).toEqual([422, 'TIME_LIMIT_EXCEEDED'])
    expect((await customer.get(`/v1/jobs/${answer.body.jobId}`)).body).toMatchObject({
      status: 'expired',
      actualMicros: '0',
    })
    expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
    await using _late = await stack.startWorker({ LANES: 'thread' })
    const queue = () => rows(stack.db, 'select id from lane_thread._private_jobs')
    await eventually('the queue to drop it', async () => (await queue()).length === 0, TAKEOVER_TIMEOUT_MS)
    expect((await customer.get(`/v1/jobs/${answer.body.jobId}`)).body.status).toBe('expired')
  },
  TEST_TIMEOUT_MS,
)
