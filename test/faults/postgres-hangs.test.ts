import { expect, test } from 'vitest'
import { startPostgres } from '../../ops/embedded/postgres.ts'
import { migrate } from '../../sql/migrate.ts'
import { freshFolder } from '../support/folder.ts'
import { LONG_PATH, longWork } from '../support/long-work.ts'
import { descendantsOf } from '../support/processes.ts'
import { startStack } from '../support/stack.ts'
import { eventually } from '../support/until.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('when Postgres hangs for a while, health says so, the worker takes itself for dead, and no job is lost', async () => {
  await using folder = await freshFolder()
  const postgres = await startPostgres({ dataDir: folder.path, log: quiet, durable: false })
  await using _postgres = { [Symbol.asyncDispose]: () => postgres.stop() }
  await migrate(postgres.url)
  await using stack = await startStack({ databaseUrl: postgres.url, worker: false })
  const worker = await stack.startWorker()
  const customer = await stack.customer()
  const ask = (path: string, body: object) => customer.post(path, body, { prefer: 'respond-async' })
  const calls = [
    ask(LONG_PATH, longWork(6_000)),
    ask(LONG_PATH, longWork(1_000)),
    ask('/v1/text/slugify', { text: 'a' }),
  ]
  const ids = (await Promise.all(calls)).map(({ body }) => body.ticket as string)
  await customer.begun(ids[0]!)

  const signalAll = (signal: NodeJS.Signals) => {
    process.kill(postgres.pid(), signal)
    for (const { pid } of descendantsOf(postgres.pid())) process.kill(pid, signal)
  }
  signalAll('SIGSTOP')
  try {
    const health = await stack.stranger.get('/health')
    expect([health.status, health.body.checks.database.ok]).toEqual([503, false])
    await eventually('the worker to notice', () => worker.log().includes('no heartbeat has come through'))
  } finally {
    signalAll('SIGCONT')
  }

  for (const id of ids) expect((await customer.ended(id, 60_000)).status).toBe('succeeded')
  expect(await customer.money()).toEqual({ balance: 995_000n, held: 0n })
  await eventually('health', async () => (await stack.stranger.get('/health')).body.status === 'ok')
}, 150_000)
