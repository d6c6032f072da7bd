import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { listSteps, type QueuedStep } from '../../sql/step/queue.ts'
import { eventually } from '../support/machine/eventually.ts'
import { type Stack, startStack } from '../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ worker: false, env: { LANES: 'thread' } })
})
afterAll(() => stack[Symbol.asyncDispose]())

/** Generous: a silent worker is considered dead after 15 seconds. */
const TAKEOVER_TIMEOUT_MS = 60_000

async function readStep(key: string): Promise<QueuedStep | undefined> {
  return (await listSteps(stack.db, 100)).find(step => step.key === key && step.name === 'lease.expire')
}

/** While it is locked, the step that ends the lease waits in the middle of its work. */
async function lockLease(id: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stack.databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('select from svc.lease where id = $1 for update', [id])
  return client
}

test('a step whose worker is killed is run again by another, with its effect once', async () => {
  const customer = await stack.customer()
  const made = await customer.post('/api/mailbox', {}, { 'x-capacity-mib': '1' })
  expect(made.status).toBe(201)
  const id = (made.body.lease_id as string).slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  await rows(stack.db, "update svc.lease set expires_at = now() - interval '1 s' where id = $1", [id])
  await rows(stack.db, 'update lane_step._private_jobs set run_at = now()')
  const lock = await lockLease(id)
  const worker = await stack.startWorker({})
  await eventually('the step to run', async () => (await readStep(id))?.state === 'running')
  await worker.kill()
  await using _other = await stack.startWorker({})
  await eventually('another run', async () => (await readStep(id))?.attempts === 2, TAKEOVER_TIMEOUT_MS)
  await lock.end()
  await eventually('the step to end', async () => (await readStep(id)) === undefined, TAKEOVER_TIMEOUT_MS)
  const [lease] = await rows<{ ended_at: Date | null }>(stack.db, 'select ended_at from svc.lease where id = $1', [id])
  expect(lease!.ended_at).not.toBeNull()
  await eventually('its forgetting to wait', async () => {
    const steps = await listSteps(stack.db, 100)
    return steps.length === 1 && steps[0]!.name === 'lease.forget' && steps[0]!.state === 'waiting'
  })
})
