import { expect, test } from 'vitest'
import { startPostgres } from '../../ops/embedded/postgres.ts'
import { rows } from '../../sql/db.ts'
import { migrate } from '../../sql/migrate.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { signalTree } from '../support/machine/processes.ts'
import type { Answer } from '../support/stack/client.ts'
import { retryUntilAnswered } from '../support/stack/retry-call.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
const TEXTS = Array.from({ length: 1_000 }, (_, index) => `Ein längerer Titel mit der Nummer ${index}`)

test('when Postgres is killed while fifty jobs run, none is lost, each runs once, and the ledger balances', async () => {
  await using folder = await freshFolder()
  const postgres = await startPostgres({ dataDir: folder.path, log: quiet })
  await using _postgres = { [Symbol.asyncDispose]: () => postgres.stop() }
  await migrate(postgres.url)
  await using stack = await startStack({ databaseUrl: postgres.url })
  const customer = await stack.customer()

  const accepted = await Promise.all(
    Array.from({ length: 50 }, () => customer.post('/v1/text/slugify', { texts: TEXTS }, { prefer: 'respond-async' })),
  )
  const ids = accepted.map(({ body }) => body.ticket as string)
  await eventually('some to be done', async () => (await customer.money()).held < 50_000n)
  const writers = Array.from({ length: 8 }, (_, index) => callRepeatedly(customer, `writer-${index}`))
  await killPostgres(stack, postgres.pid())

  for (const answers of await Promise.all(writers)) {
    for (const { status, body } of answers) expect([200, 503], JSON.stringify(body)).toContain(status)
    expect(answers.at(-1)!.status).toBe(200)
  }
  for (const id of ids) expect((await customer.waitForEnd(id, 300_000)).status).toBe('succeeded')
  const lines = (await customer.get('/v1/account/ledger?type=charge&limit=200')).body.data
  expect(lines).toHaveLength(50 + 8 * CALLS)
  expect(await customer.money()).toEqual({ balance: 1_000_000n - 1_000n * BigInt(lines.length), held: 0n })
  const [crashed] = await rows<{ count: bigint }>(stack.db, 'select count(*) from svc.job where attempt > 3')
  expect(crashed!.count).toBe(0n)
})

const CALLS = 5

/** Makes a few calls, one after the other. */
async function callRepeatedly(customer: Customer, name: string): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let call = 0; call < CALLS; call++) {
    answers.push(...(await retryUntilAnswered(customer, '/v1/utils/hash', { text: name }, `${name}-${call}`)))
  }
  return answers
}

/** Kills the server and all its processes at once, as the kernel does when memory runs out. */
async function killPostgres(stack: Stack, pid: number): Promise<void> {
  signalTree(pid, 'SIGKILL')
  await eventually('Postgres to be back', () => rows(stack.db, 'select 1').catch(() => undefined))
}
