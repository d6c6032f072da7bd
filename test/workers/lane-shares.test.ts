import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** More than a worker fetches ahead. */
const BACKLOG = 140

async function queue(customer: Customer, text: string): Promise<string> {
  const { body } = await customer.post('/v1/text/slugify', { text }, { prefer: 'respond-async' })
  return body.ticket
}

async function countFetched({ db }: Stack): Promise<number> {
  const [row] = await rows<{ count: bigint }>(
    db,
    'select count(*) from lane_thread._private_jobs where locked_at is not null',
  )
  return Number(row!.count)
}

test('a job starts before the backlog of another account, even before jobs that were fetched ahead', async () => {
  await using stack = await startStack({ worker: false })
  await stack.writeSetting('lane.thread.concurrency', 1)
  const [heavy, light] = [await stack.customer(), await stack.customer()]
  await queue(heavy, 'Crème brûlée '.repeat(60_000))
  await Promise.all(Array.from({ length: BACKLOG }, () => queue(heavy, 'small')))
  await stack.startWorker()
  await eventually('jobs to be fetched ahead', async () => (await countFetched(stack)) > 1, 20_000)
  const ticket = await queue(light, 'light')
  await light.waitForEnd(ticket, 60_000)
  const [row] = await rows<{ count: bigint }>(
    stack.db,
    `select count(*) from svc.job l join svc.job j on j.account_id <> l.account_id and j.started_at > l.created_at
      and j.started_at < l.started_at where l.id = $1`,
    [ticket],
  )
  expect(Number(row!.count)).toBeLessThan(BACKLOG / 4)
}, 120_000)
