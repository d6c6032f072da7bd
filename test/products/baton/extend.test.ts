import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPieces } from '../../../sql/baton/entries.ts'
import { purgeBatons } from '../../../sql/baton/lifecycle.ts'
import { rows } from '../../../sql/db.ts'
import purge from '../../../tasks/products/baton/chores/purge.ts'
import { openPaidApi, type PaidApi } from '../../support/chain/in-process-paid-api.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'

let api: PaidApi
beforeAll(async () => {
  api = await openPaidApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const SHAPE = { sizeBytes: 1_000, durationSeconds: 3_600, maxEgressBytes: 1_000 }
const create = async () => {
  const owner = await openBatonOwner(api)
  return { owner, baton: await owner.create({ preset: 'drop', customShape: SHAPE, content: 'x' }) }
}

test('extend adds what was paid for, at the price of a dry run', async () => {
  const { owner, baton } = await create()
  const [before] = await owner.money()
  const body = { addDurationSeconds: '3600', addSizeBytes: '24', addEgressBytes: '1073741824', addWritesAllowed: 7 }
  const url = `/v1/baton/${baton.id}/extend`
  const { quote } = (await owner.call('POST', url, { ...body, dryRun: true })).json()
  const answer = await owner.call('POST', url, body)
  expect([answer.statusCode, answer.json()]).toMatchObject([
    200,
    { id: baton.id, sizeBytes: '1024', egressBytes: '1073742824', maxWrites: 1_007 },
  ])
  expect(Date.parse(answer.json().expiresAt) - Date.parse(baton.expiresAt)).toBe(3_600_000)
  expect(await owner.money()).toEqual([before - BigInt(quote.amountMicros), 0n])
  expect(BigInt(quote.amountMicros)).toBeGreaterThan(100_000n)
})

test('add adds a tier', async () => {
  const { owner, baton } = await create()
  const answer = await owner.call('POST', `/v1/baton/${baton.id}/add`, { tier: 'femto' })
  expect([answer.statusCode, answer.json()]).toMatchObject([200, { tier: 'femto', sizeBytes: '66536' }])
})

test('of extensions that were priced for the same terms one is made, and the others are free', async () => {
  const { owner, baton } = await create()
  const [before] = await owner.money()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => owner.call('POST', `/v1/baton/${baton.id}/extend`, { addEgressBytes: '100' })),
  )
  const made = answers.filter(({ statusCode }) => statusCode === 200).length
  const refused = answers.filter(({ statusCode }) => statusCode === 409)
  expect(made + refused.length).toBe(8)
  expect(await owner.money()).toEqual([before - 1_000n * BigInt(made), 0n])
  const { egressBytes } = (await owner.call('GET', `/v1/baton/${baton.id}/meta`)).json()
  expect(egressBytes).toBe(String(1_000 + 100 * made))
})

test.each([
  ['nothing', {}, 400],
  ['too much', { addEgressBytes: '999999999999' }, 422],
  ['a field that is not sold', { addReads: 1 }, 400],
])('%s cannot be added', async (_, body, status) => {
  const { owner, baton } = await create()
  expect((await owner.call('POST', `/v1/baton/${baton.id}/extend`, body)).statusCode).toBe(status)
})

test('a log that is removed at its end is whole for who began to read it before', async () => {
  const { db } = api.context
  const owner = await openBatonOwner(api)
  const baton = await owner.create({
    preset: 'scratchpad',
    tier: 'micro',
    content: 'first',
    onExpiration: 'hard_delete',
  })
  await owner.call('POST', `/v1/baton/${baton.id}`, { content: 'x'.repeat(60_000) })
  await owner.call('POST', `/v1/baton/${baton.id}`, { content: 'y'.repeat(60_000) })
  const count = async () => (await rows(db, 'select from svc.baton_entry where baton_id = $1', [baton.id])).length
  await rows(db, "update svc.baton set purge_at = now() + interval '1 minute' where id = $1", [baton.id])
  expect((await owner.call('GET', `/v1/baton/${baton.id}`)).body).toHaveLength(120_005)
  await rows(db, 'update svc.baton set expires_at = now(), purge_at = now() where id = $1', [baton.id])
  await purgeBatons(db, 100)
  expect(await count()).toBe(3)
  expect((await owner.call('GET', `/v1/baton/${baton.id}`)).json().code).toBe('GONE')
  const last = 120_004n
  expect(await readPieces(db, baton.id, 2n, 0n, last)).toHaveLength(1)
  await rows(db, 'update svc.baton set read_until = now() where id = $1', [baton.id])
  await purgeBatons(db, 100)
  expect(await count()).toBe(0)
})

test('a baton that has expired is gone, cannot be extended, and is purged by the chore', async () => {
  const { owner, baton } = await create()
  await rows(
    api.context.db,
    "update svc.baton set expires_at = now() - interval '8 days', purge_at = now() - interval '1 day' where id = $1",
    [baton.id],
  )
  const [before] = await owner.money()
  expect((await owner.call('POST', `/v1/baton/${baton.id}/add`, { tier: 'femto' })).json().code).toBe('GONE')
  expect((await owner.call('GET', `/v1/baton/${baton.id}`)).json().code).toBe('GONE')
  expect(await owner.money()).toEqual([before, 0n])
  const sql = { purgeBatons: (limit: number) => purgeBatons(api.context.db, limit) }
  await purge.run({ sql, log: () => undefined } as never)
  expect(await rows(api.context.db, 'select from svc.baton_entry where baton_id = $1', [baton.id])).toEqual([])
})
