import { expect, test } from 'vitest'
import { openDb, rows } from '../../sql/db.ts'
import { migrate } from '../../sql/migrate.ts'
import { openPostgresPair } from '../support/database/pair.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { retryUntilAnswered } from '../support/stack/retry-call.ts'
import { type Customer, startStack } from '../support/stack/start.ts'

const TEXTS = Array.from({ length: 1_000 }, (_, index) => `Ein längerer Titel mit der Nummer ${index}`)
const WRITERS = 8
const TICKETS = 30
const MAX_CALLS = 400

// A primary that is killed refuses connections at once; one that stops answering has to be noticed.
test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'after a failover (%s) nothing that was acknowledged is lost, nothing is charged twice, and calls go on',
  async signal => {
    await using folder = await freshFolder()
    await using pair = await openPostgresPair(folder.path)
    await migrate(pair.url)
    await using stack = await startStack({ databaseUrl: pair.url, env: { DATABASE_READ_URL: pair.standby.url } })
    const customer = await stack.customer(1_000_000_000n)
    await expectStandbyReads(customer, pair.standby.url)

    const accepted = await Promise.all(
      Array.from({ length: TICKETS }, () =>
        customer.post('/v1/text/slugify', { texts: TEXTS }, { prefer: 'respond-async' }),
      ),
    )
    let isOver = false
    const writers = Array.from({ length: WRITERS }, (_, index) => writeUntil(customer, `w${index}`, () => isOver))
    await eventually('some calls to be charged', async () => (await customer.money()).balance < 999_900_000n)
    await pair.failOver(signal)
    const before = await customer
      .post('/v1/utils/hash', { text: 'before' }, { 'idempotency-key': 'one-more' })
      .catch(() => undefined)
    await retryUntilAnswered(customer, '/v1/utils/hash', { text: 'before' }, 'one-more', 60_000)
    expect([undefined, 200, 503]).toContain(before?.status)
    isOver = true
    const counts = await Promise.all(writers)

    for (const { body } of accepted)
      expect((await customer.waitForEnd(body.ticket as string, 120_000)).status).toBe('succeeded')
    const charged = TICKETS + 1 + counts.reduce((sum, count) => sum + count, 0)
    expect(await customer.money()).toEqual({ balance: 1_000_000_000n - 1_000n * BigInt(charged), held: 0n })
    const { body } = await customer.get('/v1/account/ledger?type=charge&limit=5')
    expect(body.data).toHaveLength(5)
  },
)

/** Calls again and again, each call repeated under its key until it is answered. Returns how many there were. */
async function writeUntil(customer: Customer, name: string, isOver: () => boolean): Promise<number> {
  let count = 0
  while (!isOver() && count < MAX_CALLS) {
    await retryUntilAnswered(customer, '/v1/utils/hash', { text: name }, `${name}-${count}`)
    count += 1
  }
  return count
}

/** The page of the ledger is read from the standby, where its statement is the last one of a connection of the api. */
async function expectStandbyReads(customer: Customer, standbyUrl: string): Promise<void> {
  const db = openDb(standbyUrl, { name: 'test of the standby', size: 1 })
  try {
    await eventually('the standby to be asked', async () => {
      expect((await customer.get('/v1/account/ledger')).status).toBe(200)
      const query = `select query from pg_stat_activity where application_name = 'coinop api reads' and query ~ 'ledger|statement'`
      return (await rows(db, query)).length > 0
    })
  } finally {
    await db.end()
  }
}
