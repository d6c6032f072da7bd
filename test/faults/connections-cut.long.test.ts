import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { listWorkers } from '../../sql/worker.ts'
import { eventually } from '../support/machine/eventually.ts'
import { retryUntilAnswered } from '../support/stack/retry-call.ts'
import { type Stack, startStack } from '../support/stack/start.ts'

const CUT_FOR_MS = 8_000
/** More than the fastest machine can spend during the test. */
const CREDIT = 1_000_000_000n

test('while database connections are cut at random, every call is served or can be retried', async () => {
  await using stack = await startStack()
  const customer = await stack.customer(CREDIT)
  const end = Date.now() + CUT_FOR_MS
  const cutting = cutConnections(stack, end)
  const callers = Array.from({ length: 12 }, async (_, index) => {
    const path = index % 2 ? '/v1/utils/hash' : '/v1/text/slugify'
    const statuses: number[] = []
    let calls = 0
    while (Date.now() < end) {
      const answers = await retryUntilAnswered(customer, path, { text: 'abc' }, `caller-${index}-${calls++}`)
      statuses.push(...answers.map(({ status }) => status))
    }
    return { calls, statuses }
  })
  const results = await Promise.all(callers)
  expect(await cutting).toBeGreaterThan(20)

  const statuses = new Set(results.flatMap(caller => caller.statuses))
  const unexpected = [...statuses].filter(status => ![200, 202, 409, 503].includes(status))
  const errors = unexpected.length > 0 ? readErrors(stack.api.log()) : []
  expect({ unexpected, errors }).toEqual({ unexpected: [], errors: [] })
  const calls = results.reduce((sum, caller) => sum + caller.calls, 0)
  expect(await customer.money()).toEqual({ balance: CREDIT - 1_000n * BigInt(calls), held: 0n })
  expect((await customer.post('/v1/text/slugify', { text: 'Calm again' })).body).toEqual({ slug: 'calm-again' })
}, 300_000)

test('a setting that changed while it could not be read applies as soon as it can, without another change', async () => {
  await using stack = await startStack({ worker: false })
  const worker = await stack.startWorker()
  const customer = await stack.customer(CREDIT)
  const rename = (from: string, to: string) => rows(stack.db, `alter function setting.${from}() rename to ${to}`)
  await rename('read', 'read_later')
  await stack.writeSetting('lane.thread.concurrency', 3)
  await stack.writeSetting('cputools.io.max_inline_bytes', 10)
  for (const { log } of [stack.api, worker])
    await eventually('the change to be missed', () => log().includes('settings not refreshed'))
  const send = () => customer.post('/v1/utils/hash', { file: { inline: Buffer.alloc(64).toString('base64') } })
  expect((await send()).status).toBe(200)

  await rename('read_later', 'read')
  await eventually('the api to apply it', async () => (await send()).body.code === 'INPUT_TOO_LARGE')
  await eventually('the worker to apply it', async () => (await listWorkers(stack.db))[0]!.lanes.thread === 3)
}, 300_000)

/** The lines of a log that tell of an error of the service, so that a failed test says why. */
function readErrors(log: string): string[] {
  return log.split('\n').filter(line => line.includes('"level":50') || line.includes('"level":"error"'))
}

/** Ends random connections of the service until `end`; returns how many. */
async function cutConnections({ db }: Stack, end: number): Promise<number> {
  let cut = 0
  while (Date.now() < end) {
    const ended = await rows(
      db,
      `select pg_terminate_backend(pid) from (
         select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and application_name like 'coinop%' and application_name <> 'coinop test' order by random() limit 2) victim`,
    )
    cut += ended.length
    await sleep(100)
  }
  return cut
}
