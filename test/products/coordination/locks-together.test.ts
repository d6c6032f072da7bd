import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { createClient } from '../../../sql/hosts/primary.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { openCoordinatingAgent } from '../../support/coordination/agent.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

test('locks that are used at once are taken, given back and refused each by itself', async () => {
  const [one, other] = [await openCoordinatingAgent(api), await openCoordinatingAgent(api)]
  const { token } = (await one.lock('held')).body
  const names = Array.from({ length: 20 }, (_, index) => `free-${index}`)
  const taken = names.flatMap(name => [one.lock(name), other.lock(name)])
  const refused = [one.lock('held'), one.release('held', 'lck_wrong'), one.release('unknown', token)]
  expect((await Promise.all(taken)).map(({ status }) => status)).toEqual(Array(40).fill(201))
  expect((await Promise.all(refused)).map(({ body }) => body.code)).toEqual(['LOCK_HELD', 'FENCE_STALE', 'NOT_FOUND'])
  const rivals = await Promise.all(Array.from({ length: 10 }, () => other.lock('wanted')))
  expect(rivals.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  expect(await one.money()).toEqual([979_000n, 0n])
  expect(await other.money()).toEqual([979_000n, 0n])
})

test('a lock that is locked for long does not keep the others waiting, and is taken after it', async () => {
  const agent = await openCoordinatingAgent(api)
  const { token } = (await agent.lock('busy')).body
  await agent.release('busy', token)
  const holder = createClient(api.context.db.url, {})
  await holder.connect()
  await holder.query(`begin; select from svc.coordination_lock where account_id = '${agent.accountId}' for update`)
  const busy = agent.lock('busy')
  expect((await agent.lock('quick')).status).toBe(201)
  await holder.query('commit')
  await holder.end()
  expect((await busy).status).toBe(201)
})

test('a lock whose job has ended is not taken, and the others of its statement are', async () => {
  const agent = await openCoordinatingAgent(api)
  const job = { id: newId(), accountId: agent.accountId, startedAt: new Date(), chargeMicros: 1_000n }
  const hold = { id: newId(), accountId: agent.accountId, name: 'late', tokenHash: Buffer.alloc(32), seconds: 60 }
  const late = [1, 2].map(() => api.context.locks.acquire(job, { ...hold, owner: undefined }, 100))
  const refusal = { code: 'TIME_LIMIT_EXCEEDED' }
  const outcomes = await Promise.allSettled([...late, agent.lock('in-time')])
  expect(outcomes).toMatchObject([{ reason: refusal }, { reason: refusal }, { value: { status: 201 } }])
  expect((await agent.ask('GET', 'locks/late')).status).toBe(404)
  expect(await agent.money()).toEqual([999_000n, 0n])
})
