import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { LONG_CALL_PATH, longCallBody } from '../support/stack/long-job.ts'
import type { Role } from '../support/stack/role.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** Generous, because an engine shares its cores with whatever else the machine does. */
const ENGINE_TIMEOUT_MS = 120_000
const TEST_TIMEOUT_MS = 400_000

let stack: Stack
let worker: Role
beforeAll(async () => {
  stack = await startStack({ worker: false, env: { OUTBOUND: 'public' } })
  worker = await stack.startWorker()
})
afterAll(() => stack[Symbol.asyncDispose]())

const FULL_BALANCE = { balance: 1_000_000n, held: 0n }
const SLUGIFY_PATH = '/v1/text/slugify'

async function startLongJob(customer: Customer, width: number): Promise<string> {
  const { body } = await customer.post(LONG_CALL_PATH, longCallBody(width), { prefer: 'respond-async' })
  await customer.waitForStart(body.ticket)
  return body.ticket
}

async function readAttempt(id: string): Promise<number> {
  const [row] = await rows<{ attempt: number }>(stack.db, 'select attempt from svc.job where id = $1', [id])
  return row!.attempt
}

async function countQueuedJobs(): Promise<number> {
  const [row] = await rows<{ count: bigint }>(
    stack.db,
    `select (select count(*) from lane_thread._private_jobs) + (select count(*) from lane_native._private_jobs) as count`,
  )
  return Number(row!.count)
}

function waitForEmptyQueue(): Promise<unknown> {
  return eventually('the queue to be empty', async () => (await countQueuedJobs()) === 0, ENGINE_TIMEOUT_MS)
}

test(
  'a problem ends the job at once, without another attempt, and releases the money',
  async () => {
    const customer = await stack.customer()
    const answer = await customer.post(SLUGIFY_PATH, { text: '!!!' })
    expect([answer.status, answer.body.code]).toEqual([422, 'SLUG_EMPTY'])
    const { body: job } = await customer.get(`/v1/jobs/${answer.body.jobId}`)
    expect(job).toMatchObject({ status: 'failed', actualMicros: '0', finishedAt: expect.any(String) })
    expect(await customer.money()).toEqual(FULL_BALANCE)
    await waitForEmptyQueue()
  },
  TEST_TIMEOUT_MS,
)

test(
  'an address inside is refused by the worker that would fetch it, at no cost, whatever the price counts',
  async () => {
    const customer = await stack.customer()
    const inside = `${stack.url}/openapi.json`
    const calls: [string, object][] = [
      ['/v1/pdf/rotate', { degrees: '90' }],
      ['/v1/utils/hash', {}],
      ['/v1/pdf/rotate', { degrees: '90', dryRun: true }],
    ]
    for (const [path, options] of calls) {
      const answer = await customer.post(path, { file: { url: inside }, ...options })
      expect([answer.status, answer.body], path).toMatchObject([422, { code: 'URL_NOT_ALLOWED', field: 'file' }])
    }
    const { body } = await customer.post('/v1/utils/hash', { file: { url: 'https://a.example/' }, dryRun: true })
    expect(body.quote.unit).toContain('MiB')
    expect(await customer.money()).toEqual(FULL_BALANCE)
    const { body: capabilities } = await customer.get('/v1/capabilities')
    expect(capabilities.sources).toEqual({ url: { available: true } })
    const { body: document } = await customer.get('/openapi.json')
    expect(Object.keys(document.components.schemas.Source.properties)).toContain('url')
  },
  TEST_TIMEOUT_MS,
)

test(
  'every output file of a job is stored before its folder is removed',
  async () => {
    const customer = await stack.customer()
    const inline = readFileSync(new URL('../../tasks/samples/two-pages.pdf', import.meta.url)).toString('base64')
    const { status, body } = await customer.post('/v1/pdf/render', { file: { inline }, pages: 'all', dpi: 72 })
    expect(status).toBe(200)
    const sizes = body.files.map(
      async (file: { outputUrl: string }) => (await (await fetch(file.outputUrl)).bytes()).length,
    )
    expect(await Promise.all(sizes)).toEqual(body.files.map((file: { sizeBytes: number }) => file.sizeBytes))
    expect(sizes).toHaveLength(2)
  },
  TEST_TIMEOUT_MS,
)

test(
  'a long job is shown as running, with its start time',
  async () => {
    const customer = await stack.customer()
    const id = await startLongJob(customer, 1_500)
    const { body: running } = await customer.get(`/v1/jobs/${id}`)
    expect(running).toMatchObject({ status: 'running', startedAt: expect.any(String) })
    expect((await customer.get('/v1/jobs?status=running')).body.data).toMatchObject([{ id }])
    const job = await customer.waitForEnd(id, ENGINE_TIMEOUT_MS)
    expect(job).toMatchObject({ status: 'succeeded', result: { image: { width: 1_500, format: 'avif' } } })
    expect(await customer.money()).toEqual({ balance: 1_000_000n - BigInt(job.actualMicros!), held: 0n })
  },
  TEST_TIMEOUT_MS,
)

test(
  'a job that is cancelled while it runs stops at once, and the worker continues',
  async () => {
    const customer = await stack.customer()
    const id = await startLongJob(customer, 9_500)
    const answer = await customer.delete(`/v1/jobs/${id}`)
    expect(answer.body).toMatchObject({ status: 'failed', error: { code: 'JOB_CANCELLED' } })
    expect(await customer.money()).toEqual(FULL_BALANCE)
    await waitForEmptyQueue()
    expect((await customer.post(SLUGIFY_PATH, { text: 'next' })).body).toEqual({ slug: 'next' })
  },
  TEST_TIMEOUT_MS,
)

test(
  'a result that the database refuses ends its job for free, and its outputs are removed',
  async () => {
    const customer = await stack.customer()
    await rows(
      stack.db,
      `create function svc.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
    )
    await rows(
      stack.db,
      `create trigger refuse before insert on svc.object for each row when (new.content_type = 'image/tiff')
     execute function svc.refuse()`,
    )
    try {
      const body = { ...longCallBody(50), format: 'tiff' }
      const { body: refused } = await customer.post(LONG_CALL_PATH, body, { prefer: 'respond-async' })
      const job = await customer.waitForEnd(refused.ticket, ENGINE_TIMEOUT_MS)
      expect(job).toMatchObject({ status: 'failed', actualMicros: '0', error: { code: 'INTERNAL' } })
      expect(await readAttempt(refused.ticket)).toBeLessThanOrEqual(1)
      expect(await customer.money()).toEqual(FULL_BALANCE)
      expect(worker.log()).toContain('the result cannot be stored')
      const isCleanedUp = async () => (await listFiles('objects')).every(name => !name.includes(customer.accountId))
      await eventually('the outputs to be gone', isCleanedUp, ENGINE_TIMEOUT_MS)
      await eventually(
        'the notes of outputs to be gone',
        async () => (await listFiles('work/*/.notes')).length === 0,
        ENGINE_TIMEOUT_MS,
      )
    } finally {
      await rows(stack.db, 'drop trigger refuse on svc.object')
    }
  },
  TEST_TIMEOUT_MS,
)

async function listFiles(pattern: string): Promise<string[]> {
  return Array.fromAsync(glob(`${pattern}/**/*~*`, { cwd: stack.dataDir }))
}

test(
  'one job that the queue delivers twice has one effect',
  async () => {
    const customer = await stack.customer()
    const { body } = await customer.post(LONG_CALL_PATH, longCallBody(900), { prefer: 'respond-async' })
    await rows(
      stack.db,
      `select lane_native.add_job('perform', payload) from lane_native._private_jobs j
     where j.payload ->> 'id' = $1`,
      [body.ticket],
    )
    const job = await customer.waitForEnd(body.ticket, ENGINE_TIMEOUT_MS)
    await waitForEmptyQueue()
    expect((await customer.get(`/v1/jobs/${body.ticket}`)).body.result.output.outputKey).toBe(
      (job.result as { output: { outputKey: string } }).output.outputKey,
    )
    expect(await customer.money()).toEqual({ balance: 1_000_000n - BigInt(job.actualMicros!), held: 0n })
    const objects = await rows(stack.db, 'select key from svc.object where job_id = $1', [body.ticket])
    expect(objects).toHaveLength(1)
  },
  TEST_TIMEOUT_MS,
)
