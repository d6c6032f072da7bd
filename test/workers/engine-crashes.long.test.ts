import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { listDescendants } from '../support/machine/processes.ts'
import { LONG_CALL_PATH, longCallBody } from '../support/stack/long-job.ts'
import type { Role } from '../support/stack/role.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** Generous, because an engine shares its cores with whatever else the machine does. */
const ENGINE_TIMEOUT_MS = 120_000
const TEST_TIMEOUT_MS = 400_000
const FULL_BALANCE = { balance: 1_000_000n, held: 0n }

let stack: Stack
let worker: Role
beforeAll(async () => {
  stack = await startStack({ worker: false, env: { LANES: 'thread,native' } })
  worker = await stack.startWorker()
})
afterAll(() => stack[Symbol.asyncDispose]())

async function startLongJob(customer: Customer, width = 2_000): Promise<string> {
  // The first answer prepares the check of answers, which on a busy machine takes longer than the job.
  await customer.get('/v1/jobs')
  const { body } = await customer.post(LONG_CALL_PATH, longCallBody(width), { prefer: 'respond-async' })
  await customer.waitForStart(body.ticket)
  return body.ticket
}

async function readAttempt(id: string): Promise<number> {
  const [row] = await rows<{ attempt: number }>(stack.db, 'select attempt from svc.job where id = $1', [id])
  return row!.attempt
}

/**
 * Ends the engine that works on the job: as a fault in its native code would, or as the kernel that has no memory left. One
 * that has worked for a second encodes: before that, it only looks at the input, which is done again without another attempt.
 */
async function crashEngine(signal: 'SIGSEGV' | 'SIGKILL' = 'SIGSEGV'): Promise<void> {
  const engine = await eventually(
    'an engine that works',
    () => listDescendants(worker.pid).find(({ pid, command }) => isEngine(command) && hasInput(pid) && hasWorked(pid)),
    ENGINE_TIMEOUT_MS,
  )
  process.kill(engine.pid, signal)
}

function isEngine(command: string): boolean {
  return !command.startsWith('bwrap') && / \S*native\/entry\.ts sharp $/.test(command)
}

/** Whether it has used a second of a processor; the kernel counts in hundredths. */
function hasWorked(pid: number): boolean {
  try {
    const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const [user, system] = fields.split(' ').slice(11, 13).map(Number) as [number, number]
    return user + system > 100
  } catch {
    return false
  }
}

/** Other processes of the engine wait for work, or run only to write compiled code. */
function hasInput(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/cwd`).some(name => name.startsWith('in-'))
  } catch {
    return false
  }
}

test(
  'a job whose engine crashed is retried and charged once',
  async () => {
    const customer = await stack.customer()
    const id = await startLongJob(customer)
    await crashEngine()
    const job = await customer.waitForEnd(id, ENGINE_TIMEOUT_MS)
    expect(job.status).toBe('succeeded')
    expect(await readAttempt(id)).toBe(2)
    const charges = (await customer.get('/v1/account/ledger?type=charge')).body.data
    expect(charges).toMatchObject([{ jobId: id, status: 'settled', amountMicros: job.actualMicros }])
  },
  TEST_TIMEOUT_MS,
)

test(
  'a job that crashes its engine three times fails, for free',
  async () => {
    const customer = await stack.customer()
    const id = await startLongJob(customer, 9_500)
    for (const attempt of [1, 2, 3]) {
      await eventually(`attempt ${attempt}`, async () => (await readAttempt(id)) === attempt, ENGINE_TIMEOUT_MS)
      await crashEngine()
    }
    const job = await customer.waitForEnd(id, ENGINE_TIMEOUT_MS)
    expect(job).toMatchObject({ status: 'failed', actualMicros: '0', error: { code: 'INTERNAL' } })
    expect(await readAttempt(id)).toBe(3)
    expect(await customer.money()).toEqual(FULL_BALANCE)
    const queued = () => rows(stack.db, 'select id from lane_native._private_jobs')
    await eventually('the queue to be empty', async () => (await queued()).length === 0, ENGINE_TIMEOUT_MS)
  },
  TEST_TIMEOUT_MS,
)

test(
  'a job whose engine is killed from outside more than three times still succeeds',
  async () => {
    const customer = await stack.customer()
    const id = await startLongJob(customer)
    for (const attempt of [1, 2, 3, 4]) {
      await eventually(`attempt ${attempt}`, async () => (await readAttempt(id)) === attempt, ENGINE_TIMEOUT_MS)
      await crashEngine('SIGKILL')
    }
    expect((await customer.waitForEnd(id, ENGINE_TIMEOUT_MS)).status).toBe('succeeded')
  },
  TEST_TIMEOUT_MS,
)

test(
  'attempts share the time limit of their job: one whose engines were killed until it had passed fails, for free',
  async () => {
    const customer = await stack.customer()
    const id = await startLongJob(customer, 9_500)
    await rows(stack.db, `update svc.job set ran_ms = 3600000 where id = '${id}'`)
    await crashEngine('SIGKILL')
    const job = await customer.waitForEnd(id, ENGINE_TIMEOUT_MS)
    expect(job).toMatchObject({ status: 'failed', actualMicros: '0', error: { code: 'TIME_LIMIT_EXCEEDED' } })
    expect(await readAttempt(id)).toBe(1)
  },
  TEST_TIMEOUT_MS,
)
