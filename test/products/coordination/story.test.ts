import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetUnused } from '../../../sql/coordination/steps.ts'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { openCoordinatingAgent } from '../../support/coordination/agent.ts'
import type { InProcessApi } from '../../support/stack/in-process-api.ts'
import { openWakingApi } from '../../support/stack/waking-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openWakingApi()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const openAgent = () => openCoordinatingAgent(api)

test('a lock has one holder, who is charged, and whoever is refused is not', async () => {
  const agent = await openAgent()
  const taken = await agent.lock('deploy', { ttlSeconds: 60, owner: 'first' })
  expect(taken).toMatchObject({
    status: 201,
    body: { name: 'deploy', isHeld: true, token: expect.stringMatching(/^lck_/) },
  })
  const refused = await agent.lock('deploy', { owner: 'second' })
  expect(refused).toMatchObject({ status: 409, body: { code: 'LOCK_HELD', owner: 'first' } })
  expect(refused.body.retryAfterMs).toBeGreaterThan(50_000)
  expect(await agent.money()).toEqual([999_000n, 0n])
  expect((await agent.ask('GET', 'locks/deploy')).body).not.toHaveProperty('token')
})

test('a call that is repeated with its key is told the same token, and is not charged again', async () => {
  const agent = await openAgent()
  const key = { 'idempotency-key': 'once' }
  const [first, again] = [
    await agent.ask('POST', 'locks/repeated', {}, key),
    await agent.ask('POST', 'locks/repeated', {}, key),
  ]
  expect(again.body).toEqual(first.body)
  expect(await agent.money()).toEqual([999_000n, 0n])
})

test('only its holder renews and releases a lock, and after its time not even its holder renews it', async () => {
  const agent = await openAgent()
  const { token, fence } = (await agent.lock('l', { ttlSeconds: 60 })).body
  expect((await agent.ask('PUT', 'locks/l', { token: 'lck_another' })).body).toMatchObject({
    ...{ code: 'FENCE_STALE', error: expect.not.stringContaining('time'), fence },
    reason: expect.stringContaining('the token is not'),
  })
  const renewed = (await agent.ask('PUT', 'locks/l', { token, ttlSeconds: 3_600 })).body
  expect(Date.parse(renewed.expiresAt) - Date.now()).toBeGreaterThan(3_000_000)
  expect((await agent.release('l', 'lck_another')).body).toMatchObject({
    ...{ code: 'FENCE_STALE', error: expect.not.stringContaining('time') },
    reason: expect.stringContaining('the token is not'),
  })
  expect((await agent.release('l', token)).body.isHeld).toBe(false)
  expect((await agent.release('l', token)).body.isHeld).toBe(false)
  expect((await agent.ask('PUT', 'locks/l', { token })).body).toMatchObject({
    ...{ code: 'FENCE_STALE', fence, reason: 'its time is over' },
  })
  const next = (await agent.lock('l')).body
  expect(next.fence).toBeGreaterThan(fence)
  expect((await agent.release('l', token)).body).toMatchObject({ code: 'FENCE_STALE', fence: next.fence })
  expect((await agent.release('unknown', token)).status).toBe(404)
  expect((await agent.ask('DELETE', 'locks/l', { token })).body).toMatchObject({
    ...{ code: 'MISSING_FIELD', field: 'token', in: 'query' },
  })
})

test('those who wait get the lock in their order, each when the one before gives it back', async () => {
  const agent = await openAgent()
  let { token } = (await agent.lock('line')).body
  const order: number[] = []
  const waiting = [1, 2, 3].map(async number => {
    const got = await agent.lock('line', { waitSec: 20, owner: `${number}` })
    order.push(number)
    return got.body
  })
  for (const next of waiting) {
    await agent.release('line', token)
    token = (await next).token
  }
  expect(order).toEqual([1, 2, 3])
  const fences = (await Promise.all(waiting)).map(({ fence }) => fence)
  expect(fences).toEqual([...fences].sort((a, b) => a - b))
})

test('one who waits gets a lock whose time is over, and one who waits in vain pays nothing', async () => {
  const agent = await openAgent()
  await agent.lock('short', { ttlSeconds: 1 })
  expect((await agent.lock('short', { waitSec: 10, ttlSeconds: 60 })).status).toBe(201)
  const [before] = await agent.money()
  expect((await agent.lock('short', { waitSec: 1 })).body).toMatchObject({ code: 'LOCK_HELD' })
  expect(await agent.money()).toEqual([before, 0n])
})

test('however many agents want a lock, it has one holder at a time and its fences rise', async () => {
  const agent = await openAgent()
  const steps = fc.array(fc.record({ releases: fc.boolean(), wait: fc.constantFrom(0, 5) }), {
    minLength: 2,
    maxLength: 8,
  })
  let round = 0
  await fc.assert(
    fc.asyncProperty(steps, async calls => {
      const name = `shared-${round++}`
      let holders = 0
      const fences: number[] = []
      await Promise.all(
        calls.map(async ({ wait }) => {
          const { status, body } = await agent.lock(name, { waitSec: wait, ttlSeconds: 60 })
          if (status !== 201) return
          expect(++holders).toBe(1)
          fences.push(body.fence)
          holders--
          expect((await agent.release(name, body.token)).status).toBe(200)
        }),
      )
      expect(fences.length).toBeGreaterThanOrEqual(Math.max(1, calls.filter(({ wait }) => wait > 0).length))
      expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b))
    }),
    { numRuns: 15 },
  )
})

test('as many calls as may wait do, and those who stop waiting make room', async () => {
  const agent = await openAgent()
  const { db, settings } = api.context
  await writeSetting(db, 'rate.waits_per_account', 1)
  await settings.refresh()
  const { token } = (await agent.lock('busy')).body
  const both = [agent.lock('busy', { waitSec: 20 }), agent.lock('busy', { waitSec: 20 })]
  expect((await Promise.race(both)).body).toMatchObject({ code: 'TOO_MANY_WAITS', max: 1 })
  await agent.release('busy', token)
  const ended = (await Promise.all(both)).map(({ status }) => status).sort()
  expect(ended).toEqual([201, 429])
  expect((await agent.lock('busy', { waitSec: 1 })).body.code).toBe('LOCK_HELD')
  await writeSetting(db, 'rate.waits_per_account', null)
  await settings.refresh()
})

test('the last to arrive at a barrier releases all who wait there, and the next round is another', async () => {
  const agent = await openAgent()
  const arrive = (member: string, more: object = {}) => agent.ask('POST', 'barriers/b/arrive', { member, ...more })
  expect((await arrive('a')).status).toBe(404)
  expect((await agent.ask('POST', 'barriers/b', { parties: 3 })).body).toMatchObject({ round: 1, state: 'open' })
  expect((await agent.ask('POST', 'barriers/b', { parties: 3 })).body).toMatchObject({ code: 'BARRIER_OPEN', round: 1 })
  expect((await arrive('a')).body).toMatchObject({ arrived: 1 })
  expect((await arrive('a')).body).toMatchObject({ arrived: 1, state: 'open' })
  const waiting = [arrive('b', { waitSec: 30 }), agent.ask('GET', 'barriers/b?waitSec=30')]
  await expect.poll(async () => (await agent.ask('GET', 'barriers/b')).body.arrived).toBe(2)
  expect((await arrive('c')).body).toMatchObject({ arrived: 3, state: 'released', members: ['a', 'b', 'c'] })
  for (const { body } of await Promise.all(waiting)) expect(body).toMatchObject({ round: 1, state: 'released' })
  expect((await arrive('d')).body).toMatchObject({ code: 'BARRIER_CLOSED', state: 'released' })
  expect((await agent.ask('POST', 'barriers/b', { parties: 2, ttlSeconds: 1 })).body).toMatchObject({ round: 2 })
  expect((await agent.ask('GET', 'barriers/b?waitSec=20')).body).toMatchObject({ round: 2, state: 'expired' })
  expect((await agent.ask('GET', 'barriers/b?round=1')).body).toMatchObject({ round: 1, state: 'released' })
  expect(await agent.money()).toEqual([998_000n, 0n])
})

test('a counter adds up what many add at once, and stays within its limits', async () => {
  const agent = await openAgent()
  const add = (body: object) => agent.ask('POST', 'counters/c', body)
  const values = await Promise.all(Array.from({ length: 20 }, async () => (await add({})).body.value as number))
  expect(values.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  const [before] = await agent.money()
  expect((await add({ add: 1, max: 20 })).body).toMatchObject({ code: 'COUNTER_LIMIT', value: 20 })
  expect((await add({ add: -21, min: 0 })).body).toMatchObject({ code: 'COUNTER_LIMIT', value: 20 })
  expect((await add({ add: Number.MAX_SAFE_INTEGER })).body.code).toBe('COUNTER_LIMIT')
  expect((await add({ min: 2, max: 1 })).body.code).toBe('CONFLICTING_OPTIONS')
  expect(await agent.money()).toEqual([before, 0n])
  expect((await agent.ask('GET', 'counters/c')).body.value).toBe(20)
  expect((await agent.ask('DELETE', 'counters/c')).body.value).toBe(20)
  expect((await agent.ask('GET', 'counters/c')).status).toBe(404)
})

test('names are listed in pages, limited, exported, forgotten when unused, and erased', async () => {
  const agent = await openAgent()
  const { db, settings, store } = api.context
  for (const name of ['one', 'two']) await agent.ask('POST', `counters/${name}`, {})
  await agent.lock('three', { ttlSeconds: 60 })
  await agent.ask('POST', 'barriers/four', { parties: 2 })
  const first = (await agent.ask('GET', 'names?limit=3')).body
  const second = (await agent.ask('GET', `names?limit=3&after=${encodeURIComponent(first.next)}`)).body
  const listed = [...first.data, ...second.data].map(({ kind, name }) => `${kind} ${name}`)
  expect([listed, second.next]).toEqual([['barrier four', 'counter one', 'counter two', 'lock three'], null])
  expect((await agent.call('GET', '/v1/bridge/names?kind=lock')).json().data).toMatchObject([{ name: 'three' }])

  await writeSetting(db, 'coordination.max_names', 2)
  await settings.refresh()
  expect((await agent.ask('POST', 'counters/five', {})).body).toMatchObject({ code: 'TOO_MANY_NAMES', max: 2 })
  expect((await agent.ask('GET', 'counters/five')).status).toBe(404)
  expect((await agent.lock('six')).status).toBe(201)
  expect((await agent.lock('seven')).body.code).toBe('TOO_MANY_NAMES')
  expect((await agent.ask('GET', 'locks/seven')).status).toBe(404)
  expect((await agent.ask('POST', 'counters/two', {})).body.value).toBe(2)
  await writeSetting(db, 'coordination.max_names', null)
  await settings.refresh()

  expect((await exportAccount(db, agent.accountId)).coordination).toHaveLength(5)
  await rows(
    db,
    "update svc.coordination_lock set expires_at = now() - interval '31 days' where account_id = $1 and name = 'three'",
    [agent.accountId],
  )
  await rows(db, "update svc.coordination_barrier set expires_at = now() - interval '29 days' where account_id = $1", [
    agent.accountId,
  ])
  expect(await forgetUnused(db, 30)).toBe(1)
  expect((await agent.ask('GET', 'locks/three')).status).toBe(404)
  await eraseAccount(db, store, agent.accountId)
  expect(await rows(db, 'select from svc.coordination_counter where account_id = $1', [agent.accountId])).toEqual([])
})
