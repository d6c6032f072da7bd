import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import type { Answer } from '../support/stack/client.ts'
import { hasStatus, insist, killRoles } from '../support/stack/kills.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** For a longer run by hand: KILL_SECONDS=300 npx vitest run --config test/vitest.config.ts test/faults/room-kills.long.test.ts */
const KILL_MS = Number(process.env.KILL_SECONDS ?? 10) * 1_000
const CREDIT = 100_000_000n
const WITHIN_MS = 180_000
const CHANNEL_MICROS = 5_000n
const HOLDERS = 3

test('whatever is killed, no message is lost, doubled or out of order, and the fences of a lock only rise', async () => {
  await using stack = await startStack()
  const customer = await stack.customer(CREDIT)
  const body = { mode: 'queue', maxMessages: 2_000 }
  const { body: channel } = await customer.post('/v1/bridge/channels', body)
  const opened = CREDIT - (await customer.money()).balance
  expect(opened).toBeGreaterThanOrEqual(CHANNEL_MICROS)
  const until = Date.now() + KILL_MS
  const path = `/v1/bridge/channels/${channel.id}`
  const holders = Array.from({ length: HOLDERS }, (_, holder) => holdUntil(customer, holder, until))
  const work = Promise.all([sendUntil(customer, path, until), Promise.all(holders)])
  const consuming = consumeUntil(customer, path, until)
  const kills = await killRoles(stack, { until, pauseMs: 600, order: ['api', 'connections', 'worker'] })
  const [sent, fences] = await work
  const taken = await consuming
  console.log({ kills, sent, taken: taken.length, locks: fences.flat().length })
  expect(await drain(customer, path, taken)).toEqual(new Set(Array.from({ length: sent }, (_, index) => index)))
  await expectNumbers(stack, sent)
  expectRising(fences)
  await eventually('no money to be held', async () => (await customer.money()).held === 0n, WITHIN_MS)
  const locks = 1_000n * BigInt(fences.flat().length)
  expect((await customer.money()).balance).toBe(CREDIT - opened - locks)
}, 1_800_000)

/** Sends numbers, each with a key by which a repeat is known. Returns how many. */
async function sendUntil(customer: Customer, path: string, until: number): Promise<number> {
  let next = 0
  for (; Date.now() < until; next++) {
    const message = { body: next, dedupeKey: `number-${next}` }
    const { body } = await insist('a message', () => customer.post(`${path}/messages`, message), hasStatus(201))
    expect(body.seq).toBe(next + 1)
  }
  return next
}

/** Claims and acknowledges; what is claimed but not acknowledged comes back. Returns the numbers that were acknowledged. */
async function consumeUntil(customer: Customer, path: string, until: number): Promise<number[]> {
  const taken: number[] = []
  while (Date.now() < until) taken.push(...(await consume(customer, path, 10)))
  return taken
}

async function consume(customer: Customer, path: string, visibilitySeconds: number): Promise<number[]> {
  const claim = () => customer.post(`${path}/claim`, { visibilitySeconds, max: 20 })
  const { data } = (await insist('a claim', claim, hasStatus(200))).body as {
    data: { body: number; receipt: string }[]
  }
  if (data.length === 0) return []
  const receipts = data.map(({ receipt }) => receipt)
  await insist('an answer', () => customer.post(`${path}/ack`, { receipts }), hasStatus(200))
  return data.map(({ body }) => body)
}

/** All that was ever taken, when nothing is left. */
async function drain(customer: Customer, path: string, taken: number[]): Promise<Set<number>> {
  const all = new Set(taken)
  const isEmpty = async () => {
    for (const number of await consume(customer, path, 10)) all.add(number)
    const { body } = await customer.get(`${path}/messages?limit=1`)
    return body.data.length === 0
  }
  await eventually('the queue to be empty', isEmpty, WITHIN_MS)
  return all
}

async function expectNumbers({ db }: Stack, sent: number): Promise<void> {
  const [row] = await rows<{ seq: number }>(db, 'select seq from svc.channel')
  expect(row!.seq).toBe(sent)
  expect(await rows(db, 'select from svc.channel_message where dead_at is not null')).toEqual([])
}

/** Takes the one lock and gives it back; each acquisition is asked for until it is had. Returns the fences with their times. */
async function holdUntil(customer: Customer, holder: number, until: number) {
  const held: { fence: number; acquiredAt: string; expiresAt: string }[] = []
  while (Date.now() < until) {
    const once = { 'idempotency-key': `lock-${holder}-${held.length}` }
    const take = () => customer.post('/v1/bridge/locks/one', { ttlSeconds: 2, waitSec: 5 }, once)
    const { body: lock } = await insist('a lock', take, hasStatus(201))
    held.push(lock)
    const isOver = ({ status, body }: Answer) => status === 200 || body.code === 'FENCE_STALE'
    const release = () => customer.request(`/v1/bridge/locks/one?token=${lock.token}`, { method: 'DELETE' })
    await insist('a release', release, isOver)
  }
  return held
}

/** In the order in which they were acquired, by the clock of the database, no two have one fence and each is above those before. */
function expectRising(fences: { fence: number; acquiredAt: string }[][]): void {
  const all = fences.flat().toSorted((one, other) => one.acquiredAt.localeCompare(other.acquiredAt))
  const numbers = all.map(({ fence }) => fence)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
}
