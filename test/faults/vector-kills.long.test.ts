import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { hasStatus, insist, killRoles } from '../support/stack/kills.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** For a longer run by hand: KILL_SECONDS=300 npx vitest run --config test/vitest.config.ts test/faults/vector-kills.long.test.ts */
const KILL_MS = Number(process.env.KILL_SECONDS ?? 12) * 1_000
const PAUSE_MS = 700
const CREDIT = 1_000_000_000n
const ANSWER_WITHIN_MS = 180_000
const BATCH = 20
const REPLACED = 5
/** Of one hash of a small file. */
const HASH_MICROS = 1_000n

test('whatever is killed while vectors are written and batons drawn, index, quotas and books agree', async () => {
  await using stack = await startStack()
  const customer = await stack.customer(CREDIT)
  const written = await create(customer, { preset: 'vector', vector: {} })
  const drawn = await create(customer, { preset: 'drop', content: 'drawn again and again' })
  const [paid, before] = [CREDIT - (await customer.money()).balance, await readQuotas(customer, [written, drawn])]
  const until = Date.now() + KILL_MS
  const work = Promise.all([writeUntil(customer, written, until), drawUntil(customer, drawn, until)])
  const kills = await killRoles(stack, { until, pauseMs: PAUSE_MS, order: ['api', 'connections', 'api', 'worker'] })
  const [batches, draws] = await work
  console.log({ kills, batches: batches.length, draws: draws.length })

  await eventually('no money to be held', async () => (await customer.money()).held === 0n, ANSWER_WITHIN_MS)
  const after = await readQuotas(customer, [written, drawn])
  const charged = batches.reduce((sum, micros) => sum + micros, 0n) + HASH_MICROS * BigInt(draws.length)
  expect(await customer.money()).toEqual({ balance: CREDIT - paid - charged, held: 0n })
  // A batch is one write, also where its first answer was lost.
  expect(before[0].writesLeft - after[0].writesLeft).toBe(batches.length)
  await expectIndex(stack, customer, written, batches.length)
  const reads = before[1].readsLeft - after[1].readsLeft
  await expectDraws(stack, drawn, reads)
  // A call that was cut off may be made again by another job.
  const cut = Object.values(kills).reduce((sum, count) => sum + count, 0)
  expect(reads).toBeGreaterThanOrEqual(draws.length)
  expect(reads).toBeLessThanOrEqual(draws.length + cut)
}, 1_800_000)

async function create(customer: Customer, body: object): Promise<string> {
  const key = { 'idempotency-key': randomUUID() }
  return (await insist('a baton', () => customer.post('/v1/baton', { tier: 'micro', ...body }, key), hasStatus(201)))
    .body.id
}

interface Quotas {
  readsLeft: number
  writesLeft: number
}

async function readQuotas(customer: Customer, ids: [string, string]): Promise<[Quotas, Quotas]> {
  const read = async (id: string) =>
    (await insist('the quotas', () => customer.get(`/v1/baton/${id}/meta`), hasStatus(200))).body.quotas as Quotas
  return [await read(ids[0]), await read(ids[1])]
}

/** Each batch adds vectors, and replaces some that others wrote. */
function composeBatch(number: number) {
  const own = Array.from({ length: BATCH }, (_, at) => ({ id: `b${number}-${at}`, text: `only${number}x${at} common` }))
  const shared = Array.from({ length: REPLACED }, (_, at) => ({ id: `shared-${at}`, text: `shared${number}x${at}` }))
  return { vectors: [...own, ...shared] }
}

/** What each batch was charged. */
async function writeUntil(customer: Customer, id: string, until: number): Promise<bigint[]> {
  const charged: bigint[] = []
  while (Date.now() < until) {
    const key = { 'idempotency-key': `batch-${charged.length}` }
    const send = () => customer.post(`/v1/baton/${id}/vectors`, composeBatch(charged.length), key)
    const { body } = await insist('a batch', send, hasStatus(200))
    charged.push(BigInt(body.chargedMicros))
  }
  return charged
}

async function drawUntil(customer: Customer, id: string, until: number): Promise<string[]> {
  const hashes: string[] = []
  while (Date.now() < until) {
    const key = { 'idempotency-key': `draw-${hashes.length}` }
    const send = () => customer.post('/v1/utils/hash', { file: { batonId: id } }, key)
    const { body } = await insist('a hash', send, hasStatus(200))
    hashes.push(body.hashes.sha256)
  }
  expect(new Set(hashes).size).toBe(1)
  return hashes
}

/** Every table has each vector once, and a search finds what was written last. */
async function expectIndex(stack: Stack, customer: Customer, id: string, batches: number): Promise<void> {
  const expected = BigInt(batches * BATCH + REPLACED)
  const tables = ['vector', 'vector_id', 'vector_floats']
  const counts = tables.map(async table => {
    const [row] = await rows<{ count: bigint }>(stack.db, `select count(*) from svc.${table} where baton_id = $1`, [id])
    return row!.count
  })
  expect(await Promise.all(counts)).toEqual([expected, expected, expected])
  const lost = `select i.id from svc.vector_id i left join svc.vector v using (baton_id, namespace, number)
    left join svc.vector_floats f using (baton_id, namespace, number)
    where i.baton_id = $1 and (v.id is distinct from i.id or f.number is null)`
  expect(await rows(stack.db, lost, [id])).toEqual([])
  const [counted] = await rows<{ count: number; words: bigint; summed: bigint }>(
    stack.db,
    `select n.count, n.word_count as words, (select sum(v.word_count) from svc.vector v where v.baton_id = $1) as summed
     from svc.vector_namespace n where n.baton_id = $1`,
    [id],
  )
  expect([BigInt(counted!.count), counted!.words]).toEqual([expected, counted!.summed])
  for (const [vector, text] of [
    ['b0-3', 'only0x3 common'],
    [`b${batches - 1}-7`, `only${batches - 1}x7 common`],
    ['shared-2', `shared${batches - 1}x2`],
  ]) {
    const found = await customer.post(`/v1/baton/${id}/vectors/query`, { text, topK: 1 })
    expect(found.body.matches[0]).toMatchObject({ id: vector, text, score: expect.closeTo(1, 5) })
  }
}

/** A job draws once, however often it is tried. */
async function expectDraws(stack: Stack, id: string, reads: number): Promise<void> {
  const [row] = await rows<{ jobs: bigint; logged: bigint }>(
    stack.db,
    `select (select count(distinct job_id) from svc.baton_draw where baton_id = $1) as jobs,
       (select count(*) from svc.baton_log where baton_id = $1 and type = 'read') as logged`,
    [id],
  )
  expect(row!.logged).toBe(BigInt(reads))
  expect(row!.jobs).toBeLessThanOrEqual(BigInt(reads))
}
