import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'
import { type FakeQdrant, openFakeQdrant } from '../support/vectors/qdrant.ts'

const VECTORS = 900
const BATCH = 300
const FROM = 200
const DIMENSIONS = 8
/** A silent worker is considered dead after 15 seconds. */
const TAKEOVER_TIMEOUT_MS = 120_000

const buildItems = (first: number) =>
  Array.from({ length: BATCH }, (_, at) => ({
    id: `v${first + at}`,
    values: Array.from({ length: DIMENSIONS }, (_, place) => Math.sin((first + at + 1) * (place + 1))),
    metadata: { n: first + at },
  }))

async function write(customer: Customer, id: string, first: number): Promise<void> {
  const { status, text } = await customer.post(`/v1/baton/${id}/vectors`, { vectors: buildItems(first) })
  expect(status, text).toBe(200)
}

const readState = async (customer: Customer, id: string) =>
  (await customer.get(`/v1/baton/${id}/meta`)).body.vector.indexState as string

const countPoints = ({ collections }: FakeQdrant) =>
  Array.from(collections.values(), ({ points }) => points.size).reduce((sum, count) => sum + count, 0)

async function expectSame(customer: Customer, id: string, isExact: boolean): Promise<void> {
  const { body } = await customer.post(`/v1/baton/${id}/vectors/query`, {
    id: 'v100',
    topK: 5,
    filter: { n: { $gt: 50 } },
  })
  expect([body.exact, body.matches.length, body.matches[0].score > 0.9]).toEqual([isExact, 5, true])
}

const countRuns = async ({ db }: Stack) =>
  (await rows(db, 'select from lane_step._private_jobs where last_error is not null')).length

test('an index whose worker is killed, and whose store dies within an upsert, is made whole by another worker', async () => {
  await using store = await openFakeQdrant()
  const env = { VECTOR_INDEX: 'qdrant', VECTOR_INDEX_URL: store.url, VECTOR_INDEX_FROM: String(FROM) }
  await using stack = await startStack({ worker: false, env })
  const customer = await stack.customer(10_000_000n)
  const id = (await customer.post('/v1/baton', { preset: 'vector', tier: 'nano' })).body.id as string
  const { balance } = await customer.money()
  store.isHeld = true
  for (let first = 0; first < VECTORS; first += BATCH) await write(customer, id, first)
  expect(await readState(customer, id)).toBe('building')

  const worker = await stack.startWorker({})
  await eventually('the first vectors to be sent', async () => store.asked.some(call => call.includes('/points')))
  await worker.kill()
  await expectSame(customer, id, true)
  store.isHeld = false
  // What it had sent is written, but its worker never heard of that.
  await using _other = await stack.startWorker({})
  await eventually('the index', async () => (await readState(customer, id)) === 'ann', TAKEOVER_TIMEOUT_MS)
  expect(countPoints(store)).toBe(VECTORS)
  await expectSame(customer, id, false)

  store.fault = 'cut-after-writing'
  await write(customer, id, VECTORS - 100)
  await eventually('a run that fails', async () => (await countRuns(stack)) === 1)
  store.fault = undefined
  await rows(stack.db, 'update lane_step._private_jobs set run_at = now()')
  await eventually('all to be indexed', async () => countPoints(store) === VECTORS + BATCH - 100, TAKEOVER_TIMEOUT_MS)
  expect(await customer.money()).toEqual({ balance: balance - 12_000n - 2_000n, held: 0n })
}, 300_000)
