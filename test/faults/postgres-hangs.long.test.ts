import { expect, test } from 'vitest'
import { startPostgres } from '../../ops/embedded/postgres.ts'
import { migrate } from '../../sql/migrate.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { signalTree } from '../support/machine/processes.ts'
import { LONG_CALL_PATH, longCallBody } from '../support/stack/long-job.ts'
import { startStack } from '../support/stack/start.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('when Postgres hangs for a while, health reports it, the worker stops its jobs, and no job is lost', async () => {
  await using folder = await freshFolder()
  const postgres = await startPostgres({ dataDir: folder.path, log: quiet, isDurable: false })
  await using _postgres = { [Symbol.asyncDispose]: () => postgres.stop() }
  await migrate(postgres.url)
  await using stack = await startStack({ databaseUrl: postgres.url, worker: false, env: { LANES: 'thread,native' } })
  const worker = await stack.startWorker()
  const customer = await stack.customer()
  const submit = (path: string, body: object) => customer.post(path, body, { prefer: 'respond-async' })
  const calls = [
    submit(LONG_CALL_PATH, longCallBody(4_000)),
    submit(LONG_CALL_PATH, longCallBody(1_000)),
    submit('/v1/text/slugify', { text: 'a' }),
  ]
  const ids = (await Promise.all(calls)).map(({ body }) => body.ticket as string)
  await customer.waitForStart(ids[0]!)

  signalTree(postgres.pid(), 'SIGSTOP')
  try {
    const health = await stack.anonymous.get('/health')
    expect([health.status, health.body.checks.database.ok]).toEqual([503, false])
    await eventually('the worker to notice', () => worker.log().includes('no heartbeat has succeeded'))
  } finally {
    signalTree(postgres.pid(), 'SIGCONT')
  }

  for (const id of ids) expect((await customer.waitForEnd(id, 300_000)).status).toBe('succeeded')
  expect(await customer.money()).toEqual({ balance: 995_000n, held: 0n })
  await eventually('health', async () => (await stack.anonymous.get('/health')).body.status === 'ok')
})
